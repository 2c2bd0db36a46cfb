"""Every theorem on the axis of races: means of runs stay below it, and what is measured for it bounds P*."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each_of
from forms import is_pushed
from problems import problem

import cdlab
from benchmarks import axis
from cdlab import theory
from cdlab.methods import METHODS, resolve
from cdlab.runs.trace import Trace
from cdlab.theory import constants
from cdlab.theory.derivations import gaps

SHOWN = [
    *("spdc", "asdca", "saga", "sag", "svrg", "sdna", "sdca", "rcd", "quartz", "apcg", "acc_rcd", "gd"),
    *("agd", "fista", "accprox_sdca", "appa", "dual_appa"),
]


def below(case, entry, draws, passes):
    """All that means of runs exceed, by more than chance."""
    race = axis.measured(case, entry, draws, passes)
    if race is None:
        return []
    found = [each for bounded in axis.VIEWS for each in axis.compared(case, entry, race, bounded)]
    return [f"{each.bound}: {each.ratio}" for each in found if each.ratio - 3 * each.deviation > 1 + 1e-9]


ENTRIES = list(axis.entries())


PUSHED = [case for case in axis.CASES if is_pushed(case.loss, case.l1, case.density < 1)][:2]


@pytest.mark.parametrize("case", PUSHED, ids=str)
def test_means_of_runs_stay_below_every_bound(case):
    shown = [entry for entry in ENTRIES if entry.sampling == "uniform" and theory_speaks(entry)]
    assert not [words for entry in shown for words in below(case, entry, 8, 12)]


@pytest.mark.full
@pytest.mark.parametrize("case", axis.CASES, ids=str)
def test_means_of_many_runs_stay_below_every_bound(case):
    assert not [words for entry in ENTRIES for words in below(case, entry, axis.DRAWS, axis.PASSES)]


def theory_speaks(entry):
    return bool(axis.bounds_on(entry, "P-D"))


def test_every_method_of_the_papers_has_a_bound_on_the_gap():
    P = problem("logistic", l2=0.1)
    for name in SHOWN:
        curve = theory.sharpest(name, "uniform").curve(P, np.linspace(0, 1e6, 50))
        assert curve.bounded == "P-D"
        assert curve[-1] < 1e-3 * curve[0], name


def test_where_no_curve_is_drawn_a_sentence_says_why():
    for case in axis.CASES[2:4]:
        for entry in ENTRIES:
            method, sampling = entry
            if method.refusal(case.P, cdlab.samplings.resolve(sampling)) is None:
                words = axis.why_none(case, entry)
                assert not words or words.endswith(".")


# ------------------------------------------------------------ the chains, point by point
@each_of("loss, l1", [("logistic", 0.03), ("squared", 0.1), ("smooth_hinge", 0.03), ("squared", 0.0)])
def test_with_l1_a_distance_bounds_the_gap_one_step_further_on(loss, l1):
    rng = np.random.default_rng(0)
    for _ in range(5):
        P = problem(loss, l2=10 ** rng.uniform(-2, 0), l1=l1, n=12, d=6)
        best, L_P = axis_optimum(P), float(constants.keywords_on(P, {}, {"L_P"})["L_P"])
        values = {theory.SYMBOLS["L_P"]: L_P, theory.SYMBOLS["l2"]: P.l2}
        on = float(gaps.of_distance_with_l1().subs(values))
        for _ in range(20):
            w = best + 10 ** rng.uniform(-3, 1) * rng.standard_normal(P.d)
            alpha, distance = P.alpha(w), float(((w - best) ** 2).sum())
            assert P.primal(P.w(alpha)) - P.dual(alpha) <= on * distance * (1 + 1e-6) + 1e-13


def test_with_l1_a_distance_does_not_bound_the_gap_of_w_itself():
    P = cdlab.Problem([[1.0]], [0.0], loss="squared", l2=1.0, l1=1.0)  # w* = 0, and P(w) = w^2 + |w|
    w = np.array([1e-3])
    assert P.primal(w) - P.dual(P.alpha(w)) > 100 * 2**2 / 2 * float(w @ w)  # L = 2
    assert theory.bound("saga").on_gap().fallback is not None
    with pytest.raises(ValueError, match="l1 = 0"):
        replace(theory.bound("saga").on_gap(), fallback=None).curve(P, [1.0])


def axis_optimum(P):
    return cdlab.solve(P, "sdca", sampling="permutation", tol=1e-14, max_passes=20_000).w


@each_of("loss, l1", [("hinge", 0.0), ("hinge", 0.05), ("absolute", 0.0), ("logistic", 0.0)])
def test_a_small_dual_error_is_a_small_gap_whatever_the_loss(loss, l1):
    rng = np.random.default_rng(1)
    for _ in range(4):
        P = problem(loss, l2=10 ** rng.uniform(-2, 0), l1=l1, n=12, d=6)
        known = constants.keywords_on(P, {}, {"bend"})
        error = theory.SYMBOLS["eps"]
        f = gaps.of_dual_error(error)
        values = {s: float(known[s.name]) for s in f.free_symbols - {error}}
        best = cdlab.reference(P, tol=1e-12).dual
        center = cdlab.solve(P, "sdca", tol=1e-6).alpha
        for _ in range(20):
            other = P.alpha(rng.standard_normal(P.d))
            alpha = center + 10 ** rng.uniform(-4, 0) * (other - center)
            promised = float(f.subs(values | {error: cdlab.reference(P, tol=1e-12).primal - P.dual(alpha)}))
            assert P.primal(P.w(alpha)) - P.dual(alpha) <= promised * (1 + 1e-6) + 1e-9
            assert best - P.dual(alpha) >= -1e-9


def test_the_inverse_says_which_dual_error_is_enough():
    at, eps = {theory.SYMBOLS["bend"]: 8.0}, theory.SYMBOLS["eps"]
    for gap in (0.01, 3.0, 8.0, 9.5, 40.0):
        u = gaps.dual_error_for_gap().subs(at | {eps: gap})
        assert float(gaps.of_dual_error(u).subs(at)) == pytest.approx(gap)


def test_how_far_D_bends_by_hand():
    X = np.array([[3.0, 4.0], [0.0, 1.0]])
    for loss, width in (("hinge", 1), ("logistic", 1), ("absolute", 2), ("smooth_hinge", 1)):
        P = cdlab.Problem(X, [1.0, -1.0], loss=loss, l2=0.5)
        rows = min(3.0**2, np.linalg.norm(X, 2) ** 2 / 2)  # norms 5 and 1
        found = constants.keywords_on(P, {}, {"bend"})["bend"]
        assert width**2 * rows / 0.5 <= found * (1 + 1e-9) <= width**2 * 9 / 0.5 * (1 + 1e-9)
    weighed = cdlab.Problem(X, [1.0, -1.0], loss="hinge", l2=0.5, sample_weight=[1.0, 3.0])
    assert constants.keywords_on(weighed, {}, {"bend"})["bend"] > found


# ------------------------------------------------------------ what races measure for it
@each_of(
    "method, options",
    [("spdc", {}), ("spdc", {"l1": 0.03}), ("saga", {"l1": 0.03}), ("svrg", {"l1": 0.03}), ("appa", {})],
)
def test_bounds_of_P_star_bound_it_and_nothing_else_of_the_run_changes(method, options):
    P = problem("logistic", l2=0.05, **options)
    race = cdlab.race(P, [method], max_passes=15, tol=0)
    plain = cdlab.solve(P, method, max_passes=15, tol=0, every=1).trace
    best = cdlab.reference(P, tol=1e-13)
    (trace,) = race.traces
    for name in ("iteration", "passes", "primal", "dual", "gap", "rounding"):
        np.testing.assert_array_equal(trace.column(name), plain.column(name))
    assert not {"lower", "upper"} & set(plain.names)
    assert (np.fmax(trace.column("lower"), -np.inf) <= best.primal + 1e-13).all()
    assert not (trace.column("upper") < best.dual - 1e-13).any()
    assert (trace.column("best_gap") <= plain.column("best_gap")).all()
    again = Trace.from_plain(trace.to_plain())
    np.testing.assert_array_equal(again.column("best_gap"), trace.column("best_gap"))


def test_without_a_theorem_on_a_gap_nothing_more_is_measured():
    for options in ({"loss": "hinge", "l2": 0.1}, {"loss": "logistic", "l2": 0.0, "l1": 0.05}):
        P = problem(options.pop("loss"), **options)
        (trace,) = cdlab.race(P, ["spdc"], max_passes=3).traces
        assert not {"lower", "upper"} & set(trace.names)


def test_what_is_known_of_spdc_s_w_is_more_than_its_own_dual_point_tells():
    P = problem("squared", l2=0.3, n=30, d=5)
    (trace,) = cdlab.race(P, ["spdc"], max_passes=10, tol=0).traces
    assert (trace.column("lower") >= trace.column("dual") - trace.column("rounding")).all()
    assert (trace.column("lower") > trace.column("dual") + 1e-6).any()


# ------------------------------------------------------------ users' methods, and others without alpha(w)
def test_a_theorem_on_one_side_says_nothing_of_a_pair_that_is_not_measured():
    assert [b.theorem for b in theory.sharpest("asdca").bounds] == ["sum"]
    assert not {"smooth"} & {b.theorem for b in theory.sharpest("asdca", bounded="D*-D").bounds}


def test_a_bound_that_is_not_proven_says_so():
    P = problem("logistic", l2=0.1)
    assert [name for name, _ in theory.sharpest("sag").curve(P, [10.0]).parts] == [
        "l2 in the table, checked, not proven"
    ]


def test_suboptimality_of_either_side_is_at_most_what_is_promised_of_the_gap():
    P, passes = problem("logistic", l2=0.1), np.linspace(0, 200, 30)
    for name in METHODS:
        if resolve(name).refusal(P, cdlab.samplings.Uniform()) is not None:
            continue
        try:
            gap = theory.sharpest(name).curve(P, passes)
        except ValueError:
            continue
        for side in ("P(w)-P*", "D*-D"):
            assert (theory.sharpest(name, bounded=side).curve(P, passes).values <= gap.values * (1 + 1e-9)).all()


def test_without_l2_theorems_on_the_primal_side_stand_as_they_are():
    P = problem("squared", l2=0.0)
    assert theory.sharpest("agd", bounded="P(w)-P*").curve(P, [0.0, 500.0])[1] > 0
    with pytest.raises(ValueError, match="l2"):
        theory.sharpest("agd").curve(P, [0.0])
