"""Explanations: shares that add up, causes known in closed form, and races from which causes are taken away."""

import math

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.comparisons.curves import crossing
from cdlab.exact_rates import exact_rate
from cdlab.exact_rates.optimum import find_optimum
from cdlab.explanations import measuring, near_optimum
from cdlab.methods import RCD, SDCA, Quartz
from cdlab.runs import Race
from cdlab.samplings import Importance, Uniform


def arrow(a, b, c, n=30):
    """n x n, rows divided by their mean norm: the first row is c but for a, the first column b."""
    X = np.zeros((n, n))
    X[:, 0], X[0] = b, c
    X[0, 0] = a
    return X / np.linalg.norm(X, axis=1).mean(), np.where(np.arange(n) % 2, 1.0, -1.0)


def orthogonal(n=30, largest=100.0):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    return Q * np.sqrt(np.geomspace(1, largest, n))[:, None], np.where(np.arange(n) % 3, 1.0, -1.0)


def raced(X, y, loss="squared", l2n=1.0, entries=("rcd", "sdca"), max_passes=100):
    P = cdlab.Problem(X, y, loss, l2=l2n / len(y))
    return P, cdlab.race(P, list(entries), seeds=[0, 1, 2], max_passes=max_passes, tol=1e-8)


def causes_by_name(race, **how):
    return {cause.numbers["name"]: cause for cause in cdlab.explain(race, **how)}


def passes_to(P, entry, level, seeds=(10, 11, 12), max_passes=3000):
    """The median over seeds of passes to a gap."""
    race = cdlab.race(P, [entry], seeds=seeds, tol=1e-9, max_passes=max_passes)
    return np.median([crossing(t.column("passes"), np.minimum.accumulate(t.column("gap")), level) for t in race.traces])


# ------------------------------------------------------------ what every explanation keeps
@each_of("loss, entries", [("logistic", ["rcd", "sdca"]), ("squared", ["sdca@permutation", "rcd@importance"])])
@pytest.mark.parametrize("by", ["gap", pytest.param("primal", marks=pytest.mark.full)])
def test_shares_of_causes_add_up_and_each_cause_is_a_sentence(loss, entries, by):
    race = cdlab.race(problem(loss, l2=0.01), entries, seeds=[0, 1], max_passes=60)
    causes = cdlab.explain(race, by=by)
    assert sum(cause.share for cause in causes) == pytest.approx(1)
    shares = [abs(cause.share) for cause in causes[:-1]]
    assert shares == sorted(shares, reverse=True)
    numbers = causes[-1].numbers
    difference = math.log(numbers["measured"] / numbers["predicted"])
    for cause in causes:
        assert len(str(cause).split()) > 4
        assert cause.interval[0] - 1e-9 <= cause.share <= cause.interval[1] + 1e-9
        if "factor" in cause.numbers:
            before, after = (cause.numbers[name] for name in ("before", "after"))
            assert math.log(cause.numbers["factor"]) == pytest.approx(cause.share * difference)
            assert cause.numbers["factor"] == pytest.approx(after[0] / after[1] * before[1] / before[0])


def test_the_prediction_is_that_of_the_face_off_and_the_measured_ratio_that_of_the_race():
    P, race = raced(*orthogonal())
    numbers = cdlab.explain(race)[-1].numbers
    assert numbers["predicted"] == pytest.approx(cdlab.faceoff(P).ratio)
    for k, passes in enumerate(numbers["passes"]):
        curves = [(t.column("passes"), np.minimum.accumulate(t.column("gap"))) for t in race[k]]
        assert passes == pytest.approx(np.median([crossing(*curve, numbers["level"]) for curve in curves]))


def test_where_prediction_and_race_agree_there_is_nothing_to_explain():
    X, y = cdlab.datasets.make(n=60, d=60, seed=0)
    _, race = raced(X, y, l2n=1e4)
    (cause,) = cdlab.explain(race)
    assert "nothing to explain" in str(cause)
    assert cause.share == 1


@each_of(
    "X, y, loss",
    [
        (np.array([[2.0]]), np.array([1.0]), "squared"),
        (np.eye(3), np.array([1.0, -1.0, 1.0]), "squared"),
        (np.array([[1.0, 0.0], [0.0, 0.0], [0.0, -2.0]]), np.array([1.0, -1.0, -1.0]), "logistic"),
        (np.ones((4, 3)), np.array([1.0, -1.0, 1.0, 1.0]), "smooth_hinge"),
    ],
)
def test_data_of_odd_shapes_have_causes_with_numbers(X, y, loss):
    causes = cdlab.explain(cdlab.race(cdlab.Problem(X, y, loss, l2=0.1), ["rcd", "sdca"], max_passes=60))
    assert all(math.isfinite(cause.share) for cause in causes)
    assert sum(cause.share for cause in causes) == pytest.approx(1)


# ------------------------------------------------------------ causes that are known in closed form
def test_identical_rows_have_the_rate_of_the_closed_form_and_the_bound_of_their_norms():
    """n = 20, q = 4: 2.953991806 passes for a factor e, where the classical bound says 1 + q = 5."""
    X, y = np.full((20, 5), 5**-0.5), np.random.default_rng(0).standard_normal(20)
    _, race = raced(X, y, l2n=0.25)
    numbers = causes_by_name(race)["correlation"].numbers
    before, after = numbers["before"][1], numbers["after"][1]
    assert before / after == pytest.approx(5 / 2.953991806, rel=1e-8)


def test_on_orthogonal_rows_permutations_are_done_after_a_pass():
    _, race = raced(*orthogonal(), entries=("rcd@permutation", "sdca@permutation"))
    found = causes_by_name(race)
    assert found["not explained"].numbers["passes"][1] <= 1
    assert found["weights"].share > 0.5
    assert abs(found["not explained"].share) < 0.1


def test_empty_columns_are_drawn_for_nothing_and_change_no_cause_but_by_chance():
    """Bounds do not count them, runs draw them at no cost: of the squared loss no tail is left, and no start."""
    X, y = cdlab.datasets.make(n=60, d=20, seed=0)
    for wide in (X, np.hstack([X, np.zeros((60, 180))])):
        P = cdlab.Problem(wide, y, "squared", l2=1 / 60)
        race = cdlab.race(P, ["rcd@importance", "sdca@importance"], seeds=[0, 1], max_passes=60, tol=1e-8)
        found = causes_by_name(race)
        before = found["correlation"].numbers["before"]
        bounds = [cdlab.theory.bound(name, "T", sampling="importance").for_problem(P) for name in ("rcd", "sdca")]
        fall = np.log((P.at_zero - race.optimum) / found["not explained"].numbers["level"])
        assert np.array(before) / fall == pytest.approx(np.array(bounds) / P.nnz, rel=1e-6)


def test_draws_until_all_are_drawn():
    """Coupons: m (1 + 1/2 + ... + 1/m) of equal ones; of two with p and 1 - p, 1/p + 1/(1 - p) - 1."""
    for m in (1, 10, 1000):
        assert near_optimum.draws_until_all(np.full(m, 1 / m)) == pytest.approx(
            m * (1 / np.arange(1, m + 1)).sum(), rel=1e-3
        )
    assert near_optimum.draws_until_all(np.array([0.1, 0.9])) == pytest.approx(1 / 0.1 + 1 / 0.9 - 1, rel=1e-3)
    p = np.random.default_rng(0).uniform(1, 3, 2000)
    assert near_optimum.draws_until_all(p / p.sum()) == pytest.approx(
        near_optimum.draws_until_all(np.round(p, 2) / np.round(p, 2).sum()), rel=0.05
    )


@each_of(
    "loss, method, sampling",
    [
        ("squared", SDCA(), Uniform()),
        ("squared", SDCA(), Importance()),
        ("logistic", SDCA(), Uniform()),
        ("squared", Quartz(), Uniform()),
        ("logistic", Quartz(step="local"), Importance()),
        ("logistic", RCD(), Uniform()),
        ("squared", RCD(), Importance()),
    ],
)
def test_the_band_of_larger_data_holds_the_exact_rate(loss, method, sampling, monkeypatch):
    P = problem(loss, n=20, d=6, seed=3, l2=0.02)
    rate = exact_rate(P, method, sampling)
    monkeypatch.setattr(near_optimum, "MAX_EXACT_COORDINATES", 0)
    band = near_optimum.draws_per_e(P, method, sampling, find_optimum(P))
    exact = rate.steps
    assert band.low * (1 - 1e-6) <= exact <= band.high * (1 + 1e-6)


@each_of("name, method, sampling", [("sdca", SDCA(), "uniform"), ("quartz", Quartz(), "importance")])
def test_for_the_squared_loss_a_run_on_the_quadratic_is_the_method_itself(name, method, sampling):
    P = problem("squared", n=25, d=6, seed=1, l2=0.02)
    draws = Uniform() if sampling == "uniform" else Importance()
    logs = next(near_optimum.quadratic_runs(P, method, draws, find_optimum(P), None, 12.0))
    best = P.dual(np.linalg.solve(np.eye(P.n) + P.X @ P.X.T / (P.l2 * P.n), P.y))
    run = cdlab.iterate(P, name, sampling=sampling, seed=measuring.SEEDS[0])
    errors = np.array([best - record.dual for record, _ in zip(run, logs[:8], strict=False)])
    np.testing.assert_allclose(np.log(errors / errors[0]), logs[:8], atol=1e-6)


def test_runs_that_are_cut_short_go_on_at_their_last_rate():
    logs = -0.5 * np.arange(5.0)
    assert measuring.where_it_falls_to(logs, -1.25) == pytest.approx(2.5)
    assert measuring.where_it_falls_to(logs, -4.0) == pytest.approx(8)
    assert measuring.where_it_falls_to(np.zeros(5), -1.0) == math.inf


# ------------------------------------------------------------ interventions: races without a cause
def moved_by_draws(P, race):
    """What weights and cost are said to move ln of the ratio by, and what drawing as the bounds suppose undoes."""
    found = causes_by_name(race)
    numbers = found["not explained"].numbers
    named = sum(math.log(found[k].numbers["factor"]) for k in ("weights", "cost") if k in found)
    without = [passes_to(P, f"{name}@importance", numbers["level"]) for name in ("rcd", "sdca")]
    return named, math.log(numbers["measured"]) - math.log(without[0] / without[1])


def agree(named, did):
    return named * did > 0 and max(named / did, did / named) < 2


def test_with_the_draws_that_the_bounds_suppose_the_difference_shrinks_by_the_share_of_weights_and_cost():
    """The long column: rcd with uniform draws takes a tenth of what it takes with importance."""
    P, race = raced(*arrow(1, 1, 0.05), loss="logistic")
    named, did = moved_by_draws(P, race)
    assert named < -1
    assert agree(named, did)
    assert abs(causes_by_name(race)["not explained"].share) < 0.2


@pytest.mark.full
@each_of(
    "data, loss, l2n",
    [
        (arrow(1, 0.05, 1), "logistic", 1.0),
        (arrow(1, 1, 0.05), "squared", 1.0),
        (arrow(1, 0.05, 1), "squared", 3.0),
        (orthogonal(), "squared", 1.0),
        (orthogonal(40, 30.0), "logistic", 1.0),
    ],
)
def test_so_it_does_on_other_uneven_data(data, loss, l2n):
    named, did = moved_by_draws(*raced(*data, loss=loss, l2n=l2n))
    assert abs(named) > math.log(1.25)
    assert agree(named, did)


def test_rescaling_the_long_row_takes_its_causes_away():
    """Where all rows have one norm and length, uniform draws are the bounds' own: no weights, no cost, no steps."""
    X, y = arrow(1, 0.05, 1)
    _, race = raced(X, y)
    assert {"weights", "cost"} & causes_by_name(race).keys()
    even = np.linalg.qr(np.random.default_rng(1).standard_normal((30, 30)))[0]
    _, race = raced(even, y, entries=("rcd", "sdca"))
    assert not {"weights", "cost", "steps"} & causes_by_name(race).keys()


@pytest.mark.full
def test_the_damped_steps_of_the_bound_take_as_much_longer_as_is_named():
    """sdca against itself with the bound's steps, on rows of uneven norms."""
    X, y = orthogonal(40, 60.0)
    P, race = raced(X, y, entries=("sdca@importance", "sdca"))
    found = causes_by_name(race)
    numbers = found["not explained"].numbers
    damped = passes_to(P, "quartz", numbers["level"])
    exact = passes_to(P, "sdca", numbers["level"])
    assert agree(math.log(found["steps"].numbers["factor"]), math.log(damped / exact))


# ------------------------------------------------------------ what it refuses
def test_what_cannot_be_explained_is_refused_in_a_sentence():
    P = problem("logistic", l2=0.01)
    race = cdlab.race(P, ["rcd", "sdca"], max_passes=20)
    with pytest.raises(TypeError, match="takes a race"):
        cdlab.explain(P)
    with pytest.raises(ValueError, match="by must be"):
        cdlab.explain(race, by="seconds")
    with pytest.raises(ValueError, match="does not know its problem"):
        cdlab.explain(Race(race.traces, 2, [0]))
    with pytest.raises(ValueError, match="compares two entries"):
        cdlab.explain(cdlab.race(P, ["sdca", "saga"], max_passes=5))
    with pytest.raises(ValueError, match="a smooth loss"):
        cdlab.explain(cdlab.race(problem("hinge"), ["sdca", "sdca@permutation"], max_passes=5))
    with pytest.raises(ValueError, match="l1 = 0"):
        cdlab.explain(cdlab.race(problem("logistic", l1=0.1), ["sdca", "rcd"], max_passes=5))
    still = cdlab.Problem(P.X, np.zeros(P.n), "squared", l2=0.1)
    with pytest.raises(ValueError, match="w = 0 is the optimum"):
        cdlab.explain(cdlab.race(still, ["rcd", "sdca"], max_passes=5))
    with pytest.raises(ValueError, match="have come down"):
        cdlab.explain(cdlab.race(P, ["rcd", "sdca"], max_passes=0))


def test_causes_print_as_sentences_and_progress_is_shown(capsys):
    X, y = cdlab.datasets.make(n=40, d=5, seed=0)
    race = cdlab.race(cdlab.Problem(X, y, loss="squared", l2=0.01), ["rcd", "sdca"], max_passes=40)
    causes = cdlab.explain(race, progress=True)
    assert str(causes).split("\n") == [causes.summary, *(str(cause) for cause in causes)]
    assert "explain: the optimum" in capsys.readouterr().err
