"""Advice: what is ranked, by which numbers, and what it says where theory or probes have nothing to say."""

import itertools
import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab import theory
from cdlab.advice import calibration, guarantees, playoffs, predictions, probing
from cdlab.advice.candidates import field
from cdlab.advice.probing import Probe
from cdlab.losses import LOSSES
from cdlab.methods import METHODS, lbfgs
from cdlab.numerics import clocks


def problem(loss="logistic", n=60, d=20, l2=1e-3, l1=0.0, task="classification", **data):
    X, y = cdlab.datasets.make(n=n, d=d, seed=0, task=task, **data)
    return cdlab.Problem(X / np.sqrt(d), y, loss=loss, l2=l2, l1=l1)


def by_label(advice):
    return {choice.label: choice for choice in advice}


# ---------------------------------------------------------------- what is ranked
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge", "squared", "absolute"])
@pytest.mark.parametrize("l1", [0.0, 1e-3])
def test_every_method_is_either_ranked_or_refused_in_its_own_words(loss, l1):
    P = problem(loss, l1=l1)
    fitting, refused = field(P)
    assert {c.method.name for c in fitting} | {r.method for r in refused} == set(METHODS)
    assert len({c.key for c in fitting}) == len(fitting)
    for r in refused:
        with pytest.raises(ValueError, match=re.escape(r.reason)):
            cdlab.solve(P, r.method, sampling="uniform" if r.sampling == "any" else r.sampling)


def test_a_ranking_has_all_that_fits_once_and_its_order_is_by_seconds_or_passes():
    P = problem()
    for by in ("seconds", "passes"):
        advice = cdlab.advise(P, by=by)
        assert sorted(c.key for c in field(P)[0]) == sorted(c.label for c in advice)
        values = [getattr(c, by) for c in advice if getattr(c, by) is not None]
        assert values == sorted(values)
        assert all(getattr(c, by) is None for c in advice[len(values) :]), "what has no prediction is last"


def test_every_entry_races_as_it_is():
    P = problem("squared_hinge")
    advice = cdlab.advise(P, 1e-4)
    race = cdlab.race(P, advice[:3], tol=1e-6, max_passes=300)
    assert race.decides(1e-4)
    assert np.isfinite(race.reached(1e-4)).all()


def test_every_choice_solves_as_it_is_and_so_does_its_label():
    P = problem("squared_hinge")
    choices = by_label(cdlab.advise(P, 1e-2, by="passes"))
    for label in ("sdca@permutation", "quartz@importance", "lbfgs", "rcd@uniform"):
        one, other = (cdlab.solve(P, entry, tol=1e-2, max_passes=200) for entry in (choices[label], label))
        assert one.status == "tolerance reached"
        assert one.trace.meta["label"] == other.trace.meta["label"]
        np.testing.assert_array_equal(one.w, other.w)


# ---------------------------------------------------------------- known winners
def test_few_examples_of_many_features_are_for_the_dual():
    advice = cdlab.advise(problem(n=40, d=3000, l2=1e-3))
    assert METHODS[advice[0].method].side == "dual"
    labels = [c.label for c in advice]
    assert labels.index("sdca@permutation") < labels.index("rcd@permutation")


def test_ill_conditioned_tall_data_are_not_for_plain_coordinate_ascent():
    passes = {c.label: c.passes for c in cdlab.advise(problem(n=4000, d=20, condition=1e5, l2=1e-8))}
    assert passes["lbfgs"] < passes["sdca@permutation"]
    assert passes["lbfgs"] < passes["gd"]
    assert passes["apcg@uniform"] < passes["quartz@uniform"]


def test_an_easy_problem_needs_few_passes_and_a_hard_one_many():
    easy, hard = (by_label(cdlab.advise(problem(n=300, d=10, l2=l2))) for l2 in (1.0, 1e-6))
    for label in ("sdca@permutation", "apcg@uniform", "quartz@uniform"):
        assert easy[label].passes < hard[label].passes


# ---------------------------------------------------------------- the bounds
def test_worst_is_the_theorem_s_number_and_sharp_is_no_larger():
    P = problem()
    for label, choice in by_label(cdlab.advise(P, 1e-4)).items():
        if choice.worst is not None:
            assert choice.sharp <= choice.worst
            assert choice.bound, label
        if not choice.outside and "L_f" not in {s.name for s in theory.bound(*_named(choice)).symbols}:
            assert choice.worst == pytest.approx(theory.bound(*_named(choice)).for_problem(P, 1e-4))


def _named(choice):
    sampling = None if choice.sampling == "none" else choice.sampling
    return cdlab.methods.resolve(choice.method), "passes", sampling


def test_the_smoothness_of_the_mean_loss_is_at_worst_the_largest_row_s():
    P = problem()
    choice, bound = by_label(cdlab.advise(P))["fista"], theory.bound("fista")
    assert choice.sharp == pytest.approx(bound.for_problem(P, 1e-6))
    assert choice.worst == pytest.approx(bound.for_problem(P, 1e-6, L_f=P.R**2 * P.beta))
    assert choice.sharp < choice.worst


def test_orders_and_methods_without_a_theorem_are_said_to_be_outside():
    choices = by_label(cdlab.advise(problem()))
    assert not choices["sdca@uniform"].outside
    assert "no theorem covers permutation" in choices["sdca@permutation"].outside
    assert "sdca" in choices["sdca@permutation"].outside.partition(";")[2], "whose bound stands in"
    assert choices["sdca@permutation"].worst == choices["sdca@uniform"].worst
    assert "agd" in choices["lbfgs"].bound
    assert "Liu & Nocedal" in choices["lbfgs"].outside


@given(st.floats(1e-4, 5.0), st.sampled_from(["rows", "columns"]))
def test_the_effective_l2_makes_the_uniform_bound_contract_as_measured(rate, walks):
    P = problem(l2=1e-9)
    l2 = guarantees.effective_l2(P, walks, rate)
    norms2 = (P.row_profile if walks == "rows" else P.column_profile).norms2
    K = 1 + P.beta * norms2.max() / (l2 * P.n)  # passes in which the bound falls by a factor e
    assert l2 >= P.l2
    assert K == pytest.approx(max(1 / rate, 1 + guarantees.FASTEST))


def test_a_probe_that_stands_still_leaves_l2_as_it_is():
    P = problem()
    assert guarantees.effective_l2(P, "rows", 0.0) == P.l2


# ---------------------------------------------------------------- probes
def test_a_geometric_error_is_extrapolated_exactly():
    p = Probe("sdca@uniform", passes=10.0, seconds=1.0, error=1e-2, rate=0.5, pass_seconds=0.1, reached=None)
    assert p.passes_to(1e-6) == pytest.approx(10 + math.log(1e4) / 0.5)
    assert math.isinf(Probe("gd", 10.0, 1.0, 0.5, 0.0, 0.1, None).passes_to(1e-6))
    assert Probe("gd", 10.0, 1.0, 1e-7, 0.3, 0.1, reached=8.0).passes_to(1e-6) == 8.0


def test_probes_are_short():
    advice = cdlab.advise(problem(n=200, d=30, l2=1e-9), 1e-9)
    assert set(advice.probes) == {"rows", "columns", "matrix"}
    assert advice.probes["rows"].passes <= 10
    assert advice.probes["columns"].passes <= 10
    assert advice.probes["matrix"].passes <= 35, "a line search may overrun by a few"


def test_a_probe_without_time_still_does_three_epochs():
    advice = cdlab.advise(problem(l2=1e-9), 1e-9, max_seconds=1e-9)
    assert advice.probes["rows"].passes == 3
    assert advice[0].passes is not None


def test_probes_count_cpu_time_of_their_thread_alone(monkeypatch):
    """One second an epoch by that clock, whatever other clocks say."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: float(next(ticks)))
    P = problem(l2=1e-9)
    for candidate in field(P)[0]:
        if candidate.key in ("sdca@permutation", "rcd@permutation"):
            p = probing.probe(P, candidate, 1e-12, 5.0, 60.0, seed=0)
            assert (p.passes, p.seconds, p.pass_seconds) == (5.0, 5.0, 1.0)


def test_a_probe_that_cannot_win_any_more_stops(monkeypatch):
    """An epoch of each costs a second: once sdca needs k of them, others are given k, and the three they must have."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: float(next(ticks)))
    X, y = cdlab.datasets.make(n=60, d=4000, seed=0)
    advice = cdlab.advise(cdlab.Problem(X / 60, y, l2=1e-3), max_seconds=1000)
    needed = advice.probes["rows"].reached
    assert needed <= 6, "the problem is easy for sdca"
    assert advice.probes["matrix"].seconds == max(needed, probing.LEAST)
    assert advice.probes["columns"].seconds <= max(needed, probing.LEAST)


def test_the_time_of_l_bfgs_is_that_of_the_thread_in_which_scipy_runs(monkeypatch):
    """Whoever waits for another thread is charged what that one took."""
    times = iter([0.25, 1.0, 1.5])
    monkeypatch.setattr(lbfgs, "time", SimpleNamespace(thread_time=lambda: next(times)))
    items, spent = lbfgs.stepwise(lambda emit: [emit(k) for k in range(3)]), []
    monkeypatch.setattr(clocks.time, "thread_time", lambda: 0.0)
    for _ in range(3):
        before = clocks.cpu_seconds()
        next(items)
        spent.append(clocks.cpu_seconds() - before)
    items.close()
    assert spent == pytest.approx([0.25, 0.75, 0.5])


def test_a_probe_s_error_is_the_relative_gap(monkeypatch):
    P = problem()
    candidate = {c.key: c for c in field(P)[0]}["sdca@permutation"]
    p = probing.probe(P, candidate, 1e-12, 5.0, 60.0, seed=3)
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=5, seed=3)
    primal, dual = s.trace.column("primal").min(), s.trace.column("dual").max()
    assert p.error == pytest.approx((primal - dual) / (s.trace.records[0].primal - dual))


@pytest.fixture
def a_clock_that_counts_its_readings(monkeypatch):
    """Every epoch takes one second: who runs in the final does not depend on the machine."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: float(next(ticks)))


@pytest.mark.usefixtures("a_clock_that_counts_its_readings")
def test_who_is_expected_to_be_among_the_fastest_runs_and_is_ranked_by_its_own_run():
    P = problem(n=300, d=30, condition=1e2, l2=1e-4)
    advice = cdlab.advise(P, max_seconds=1000)
    choices, known = by_label(advice), {c.key: c for c in field(P)[0]}
    assert 0 < len(advice.finals) <= playoffs.FINALISTS
    assert not set(advice.finals) & {own.key for own in advice.probes.values()}, "one run of each is enough"
    for label, run in advice.finals.items():
        assert run.passes <= playoffs.MAX_PASSES + 3
        assert choices[label].runs == label, "other names for the same run do not run again"
        table = predictions.predicted(P, known[label], advice.eps, advice.probes)
        trust = playoffs.TRUST if run.reached is None else 1.0
        assert choices[label].passes == pytest.approx(run.passes_to(advice.eps) ** trust * table.passes ** (1 - trust))
        assert choices[label].seconds == pytest.approx(
            run.seconds_to(advice.eps) ** trust * table.seconds ** (1 - trust)
        )
        assert "its own run of" in choices[label].basis


@pytest.mark.usefixtures("a_clock_that_counts_its_readings")
def test_a_finalist_stops_when_it_has_taken_as_long_as_the_fastest_so_far_needs():
    advice = cdlab.advise(problem(n=300, d=30, condition=1e2, l2=1e-4), max_seconds=1000)
    assert advice.finals
    fastest = min(own.seconds_to(advice.eps) for own in advice.probes.values())
    longest = max(fastest, probing.LEAST) + 1  # an epoch is a second
    assert all(run.seconds < longest for run in advice.finals.values())


# ---------------------------------------------------------------- the play-off
@pytest.fixture
def a_clock_that_counts_microseconds(monkeypatch):
    """Every epoch takes a microsecond, so a whole run takes a moment."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: 1e-6 * next(ticks))


@pytest.mark.usefixtures("a_clock_that_counts_microseconds")
@pytest.mark.parametrize("l2", [1e-2, 1e-5])
def test_where_a_run_takes_a_moment_the_first_choice_has_run_to_the_end_and_none_that_ran_is_faster(l2):
    advice = cdlab.advise(problem(n=200, d=30, condition=1e2, l2=l2))
    to_the_end = {label: run.seconds_to(advice.eps) for label, run in advice.finals.items() if run.reached is not None}
    assert len(advice.finals) > 1
    assert advice[0].seconds == min(to_the_end.values()) == to_the_end[advice[0].runs]


@pytest.mark.usefixtures("a_clock_that_counts_microseconds")
def test_nobody_is_said_to_need_less_than_it_has_already_taken():
    advice = cdlab.advise(problem(n=200, d=30, condition=1e2, l2=1e-5))
    cut_off = {label: run for label, run in advice.finals.items() if run.reached is None}
    choices = by_label(advice)
    assert cut_off
    for label, run in cut_off.items():
        assert choices[label].seconds >= run.seconds
        assert choices[label].passes >= run.passes


def test_a_play_off_is_within_max_seconds():
    P = problem(n=200, d=30, condition=1e2, l2=1e-5)
    assert max(run.seconds for run in cdlab.advise(P, max_seconds=1e-9).finals.values()) < 0.1
    assert sum(run.seconds for run in cdlab.advise(P).finals.values()) < 2 * playoffs.MOMENT


@pytest.mark.parametrize("name", ["rcd", "sdca", "lbfgs"])
@pytest.mark.parametrize("known", ["nothing", "the optimum"])
def test_a_whole_run_is_judged_by_its_suboptimality(name, known):
    eps = 1e-6
    P = problem(n=200, d=30, condition=1e2, l2=1e-4)
    best = cdlab.solve(P, tol=1e-13, max_passes=10**5).trace.records[-1]
    candidate = next(c for c in field(P)[0] if c.key in (name, f"{name}@permutation"))
    run, highest = probing.whole(P, candidate, eps, best.dual if known == "the optimum" else -np.inf, 60.0, seed=1)
    assert best.primal - best.dual < 1e-12
    assert best.primal - 2 * probing.SURELY * eps <= highest <= best.primal
    records = cdlab.solve(P, name, tol=0, max_passes=run.passes, seed=1, sampling=candidate.sampling).trace.records
    errors = {r.passes: (r.primal - best.primal) / (records[0].primal - best.primal) for r in records}
    assert errors[run.reached] <= eps
    before = [error for passes, error in errors.items() if passes < 0.9 * run.reached]
    assert min(before) > (1 - 2 * probing.SURELY) * eps


def test_the_same_seed_gives_the_same_passes():
    P = problem()
    once, again = (cdlab.advise(P, by="passes", seed=5) for _ in range(2))
    assert not once.finals, "who runs in the final depends on the clock"
    assert [(c.label, c.passes, c.sharp) for c in once] == [(c.label, c.passes, c.sharp) for c in again]


def test_without_a_probe_there_are_passes_and_no_seconds():
    advice = cdlab.advise(problem(), probe=False)
    assert advice.by == "passes"
    assert not advice.probes
    assert all(choice.seconds is None for choice in advice)
    assert advice[0].passes is not None


# ---------------------------------------------------------------- problems at the edge
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_has_advice(loss):
    if loss == "softmax":
        X, y = cdlab.datasets.make(n=60, d=8, seed=0)[0], np.arange(60) % 3
        P = cdlab.Problem(X, y, loss=loss, l2=1e-2)
    else:
        P = problem(loss, task="regression" if loss in ("squared", "absolute", "huber") else "classification", l2=1e-2)
    advice = cdlab.advise(P, 1e-3)
    assert advice[0].passes > 0
    assert (
        cdlab.solve(P, advice[0].method, **advice[0].entry[1], tol=1e-2, max_passes=500).status == "tolerance reached"
    )


@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.0, 1e-2), (1e-2, 1e-2)])
def test_every_regulariser_has_advice(l2, l1):
    advice = cdlab.advise(problem("squared", task="regression", l2=l2, l1=l1), 1e-3)
    assert advice[0].passes > 0
    assert {r.method for r in advice.refused} >= ({"sdca", "quartz"} if l2 == 0 else {"rcd"})


def test_one_example_one_feature_and_no_nonzero():
    for X in ([[1.0]], [[2.0, 0.0, 1.0]], [[1.0], [2.0]]):
        P = cdlab.Problem(X, np.ones(len(X)), l2=0.1)
        assert len(cdlab.advise(P)) > 3
    advice = cdlab.advise(cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], l2=0.1))
    assert "X = 0" in advice.note
    assert not advice.probes


# ---------------------------------------------------------------- the answer
def test_an_answer_is_a_sequence_a_table_text_and_json():
    advice = cdlab.advise(problem())
    assert len(advice) == len(advice.table()) > 3
    assert list(advice.table()["label"]) == [c.label for c in advice]
    assert advice[:2] == (advice[0], advice[1])
    text = str(advice)
    assert all(c.label in text for c in advice[:3] if c.runs == c.label)
    assert "kaczmarz" in text
    found = json.loads(json.dumps(advice.to_dict(), allow_nan=False))
    assert found["choices"][0]["label"] == advice[0].label
    assert {r["method"] for r in found["refused"]} == {"kaczmarz", "acc_kaczmarz", "acc_cd"}


def test_a_choice_reads_well_and_advice_does_not_print_all_of_itself_unasked():
    advice = cdlab.advise(problem(), by="passes")
    choice = advice[0]
    assert str(choice).startswith(f"{choice.label}: about {choice.passes:.3g} passes and ")
    assert f"bound: {choice.worst:.3g} passes ({choice.bound})" in str(choice)
    assert repr(choice) == f"Choice({choice.label!r}, passes={choice.passes:.3g}, seconds={choice.seconds:.3g})"
    assert len(repr(advice)) < 150
    assert repr(choice.label) in repr(advice)
    silent = cdlab.advise(cdlab.Problem(np.ones((3, 2)), [1, -1, 1], loss="hinge", l2=0.0), probe=False)[-1]
    assert str(silent).splitlines()[0] == f"{silent.label}: {silent.basis}"
    assert repr(silent) == f"Choice({silent.label!r}, passes=None, seconds=None)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"eps": 0}, "eps must be a number between 0 and 1"),
        ({"eps": 1.5}, "eps must be"),
        ({"eps": "small"}, "eps must be"),
        ({"eps": math.nan}, "eps must be"),
        ({"by": "speed"}, "'seconds' or 'passes'"),
        ({"by": "seconds", "probe": False}, "seconds need a probe"),
        ({"max_seconds": 0}, "max_seconds must be"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        cdlab.advise(problem(), **arguments)


def test_only_a_problem_has_advice():
    with pytest.raises(TypeError, match=r"must be a cdlab\.Problem"):
        cdlab.advise(np.eye(3))


# ---------------------------------------------------------------- the table
def test_the_table_speaks_of_candidates_that_exist_and_its_numbers_make_sense():
    known = {c.key for c in field(problem())[0]} | {c.key for c in field(problem("squared", l2=0.0))[0]}
    for entry, row in calibration.table().items():
        assert entry.removesuffix(" nonsmooth").removesuffix(" no l2") in known
        assert row.powers
        assert row.worst == 0 or row.sharp == 0
        assert row.factor > 0
        assert row.spread >= 1
        assert row.reached <= row.problems
        assert min(row.dense, row.dense_logistic, row.sparse, row.sparse_logistic) > 0
        assert row.passes({"worst": 100.0, "sharp": 100.0, "probe": 100.0}) >= 1
        assert row.passes(dict.fromkeys(calibration.DRIVERS)) is None
        assert row.without_probe().passes({"worst": 100.0, "sharp": None, "probe": math.inf}) >= 1


def test_accelerated_sdca_that_does_not_accelerate_is_sdca():
    P = problem(l2=10.0)
    choices = by_label(cdlab.advise(P))
    assert choices["accprox_sdca@uniform"].passes == choices["sdca@uniform"].passes
    assert "here it is sdca@uniform" in choices["accprox_sdca@uniform"].basis


def test_equal_norms_make_every_such_sampling_uniform():
    X = np.eye(8)[np.arange(40) % 8]
    choices = by_label(cdlab.advise(cdlab.Problem(X, np.tile([1, -1], 20), l2=0.01), probe=False))
    for name in ("importance", "norms", "lipschitz"):
        choice = choices[f"sdca@{name}"]
        assert choice.runs == "sdca@uniform"
        assert choice.passes == choices["sdca@uniform"].passes


@pytest.mark.parametrize("row_spread", [0.0, 0.02, 0.05])
def test_samplings_whose_probabilities_nearly_coincide_have_one_prediction(row_spread):
    """Half of sum |p_i - 1/m| of the draws come out otherwise than uniform ones: here at most one in twenty."""
    P = problem(n=100, d=2000, l2=1e-2, row_spread=row_spread)
    known = {c.key: c for c in field(P)[0]}
    choices = by_label(cdlab.advise(P, probe=True))
    for method in ("sdca", "quartz"):
        for name in ("importance", "norms", "lipschitz"):
            p = known[f"{method}@{name}"].sampling.probabilities(P.coordinates("dual"))
            assert abs(p - 1 / P.n).sum() / 2 <= 0.05, "the problem is what the test says"
            choice, uniform = choices[f"{method}@{name}"], choices[f"{method}@uniform"]
            assert choice.runs == uniform.label
            assert (choice.passes, choice.seconds) == (uniform.passes, uniform.seconds)


@pytest.mark.parametrize("eps", [1e-3, 1e-6])
def test_draws_with_replacement_take_passes_until_nearly_all_coordinates_were_drawn(eps):
    """After k passes a share e^-k was not: however easy the problem, such a method is not done at once."""
    X, y = cdlab.datasets.make(n=60, d=4000, seed=0)
    advice = cdlab.advise(cdlab.Problem(X / 60, y, l2=1e-1), eps, probe=False)
    for label, choice in by_label(advice).items():
        if label in ("sdca@uniform", "sdca@norms", "quartz@importance"):
            assert choice.passes >= predictions.NEVER_DRAWN * math.log(1 / eps)


def test_one_long_row_among_many_makes_importance_another_sampling():
    """Little changes in the draws, and everything in the bound, which is about the longest row."""
    X, y = cdlab.datasets.make(n=2000, d=50, seed=0)
    X[0] *= 30
    P = cdlab.Problem(X / 7, y, l2=1e-2)
    choices = by_label(cdlab.advise(P, probe=False))
    assert choices["sdca@importance"].runs == "sdca@importance"
    assert choices["sdca@importance"].worst < choices["sdca@uniform"].worst / 10


def test_kaczmarz_is_ranked_only_where_the_system_has_a_solution():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    noisy, solvable = (
        by_label(cdlab.advise(cdlab.Problem(X, y, loss="squared", l2=0.0), probe=False))["kaczmarz@uniform"]
        for y in (rng.normal(size=60), X @ np.ones(5))
    )
    assert (noisy.passes, noisy.worst) == (None, None)
    assert "P_zero" in noisy.outside
    assert solvable.worst == pytest.approx(cdlab.theory.bound("kaczmarz").for_problem(_system(X), 1e-6))


def _system(X):
    return cdlab.Problem(X, X @ np.ones(X.shape[1]), loss="squared", l2=0.0)
