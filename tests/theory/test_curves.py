"""What a theorem guarantees along a run, and on problems with nothing to do."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from formulas import naming

from cdlab import theory
from cdlab.theory import registry
from cdlab.theory.theorem import COUNTS
from cdlab.theory.theorems.faceoff import SERIAL

FACE_OFF = [b for b in registry.all_theorems() if b.method in ("sdca", "quartz", "rcd") and b.guarantee is not None]


# ------------------------------------------------------------ curves
@pytest.mark.parametrize("method", ["sdca", "quartz", "rcd"])
def test_curves_reach_eps_where_the_count_says(golden, sampling_of, method):
    for theorem in FACE_OFF:
        if theorem.method == method:
            with naming(theorem):
                reaches_eps_where_the_count_says(theorem, golden, sampling_of)


def reaches_eps_where_the_count_says(theorem, golden, sampling_of):
    lipschitz = theorem.theorem.startswith("lipschitz") or theorem.theorem == "last point"
    loss = "hinge" if lipschitz else "logistic"
    P = golden(loss)
    b = theory.bound(theorem.method, "passes", sampling_of(theorem, 4 + (theorem.side == "dual")), theorem.theorem)
    eps, gap0 = 1e-3, P.constants()["gap0"]
    known = {"spectral": {"M": 0.0}, "worst case": {"M": 0.0}, "last point": {"bend": 0.2}}.get(theorem.theorem, {})
    passes = b.for_problem(P, eps, P0=gap0, **known)
    curve = b.curve(P, np.array([0.0, 0.5 * passes, passes, 2 * passes]), **known)
    assert len(curve) == 4
    assert curve.bounded == b.bounded
    assert (np.diff(curve) < 0).all()
    absolute = eps * gap0 * (2 / P.l2 if b.bounded == "|w-w*|^2" else 1)
    assert curve[2] <= absolute * (1 + 1e-12)
    if b.exact is not None:
        # the sharper count is the one that meets eps with equality
        reached = b.sharper().for_problem(P, eps, P0=gap0, **known)
        assert b.curve(P, [reached], **known)[0] == pytest.approx(absolute, rel=1e-9)
    if b.theorem == "lipschitz dual":
        assert curve[2] == pytest.approx(absolute, rel=1e-9)


def test_curve_starts_at_the_constant_of_the_theorem(golden):
    P = golden()
    gap0 = P.constants()["gap0"]
    for method, theorem, start in (
        ("rcd", None, gap0),
        ("quartz", "averaged", gap0),
        ("quartz", "plain", 25.75 * gap0),
        ("sdca", None, 25.75 * gap0),
    ):
        curve = theory.bound(method, "passes", "importance", theorem).curve(P, [0.0, 1.0])
        assert curve[0] == pytest.approx(start)
    assert theory.bound("rcd").curve(P, [0.0], P0=0.1)[0] == pytest.approx(0.1)


def test_parts_of_a_curve_keep_its_word_and_results_of_arithmetic_do_not(golden):
    curve = theory.bound("sdca").curve(golden(), np.arange(5.0))
    assert curve[1:].bounded == curve.bounded == "P-D"
    assert type(2 * curve) is type(curve > 1) is type(curve - np.ones(5)) is np.ndarray
    assert isinstance(curve[0], float)


def test_where_an_array_is_wanted_the_values_of_a_curve_stand_for_it(golden):
    passes = np.arange(5.0)
    curve = theory.bound("sdca").curve(golden(), passes)
    np.testing.assert_array_equal(curve.passes, passes)
    for copy in (np.asarray(curve), np.array(list(curve)), pd.Series(curve).to_numpy(), curve + 0.0, 0.0 + curve):
        np.testing.assert_array_equal(copy, curve.values)
    np.testing.assert_array_equal(np.diff(np.log(curve)), np.diff(np.log(curve.values)))
    assert (curve.values / 2 <= curve).all()
    assert not (curve < curve.values).any()
    assert np.asarray(curve, dtype=np.float32).dtype == np.float32
    assert float(theory.bound("sdca").curve(golden(), 3.0)) == pytest.approx(curve[3])


def test_what_is_done_to_a_copy_of_a_curve_does_not_change_it(golden):
    curve = theory.bound("sdca").curve(golden(), [0.0, 1.0])
    np.array(curve)[:] = 0.0
    assert (curve > 0).all()


def test_what_a_curve_bounds():
    bounded = {(b.method, b.theorem): b.bounded for b in FACE_OFF}
    assert (
        bounded.items()
        >= {
            ("sdca", "smooth"): "P-D",
            ("sdca", "lipschitz"): "D*-D",
            ("sdca", "lipschitz dual"): "D*-D",
            ("quartz", "plain"): "P-D",
            ("quartz", "averaged"): "P-D",
            ("rcd", "smooth"): "P(w)-P*",
        }.items()
    )


# ------------------------------------------------------------ degenerate problems
def test_a_start_that_is_optimal_needs_nothing(golden):
    P = golden()
    smooth = {("sdca", "smooth"), ("quartz", "plain"), ("rcd", "smooth")}
    found = [b for b in registry.all_theorems() if (b.method, b.theorem) in smooth and b.sampling in SERIAL[:-1]]
    assert {(b.method, b.theorem) for b in found} == smooth
    for b, quantity in product(found, COUNTS):
        assert b.per(quantity).for_problem(P, gap0=0.0, P0=0.0, D0=0.0) == 0.0


def test_zero_data_are_solved_in_ln_passes_of_n_iterations(plain):
    P = plain(np.zeros((3, 2)))
    start = {"P0": P.constants()["gap0"]}
    assert theory.bound("sdca").for_problem(P) == np.inf, "w = 0 is optimal, and no gap is a share of nothing"
    for sampling in ("uniform", "importance", "norms", "lipschitz"):
        assert theory.bound("sdca", "passes", sampling).for_problem(P, eps=1e-2, **start) == pytest.approx(np.log(300))
        assert theory.bound("sdca", "arithmetic", sampling).for_problem(P, **start) == 0
        rcd = theory.bound("rcd", "passes", sampling)
        assert rcd.for_problem(P, eps=1e-2, **start) == pytest.approx(2 / 3 * np.log(100))
        curve = theory.bound("quartz", "passes", sampling).curve(P, [0.0, 1.0])
        assert curve == pytest.approx(1.5 * (2 / 3) ** np.array([0, 3]))


def test_single_example_and_feature(plain):
    P = plain([[2.0]])
    assert theory.bound("sdca", "K").for_problem(P) == pytest.approx(1 + 4 / 0.2)
    # n = 1: the early phase of the Lipschitz theorem ends after one step
    curve = theory.bound("sdca", theorem="lipschitz").curve(plain([[0.01]], "hinge"), [0.0, 1.0, 2.0, 3.0, 4.0, 9.0])
    assert np.isfinite(curve).all()
    assert curve[0] == 1.0
