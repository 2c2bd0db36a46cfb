"""What a derivative costs either side, who wins, and how the verdict says it."""

import numpy as np
import pytest
from cases import each_of
from faceoff_matrices import problem

import cdlab
from cdlab.faceoffs import RELIABLE_FACTOR, TIE_FACTOR, winner


# ---------------------------------------------------------------- what a derivative costs
def test_the_cost_model():
    X = np.ones((2, 3))
    f = cdlab.faceoff(problem(X, "logistic", l2=0.5), derivative_cost=7)
    # nnz 6, F 6, C_P 12, C_D 18, beta/(l2 n) = 1/4: T_P = 9, T_D = 10.5, K_D = 3.5
    np.testing.assert_allclose([f.T_P, f.T_D, f.K_D], [9, 10.5, 3.5])
    assert f.cost_P() == pytest.approx(8 * 9)
    assert f.cost_D() == pytest.approx(10.5 + 7 * 3.5)
    assert f.cost_P(0) == f.T_P
    assert f.cost_D(0) == f.T_D
    assert f.break_even == pytest.approx(1.5 / 5.5)
    assert f.cost_P(f.break_even) == pytest.approx(f.cost_D(f.break_even))
    assert f.cost_P(0.9 * f.break_even) < f.cost_D(0.9 * f.break_even)
    assert f.cost_P(1.1 * f.break_even) > f.cost_D(1.1 * f.break_even)
    assert (f.derivative_cost, f.derivative_cost_source) == (7.0, "given")


def test_break_even_is_none_where_derivatives_cost_both_sides_alike():
    assert cdlab.faceoff(problem(np.eye(4)[:, :3])).break_even is None  # T_P < K_D: a zero row still costs a derivative
    rng = np.random.default_rng(0)
    for _ in range(50):  # one nonzero a line: T_P = K_D up to rounding
        assert cdlab.faceoff(problem(np.diag(rng.standard_normal(7)), l2=rng.random())).break_even is None


def test_assumed_costs():
    X = np.eye(3)
    assert cdlab.faceoff(problem(X, "logistic")).derivative_cost == 50
    assert "Csiba & Richtarik" in cdlab.faceoff(problem(X, "logistic")).derivative_cost_source
    for loss in ("squared", "squared_hinge", "huber", "smooth_hinge"):
        f = cdlab.faceoff(problem(X, loss))
        assert (f.derivative_cost, f.derivative_cost_source) == (0, "assumed")


@pytest.mark.parametrize(
    "cost",
    [
        -1,
        np.inf,
        np.nan,
        "dear",
        True,
        np.True_,
        pytest.param(10**400, id="beyond float64"),
        np.complex128(1),
        [1.0],
        np.longdouble("1e400"),
    ],
)
def test_impossible_costs_are_refused(cost):
    with pytest.raises(ValueError, match="derivative_cost must be a number >= 0 or 'measured'"):
        cdlab.faceoff(problem(np.eye(3)), derivative_cost=cost)
    f = cdlab.faceoff(problem(np.eye(3)))
    for work in (f.cost_P, f.cost_D):
        with pytest.raises(ValueError, match="derivative_cost must be a number >= 0, not"):
            work(cost)


# ---------------------------------------------------------------- words
@each_of(
    "n, d, side, words",
    [
        (2, 20, "primal", "favour the primal by a factor of 7"),
        (20, 2, "dual", "favour the dual by a factor of 7"),
        (9, 11, None, "call it a tie (T_P/T_D = 0.833)"),
        (4, 10, "primal", "within a factor of 4 do not settle a race"),
    ],
)
def test_the_winner_is_a_side_and_the_verdict_says_how_sure(n, d, side, words):
    f = cdlab.faceoff(problem(np.ones((n, d)), "squared", l2=1 / n))  # ratio (1 + n)/(1 + d)
    factor = max(f.ratio, 1 / f.ratio)
    assert f.winner == side
    assert words in f.verdict
    assert (f.winner is None) == (factor < TIE_FACTOR)
    assert ("do not settle" in f.verdict) == (TIE_FACTOR <= factor < RELIABLE_FACTOR)


def test_ratios_name_a_winner_from_the_smallest_factor_on():
    assert [winner(ratio) for ratio in (1.25, 1.24, 1.0, 0.81, 0.8, 0.0, np.inf)] == [
        "dual", None, None, None, "primal", "primal", "dual",
    ]  # fmt: skip
    assert winner(None) is None
    assert winner(np.nan) is None


@pytest.mark.parametrize(("n", "said"), [(90, True), (20, False)])
def test_many_examples_a_feature_weaken_the_verdict(n, said):
    """The bounds know l2 only; with n >> d the data make P far more strongly convex, and the primal faster."""
    f = cdlab.faceoff(problem(np.ones((n, 3)), l2=1 / n))
    assert f.winner == "dual"
    assert ("times as many examples as features" in f.verdict) == said
    assert ("times as many examples as features" in " ".join(str(f).split())) == said


def test_empty_features_do_not_hide_that_there_are_many_examples():
    X = np.hstack([np.ones((90, 3)), np.zeros((90, 1000))])
    assert "30 times as many examples as features" in " ".join(str(cdlab.faceoff(problem(X, l2=1 / 90))).split())


def test_a_verdict_against_the_dual_says_that_it_is_not_about_exact_steps():
    f = cdlab.faceoff(problem(np.ones((2, 20)), "squared", l2=0.5))
    assert "This is about rcd and quartz" in f.verdict
    assert "sdca takes the exact step" in f.verdict
    assert "sdca takes the exact step" not in cdlab.faceoff(problem(np.ones((20, 2)), "squared", l2=0.05)).verdict


def test_samplings_that_disagree_are_both_told():
    """One heavy feature: importance sampling rarely pays for it, uniform sampling waits for it."""
    X = np.vstack([np.eye(30), np.ones((30, 30))])
    X[:, 0] *= 30
    f = cdlab.faceoff(problem(X, l2=1.0))
    assert winner(f.ratio) != winner(f.uniform.ratio)
    assert "With uniform sampling the bounds favour the" in f.verdict


def test_the_verdict_tells_what_derivatives_change():
    f = cdlab.faceoff(problem(np.ones((4, 40)), "logistic", l2=1 / 16))  # beta/(l2 n) = 1
    assert f.winner == "primal"
    assert "the bounds favour the primal by a factor of 8.2" in f.verdict  # (1 + 40)/(1 + 4)
    assert f.cost_P() > f.cost_D()
    assert "Counting a loss derivative as 50 visited nonzeros (assumed" in f.verdict
    assert "favour the dual by a factor of" in f.verdict


def test_it_prints_its_numbers_and_its_verdict():
    X = np.hstack([np.random.default_rng(0).standard_normal((6, 4)), np.zeros((6, 5))])
    f = cdlab.faceoff(problem(X))
    text = str(f)
    assert text.startswith("6 examples, 9 features, 24 nonzeros; 6 examples and 4 features are not empty")
    for value in (f.C_P, f.C_D, f.F, f.theorem3.ratio, f.K_P, f.uniform.T_D, f.ratio, f.ratio_acc, f.ratio_table):
        assert f"{value:.4g}" in text
    assert " ".join(text.split()).endswith(" ".join(f.verdict.split()))
    assert repr(f) == f"FaceOff(n=6, d=9, nnz=24, T_P/T_D={f.ratio:.3g}, recommended={f.recommended!r})"


@each_of("f", [[[3.0]], np.zeros((2, 3)), problem(np.zeros((2, 3))), problem(np.eye(3), "hinge")])
def test_it_prints_without_a_verdict_too(f):
    f = cdlab.faceoff(f)
    assert " ".join(str(f).split()).endswith(f"There is no verdict: {f.reason}.")
    assert "T_P/T_D=" not in repr(f)


def test_the_verdict_begins_with_one_answer():
    """The side that exact steps settle, whatever the bounds say; a race of it: 12 passes against 51."""
    X = np.random.default_rng(0).standard_normal((400, 10))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    opposed = cdlab.faceoff(problem(X, "logistic", l2=1 / 400))
    assert opposed.winner == "dual" != opposed.exact.winner
    assert opposed.verdict.startswith("What to use: the primal side, such as rcd")
    assert opposed.recommended == "primal"
    for lines in (X, X.T):
        quadratic = cdlab.faceoff(problem(lines, "squared", l2=1 / len(lines)))
        assert quadratic.exact.winner is not None
        assert quadratic.verdict.startswith(f"What to use: the {quadratic.exact.winner} side")
        assert quadratic.recommended == quadratic.exact.winner
