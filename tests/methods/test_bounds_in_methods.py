"""Methods on features with bounds or weights of their own: each keeps to them, or refuses in one sentence."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given, settings
from hypothesis import strategies as st
from variants import OTHER

import cdlab
from cdlab import methods
from cdlab.methods import METHODS

REFUSE = {"greedy", "primal_sdna", "sgd", "rda", "sag", "kaczmarz", "acc_kaczmarz", "acc_cd", "ssnal"}
RNG = np.random.default_rng(0)
X, NOISE = RNG.standard_normal((30, 5)), RNG.standard_normal(30)
Y = X @ [1, -1, 0.5, 0, 0] + 0.3 * NOISE
LABELS = np.where(Y > 0, 1.0, -1.0)
INF = np.inf
LIMITS = [
    {"lower": 0},
    {"lower": -0.1, "upper": 0.2},
    {"penalty_factor": [0.5, 1, 2, 1, 3]},
    {"lower": [0, -0.3, -INF, 0, -1], "upper": [0.2, 0, INF, 0, 0.1], "penalty_factor": [0.5, 1, 2, 1, 3]},
]


def problem(loss="squared", l2=0.1, l1=0.0, **limits):
    return cdlab.Problem(X, LABELS if loss in ("logistic", "hinge") else Y, loss, l2, l1, **limits)


def instances():
    """Each method with its defaults, and with another value of each of its parameters."""
    for name in METHODS:
        yield name, {}
        yield from ((name, options) for options in OTHER.get(name, {}).values())
    yield "auto", {}


def keeps_to(P, w):
    box = P.of_features
    return bool((w >= box.lower[: w.size]).all() and (w <= box.upper[: w.size]).all())


def test_those_that_refuse_are_known_and_do_so_in_one_sentence():
    for name in REFUSE:
        P = problem(l2=0, **LIMITS[0]) if "kaczmarz" in name or name == "acc_cd" else problem(**LIMITS[0])
        with pytest.raises(ValueError, match="does not handle bounds or penalty factors of features: use "):
            cdlab.iterate(P, name)


@each_of("limits", LIMITS, pushed=LIMITS[3:])
def test_all_that_take_them_find_the_same_optimum_and_certify_it(limits):
    P = problem(l1=0.02, **limits)
    best = cdlab.solve(P, "newton_cd", tol=1e-13)
    least = P.primal(best.w) - best.gap
    for name in ["auto", *(name for name in METHODS if name not in REFUSE)]:
        s = cdlab.solve(P, name, tol=1e-7, max_passes=5000)
        assert s.relative_gap <= 1e-7, name
        assert least <= P.primal(s.w) <= P.primal(best.w) + s.gap, name
        assert keeps_to(P, s.w), name


@pytest.mark.full
@each_of("limits", LIMITS)
def test_no_method_leaves_the_box_with_any_parameter(limits):
    for loss, l2, l1 in (("squared", 0.1, 0.02), ("logistic", 0.1, 0.0), ("squared", 0.0, 0.05), ("hinge", 0.1, 0.0)):
        P = problem(loss, l2, l1, **limits)
        for name, options in instances():
            check_run(P, name, options)


def check_run(P, name, options, passes=4):
    """A point of each measurement in the box, and no lower bound above P*; or a refusal."""
    seen = []

    def watch(record):
        seen.append(record)
        return len(seen) > passes

    try:
        s = cdlab.solve(P, name, seed=0, every=1, tol=0.0, stop=watch, **options)
    except ValueError as refusal:
        told = str(refusal)
    else:
        told = ""
    assert "\n" not in told
    if told:
        return
    assert keeps_to(P, s.w), (name, options, P)
    for record in seen:
        assert np.isfinite(record.primal), (name, options, P)  # so its point is in the box
        assert not record.dual > BEST[P].primal + record.rounding + 1e-12, (name, options, P)


class Optima(dict):
    def __missing__(self, P):
        method = "newton_cd" if P.loss.gamma > 0 else "sdca"
        self[P] = cdlab.solve(P, method, tol=1e-9, max_passes=10**4).record
        return self[P]


BEST = Optima()
PROBLEMS = [
    problem("squared", 0.1, 0.02, **LIMITS[3]), problem("logistic", 0.1, 0.0, **LIMITS[1]),
    problem("squared", 0.0, 0.05, **LIMITS[0]), problem("hinge", 0.1, 0.0, **LIMITS[3]),
]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    which=st.integers(0, len(PROBLEMS) - 1),
    case=st.sampled_from(list(instances())),
)
def test_no_point_leaves_the_box(which, case):
    check_run(PROBLEMS[which], *case)


@each_of("name", ["sdca", "rcd", "gd", "agd", "fista", "lbfgs", "newton_cd", "auto"])
def test_the_intercept_has_no_bounds(name):
    moved = cdlab.Problem(X, Y + 7, "squared", 0.1, 0.02, intercept=True, **LIMITS[3])
    s = cdlab.solve(moved, name, tol=1e-9, max_passes=5000)
    assert s.relative_gap <= 1e-9
    assert s.intercept > 5
    assert keeps_to(moved, s.w)


def test_wrappers_keep_to_them_or_refuse():
    P = problem(l1=0.05, **LIMITS[3])
    best = cdlab.solve(P, "newton_cd", tol=1e-12)
    for name, options in (
        ("sdca", {"anderson": 3, "sampling": "cyclic"}), ("sdca", {"average": "half"}),
        ("rcd", {"screening": "gap_safe"}), ("rcd", {"screening": "shrink"}), ("rcd", {"dual": "extrapolated"}),
        ("rcd", {"anderson": 3, "sampling": "cyclic"}),
    ):  # fmt: skip
        s = cdlab.solve(P, name, tol=1e-5, max_passes=5000, **options)
        assert keeps_to(P, s.w)
        assert P.primal(s.w) <= P.primal(best.w) + s.gap
        assert s.gap <= 1e-5
    for options in ({"working_set": True, "sampling": "cyclic"},):
        with pytest.raises(ValueError, match="working_set is for problems without bounds or penalty factors"):
            cdlab.solve(P, "rcd", **options)
    with pytest.raises(ValueError, match="added_l2 is for problems without bounds"):
        cdlab.solve(problem(l2=0, l1=0.05, lower=0), "sdca", added_l2="auto")


def test_dual_methods_need_a_factor_above_0():
    P = problem(l1=0.05, penalty_factor=[0, 1, 1, 1, 1], lower=-1, upper=1)
    with pytest.raises(ValueError, match="sdca needs l2 > 0 and this problem has penalty factors that are 0"):
        cdlab.solve(P, "sdca")
    s = cdlab.solve(P, tol=1e-9)
    assert s.relative_gap <= 1e-9  # of a box on both sides there is a certificate


@each_of("loss", ["logistic", "squared_hinge", "squared"], pushed=["logistic"])
@each_of("intercept", [False, True], pushed=[True])
def test_auto_solves_a_finite_box_without_weights_to_the_last_digits(loss, intercept):
    X, y = cdlab.datasets.make(n=200, d=20, density=0.5, seed=0)
    P = cdlab.Problem(
        X, X[:, 0] - y if loss == "squared" else y, loss, 0, 0, lower=-0.5, upper=0.5, intercept=intercept
    )
    s = cdlab.solve(P, tol=1e-12)
    assert str(s.status) == "tolerance reached"
    point = np.append(s.w, s.intercept) if intercept else s.w
    slope = P.of_features.smallest_subgradient(point, P.gradient(point))
    assert np.abs(slope).max() <= 1e-6


def test_an_unpenalised_feature_ends_at_a_small_gradient():
    P = problem(l1=0.05, penalty_factor=[0, 1, 1, 1, 1])
    assert not P.is_certified
    s = cdlab.solve(P, tol=1e-8)
    assert (str(s.status), s.gap) == ("gradient small", INF)
    slope = P.of_features.smallest_subgradient(s.w, P.gradient(s.w))
    assert np.abs(slope).max() <= 1e-7


def test_newton_takes_them_by_columns_and_by_the_gram_matrix_alone():
    P = problem(**LIMITS[3])
    for inner in ("gram", "columns", "auto"):
        assert cdlab.solve(P, methods.NewtonCD(inner=inner), tol=1e-12).relative_gap <= 1e-12
    with pytest.raises(ValueError, match='inner="dual" does not handle bounds or penalty factors'):
        cdlab.solve(P, methods.NewtonCD(inner="dual"))


def test_a_start_outside_of_the_box_is_refused():
    with pytest.raises(ValueError, match="the start's w lies outside of the bounds of the features"):
        cdlab.solve(problem(lower=0), start=(-np.ones(5), None))
