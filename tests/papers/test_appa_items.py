"""The items of APPA: what their trials, slopes and recursions compute, and the first figure end to end."""

from dataclasses import replace

import numpy as np
import pytest

from cdlab import Problem, datasets, reference, solve
from cdlab.datasets import Derived, steps
from papers import Case, reproduce
from papers.appa import PAPER, acceleration, condition, figures, parts

X, y = datasets.make(n=60, d=8, seed=0)
FREE = Problem(X, y, "squared", l2=0.0)


def test_sdca_with_l2_is_a_single_stage_of_dual_appa_around_0():
    stage = solve(FREE, parts.appa(-2, epochs=parts.UNLIMITED_EPOCHS), seed=3, max_passes=6, tol=0, every=1).trace
    held = solve(FREE.with_(l2=0.01), "sdca", seed=3, max_passes=6, tol=0, every=1)
    assert stage.column("passes").tolist() == held.trace.column("passes").tolist()
    assert stage.column("primal")[-1] == pytest.approx(FREE.primal(held.w), rel=1e-12)


def test_ls_is_p_without_l2_where_ridge_is_smallest():
    for power in (-2, 0):
        w = reference(FREE.with_(l2=10.0**power)).w
        assert figures.ridge_values(FREE)[parts.ridge_name(power)] == pytest.approx(FREE.primal(w), rel=1e-9)


def test_made_systems_have_the_condition_and_equal_shares_that_they_say():
    X, y = condition.conditioned(1e4, consistent=False)
    U, singular, _ = np.linalg.svd(X, full_matrices=False)
    assert (singular[0] / singular[-1]) ** 2 == pytest.approx(1e4)
    np.testing.assert_allclose(np.abs(U.T @ y), np.abs(U.T @ y)[0])
    assert np.linalg.norm(y - U @ (U.T @ y)) == pytest.approx(np.linalg.norm(U.T @ y))
    told = condition.constants(Problem(X, y, "squared", l2=0.0))
    assert told["mu"] == pytest.approx(singular[-1] ** 2 / 400)
    assert told["kappa_S"] == pytest.approx(max((X**2).sum(axis=1)) / singular[-1] ** 2)


def test_consistent_systems_have_a_solution():
    X, y = condition.conditioned(100.0, consistent=True)
    assert np.linalg.norm(X @ np.linalg.lstsq(X, y)[0] - y) < 1e-9


@pytest.mark.parametrize("ratio", [10.0, 100.0])
def test_algorithm_2_as_printed_is_plain_appa_and_corrected_keeps_its_guarantee(ratio):
    X, y = condition.conditioned(1 / acceleration.MU, consistent=True)
    P, mu, weight = Problem(X, y, "squared", l2=0.0), acceleration.MU, ratio * acceleration.MU
    printed, corrected = (acceleration.accelerated(X, y, mu, weight, 60, at) for at in acceleration.PLACES)
    np.testing.assert_allclose(printed, acceleration.plain(X, y, weight, 60), atol=1e-12)
    w = np.linalg.lstsq(X, y)[0]
    start, share = P.primal(printed[0]) - P.primal(w) + mu / 4 * (w @ w), 1 - ((mu + 2 * weight) / mu) ** -0.5
    errors = np.array([P.primal(each) - P.primal(w) for each in corrected])
    assert np.all(errors <= start * share ** np.arange(61) + 1e-12)
    assert errors[-1] < P.primal(printed[-1]) - P.primal(w)


def test_a_proximal_step_is_the_minimiser():
    w = acceleration.plain(X, y, 0.3, 1)[1]
    np.testing.assert_allclose(FREE.gradient(w) + 0.3 * w, 0, atol=1e-12)


@pytest.mark.parametrize(("method", "passes"), [(parts.appa(-3), 1.0), ("svrg", 2.0)])
def test_a_stage_of_dual_appa_visits_the_data_once_and_one_of_svrg_twice(method, passes):
    options = {"m": 60, "step": 0.01} if method == "svrg" else {}
    last = solve(FREE, method, every=1, tol=0, max_passes=5 * passes, **options).trace.records[-1]
    assert last.passes * 60 / last.iteration == passes


def test_every_set_is_run_in_full_and_two_of_three_in_a_quick_run_and_the_papers_sizes_are_declared():
    cases = parts.cases(["squared"])
    assert {case.tags["set"] for case in cases if "full" in case.modes} == set(parts.MAKERS)
    assert {case.tags["set"] for case in cases if "quick" in case.modes} == {"mnist.rff", "covtype.affine"}
    assert [case.name for case in cases if case.modes == ("paper",)] == [
        "mnist.rff, squared, n = 60000", "covtype.rff, squared, n = 50000"
    ]  # fmt: skip
    for item in PAPER.items:
        assert not any("paper" in case.modes for mode in ("quick", "full") for case in item.cases_in(mode))


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """Figure 1 with the claims of Figure 3, on a few examples."""
    folder = tmp_path_factory.mktemp("appa")
    prepared = [steps.PositiveClasses((1.0,)), steps.Permute(seed=0), steps.FirstRows(200), steps.HoldOut(50)]
    data = Derived("few", "mushrooms", [*prepared, steps.MeanRowNormOne()])
    cases = [Case(name, data, "squared", 0.0, test=True, tags={"set": name, "test": 50}) for name in ("mnist.rff", "b")]
    claims = [*figures.FIG1.claims, *(replace(claim, id=f"fig3 {claim.id}") for claim in figures.FIG3.claims)]
    item = replace(figures.FIG1, cases=cases, seeds=[0, 1], claims=claims)
    paper = replace(PAPER, items=[item])
    done = reproduce([item], out=folder, store=folder / "s", executor="serial", papers=[paper])
    return done, folder


@pytest.mark.full
def test_the_figure_gives_each_claim_its_verdict(first):
    told = {claim["id"]: claim for claim in first[0].found["appa-fig1"]["quick"]["claims"]}
    assert not any(claim["state"] == "not run" for claim in told.values())
    assert told["C1"]["verdict"] != "not testable"
    assert len(told["C3"]["panels"]) == 4
    assert [panel["panel"] for panel in told["C5"]["panels"]] == ["mnist.rff, some bias", "mnist.rff, that of SDCA"]
    assert told["C6"]["verdict"] == "not testable"
    assert len(told["fig3 C1"]["panels"]) == 4
    assert len(told["fig3 C2"]["panels"]) == 8
    assert (first[1] / "appa-fig1-quick.svg").is_file()


@pytest.mark.full
def test_without_a_regulariser_the_test_error_is_that_of_the_least_squares_solution(first):
    found = first[0].results[0]["mnist.rff"]
    X, y, (X_test, y_test) = found.case.data.load()
    w = np.linalg.lstsq(X.toarray(), y, rcond=None)[0]
    assert found.at_optimum("test_sign_error") == np.mean(y_test * (X_test @ w) <= 0)


@pytest.mark.full
def test_the_best_trial_is_the_one_with_the_smallest_final_p(first):
    found = first[0].results[0]["b"]
    for method in parts.METHODS:
        power, label = parts.best_trial(found, method)
        ends = {k: np.median(parts.final_values(found, parts.trial_label(method, k))) for k in parts.POWERS}
        assert ends[power] == min(ends.values())
        assert label == parts.trial_label(method, power)


@pytest.mark.full
def test_test_errors_are_shares_of_wrong_signs_also_with_the_squared_loss(first):
    found = first[0].results[0]["b"]
    (table,) = first[0].found["appa-fig1"]["quick"]["tables"]
    assert parts.error_column(found) == "test_sign_error"
    errors = found.final_values(parts.best_trial(found, parts.SDCA)[1], "test_sign_error")
    assert np.all((errors >= 0) & (errors < 0.3))
    assert [row[-1] for row in table["rows"] if row[:2] == ["b", "SDCA"]] == [f"{np.median(errors):.2%}"]
    lost = found.final_values(parts.trial_label("SVRG", 8), "test_sign_error")
    assert np.all(lost > 0)  # where P is not a number, no sign is right


@pytest.mark.full
def test_a_run_that_diverged_counts_as_infinite_and_is_no_best_one(first):
    found = first[0].results[0]["b"]
    assert (
        np.median(parts.final_values(found, parts.trial_label("SVRG", 8)))
        > parts.DIVERGENCE_TOL * found.optimum.at_zero
    )
    assert parts.best_trial(found, "SVRG")[0] < 8
