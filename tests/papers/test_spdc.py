"""The items of SPDC: what they compute beside runs agrees with a referee, and their rules decide both ways."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each_of
from made_up import falling, found, results
from scipy.stats import chi

import cdlab
from cdlab.comparisons import FirstCrossing
from cdlab.losses import SmoothHinge
from cdlab.runs.trace import Record, Trace
from papers import Case, GeneratedData, reproduce, select_items
from papers.results import Undecided
from papers.spdc import growth, parts, perturbed, races, rows
from papers.verdicts import claim_verdict

X, y = cdlab.datasets.make(n=60, d=4, noise=0.5, seed=1)


def item(name):
    return select_items([f"spdc-{name}"])[0]


def claim(name, which):
    return next(each for each in item(name).claims if each.id == which)


# ------------------------------------------------------------ perturbed problems
def test_the_hinge_without_a_regulariser_is_a_linear_programme():
    P = cdlab.Problem(X, y, "hinge", l2=0)
    primal, norm2 = perturbed.optimum(P)
    smoothed = cdlab.reference(cdlab.Problem(X, y, SmoothHinge(1e-3), l2=0))
    assert smoothed.primal - 1e-9 <= primal <= smoothed.primal + 1e-3 / 2
    assert norm2 == pytest.approx(smoothed.w @ smoothed.w, rel=0.1)


def test_the_optimum_of_other_problems_is_certified():
    P = cdlab.Problem(X, y, "hinge", l2=1e-2)
    primal, norm2 = perturbed.optimum(P)
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-10, max_passes=5000)
    assert primal == pytest.approx(P.primal(s.w), abs=1e-9)
    assert norm2 == pytest.approx(s.w @ s.w, abs=1e-4)


@each_of("loss, l2, parts_of", [
    ("smooth_hinge", 1e-2, (0, 0)), ("smooth_hinge", 0, (1, 0)), ("hinge", 1e-2, (0, 1)), ("hinge", 0, (1, 1)),
])  # fmt: skip
def test_what_is_perturbed_decides_its_price(loss, l2, parts_of):
    P = cdlab.Problem(X, y, loss, l2=l2)
    assert perturbed.size_of_optimum(P) == pytest.approx(parts_of[0] * perturbed.optimum(P)[1] + parts_of[1])


def reached(primals):
    return Trace([Record(k, float(k), 0.0, p, 0.0, p, np.nan) for k, p in enumerate(primals)], {})


def test_accuracies_are_absolute():
    case = Case("one", "mushrooms", tags={})
    one = found(case, a=[reached([1.0, 0.1, 0.01, 0.001])])
    one.plan.facts = {"P*": 0.0}
    assert perturbed.passes_to(one, "a", 0.01).high == pytest.approx([2.0])


def test_the_hinge_lies_between_its_smoothing_and_half_of_delta_above_it():
    delta, P = 0.1, cdlab.Problem(X, y, "hinge", l2=1e-2)
    smoothed = cdlab.Problem(X, y, SmoothHinge(delta), l2=1e-2)
    for w in np.random.default_rng(0).standard_normal((20, P.d)):
        assert 0 <= P.primal(w) - smoothed.primal(w) <= delta / 2 + 1e-15
    case = Case("hinge", "mushrooms", tags={"eps": delta})
    hinge = found(case, SPDC=[reached([1.0, 0.5])])
    hinge.plan.facts = {"P*": 0.0}
    low, high = perturbed.agd_passes(hinge, found("smoothed", AFG=[reached([1.0, 0.1, 0.05, 0.01])]))
    assert (low[0], high[0]) == (1.0, 2.0)


# ------------------------------------------------------------ growth
def test_a_slope_needs_every_run_to_arrive():
    points = {
        1.0: FirstCrossing(np.array([2.0]), np.array([2.0])),
        4.0: FirstCrossing(np.array([4.0]), np.array([4.0])),
    }
    assert parts.passes_slope(points).value == pytest.approx(0.5)
    points[16.0] = FirstCrossing(np.array([9.0]), np.array([np.inf]))
    with pytest.raises(Undecided, match="at 16 a run did not arrive"):
        parts.passes_slope(points)
    assert list(parts.arrived_points(points)) == [1.0, 4.0]


@pytest.mark.parametrize(("passes", "verdict"), [((10, 30, 90), "reproduced"), ((10, 60, 360), "differs")])
def test_passes_may_grow_like_the_root_of_kappa(passes, verdict):
    founds = [
        found(Case(f"{q}", "mushrooms", tags={"q": q, "data": "text"}), SPDC=[each], SDCA=[each])
        for q, each in zip((1, 10, 100), passes, strict=True)
    ]
    told = claim_verdict(claim("kappa", "C1"), results(*founds))
    assert told["verdict"] == verdict
    assert [panel["panel"] for panel in told["panels"]] == ["SDCA, data = text", "SPDC, data = text"]


def test_the_least_time_is_at_as_many_examples_as_processors():
    assert all(best == s for best, s in growth.PROCESSORS.compute("quick").values())


def test_a_batch_of_all_examples_is_run_once_and_with_three_times_its_bound():
    P = cdlab.Problem(X, y, "smooth_hinge", l2=1 / 60)
    settings = parts.batch_settings(None)(P)
    assert settings["batch_size"] == 60
    assert settings["max_passes"] >= 3 * np.sqrt(P.kappa) * np.log(1e6)
    assert not item("fullbatch").contenders[0].draws


# ------------------------------------------------------------ rows
def test_the_ratio_of_the_formulas_is_that_of_their_theorems():
    P = cdlab.Problem(X, y, "smooth_hinge", l2=1e-3)
    K = [cdlab.theory.bound("spdc", "K", sampling).for_problem(P) for sampling in ("uniform", "norms")]
    assert rows.formula_ratios(P)["formulas"] == pytest.approx(K[0] / K[1])


def test_lengths_of_normal_rows_are_those_of_chi():
    assert pytest.approx(chi(rows.LENGTH_FEATURES).mean()) == rows.EXPECTED_LENGTH
    drawn = np.linalg.norm(np.random.default_rng(0).standard_normal((1000, rows.LENGTH_FEATURES)), axis=1)
    largest, mean = rows.row_lengths("quick")[1000]
    assert np.median(mean) == pytest.approx(drawn.mean(), rel=0.01)
    assert largest.min() <= drawn.max() <= largest.max()


def test_iterations_are_timed_for_every_width():
    P = cdlab.Problem(X, y, "smooth_hinge", l2=1e-2)
    assert all(0 < each < np.inf for each in growth.iteration_nanoseconds({4: P, 8: P}, 3).values())


# ------------------------------------------------------------ races
def test_longest_step_of_sag_is_the_inverse_smoothness():
    P = cdlab.Problem(X, y, "smooth_hinge", l2=1e-2)
    L = float((X**2).sum(axis=1).max()) + 1e-2
    assert parts.longest_sag_step(P)["step"] == pytest.approx(1 / L)


def race(name, l2, **runs):
    return found(Case(name, "mushrooms", tags={"l2": l2, "data": name}), item=races.FIG2, **runs)


def test_asdca_should_win_on_covtype_and_lose_on_text():
    runs = {"SPDC": [20.0], races.ASDCAS[0]: [10.0], races.ASDCAS[1]: [30.0]}
    told = claim_verdict(claim("fig2", "C3"), results(race("covtype01", 1e-6, **runs), race("text", 1e-6, **runs)))
    assert [panel["holds"] for panel in told["panels"]] == [True, False]


def test_a_rise_of_p_is_found():
    wavy = reached([1.0, 0.5, 0.01, 0.02, 1e-9])  # an outer iteration has two epochs
    told = claim_verdict(claim("fig2", "C4"), results(race("text", 1e-6, **dict.fromkeys(races.ASDCAS, [wavy]))))
    assert told["panels"][0]["value"] == pytest.approx(1.0)
    steady = dict.fromkeys(races.ASDCAS, [falling(10.0)])
    assert claim_verdict(claim("fig2", "C4"), results(race("text", 1e-6, **steady)))["verdict"] == "differs"


def test_another_axis_that_would_turn_a_verdict_is_told():
    def counted(passes, examples):
        trace = falling(passes)
        trace.records = [r._replace(examples=r.passes * examples / passes) for r in trace.records]
        return trace

    runs = {"SPDC": [counted(10.0, 10.0)], "AFG": [counted(40.0, 10.0)], "L-BFGS": [counted(40.0, 40.0)]}
    told = claim_verdict(claim("fig1", "C1"), results(race("text", 1e-4, **runs)))
    assert [panel["holds"] for panel in told["panels"]] == [True, True]
    assert ["would turn" in panel["note"] for panel in told["panels"]] == [True, False]


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_l2_n_is_kept_where_rows_are_fewer(mode):
    named = {"quick": "covtype01/20, l2 n as at 1e-6", "full": "covtype01, l2 = 1e-6"}[mode]
    case = next(case for case in races.FIG1.cases_in(mode) if case.name == named)
    n = parts.QUICK_ROWS if mode == "quick" else parts.COVTYPE_ROWS
    weight = cdlab.regularizers.parse_weight(str(case.l2))(n)
    assert weight * n == pytest.approx(1e-6 * parts.COVTYPE_ROWS)


# ------------------------------------------------------------ end to end
def test_an_item_runs_from_data_to_its_page(tmp_path):
    data = GeneratedData(
        "gaussian, s = 2", lambda: cdlab.datasets.make(n=80, d=5, row_spread=2.0, seed=0), "made", "mean"
    )
    small = replace(item("weighted"), cases=[Case("s = 2", data, parts.LOSS, "0.1/n", tags={"data": "s = 2"})])
    done = reproduce([small], out=tmp_path / "out", store=tmp_path / "store", seeds=[0, 1], executor="serial")
    told = done.found["spdc-weighted"]["quick"]
    assert told["curves"] == [7, 7]
    assert told["claims"][0]["verdict"] in ("reproduced", "differs")
    assert "## spdc-weighted: " in (tmp_path / "out" / "spdc.md").read_text()
    assert (tmp_path / "out" / "spdc-weighted-quick.svg").is_file()
