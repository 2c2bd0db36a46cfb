"""What exact steps with uniform draws do, beside the bounds of the face-off."""

import json

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.datasets import arrow, scaled


def radius(lines, shift):
    """Of one uniform draw and exact step on the quadratic shift I + Z Z': of the whole N^2 x N^2 operator."""
    A = shift * np.eye(len(lines)) + lines @ lines.T
    G = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
    steps = [np.eye(len(G)) - np.outer(np.eye(len(G))[i], G[i]) for i in range(len(G))]
    return np.abs(np.linalg.eigvals(sum(np.kron(T.T, T.T) for T in steps) / len(G))).max()


def golden_arrow(b, c, loss="squared"):
    X, y = arrow(60, 60, 1, b, c)
    return cdlab.faceoff(cdlab.Problem(scaled(X, "mean"), y, loss=loss, l2=1 / 60))


@each_of(
    "b, c, dual, primal, predicted",
    [(0.05, 1.0, 1.035247119, 16.7218335, "primal"), (1.0, 0.05, 1.492501457, 1.000417267, "dual")],
)
def test_the_winner_on_the_paper_s_arrow_matrices_turns_round(b, c, dual, primal, predicted):
    f = golden_arrow(b, c)
    assert f.exact.passes_D.low * (1 - 1e-9) <= dual <= f.exact.passes_D.high
    assert f.exact.passes_P.low * (1 - 1e-9) <= primal <= f.exact.passes_P.high
    assert f.winner == predicted
    assert f.exact.winner not in (None, predicted)
    assert f.exact.certified
    assert f.recommended in (None, f.exact.winner)
    assert ("the opposite of what the bounds predict" in f.verdict) == (f.recommended is not None)
    told = f.to_dict()["exact"]
    assert (told["winner"], tuple(told["passes_D"])) == (f.exact.winner, f.exact.passes_D)
    json.dumps(f.to_dict(), allow_nan=False)
    assert f.exact.sentence(f.winner) in " ".join(str(f).split())
    assert f.exact.sentence(f.winner) in f._repr_html_()


@given(st.integers(2, 6), st.integers(1, 5), st.floats(0.01, 10), st.integers(0, 10**6))
def test_the_intervals_contain_the_radius_of_the_whole_operator(n, d, l2, seed):
    X = np.random.default_rng(seed).standard_normal((n, d))
    exact = cdlab.faceoff(X, loss="squared", l2=l2).exact
    for passes, lines in ((exact.passes_D, X), (exact.passes_P, X.T)):
        true = 1 / (len(lines) * (1 - radius(lines, l2 * n)))
        assert passes.low * (1 - 1e-9) <= true <= passes.high * (1 + 1e-9)
        assert passes.high <= 2 * passes.low * (1 + 1e-9)


def test_of_other_losses_it_says_for_which_curvature():
    f = golden_arrow(0.05, 1.0, "logistic")
    assert not f.exact.quadratic
    assert "were the loss's curvature 1/gamma everywhere" in f.verdict
    assert "1/gamma" not in golden_arrow(0.05, 1.0).verdict
    X, y = arrow(60, 60, 1, 0.05, 1.0)
    as_squared = cdlab.faceoff(scaled(X, "mean"), loss="squared", l2=4 / 60).exact  # the logistic loss has gamma = 4
    assert f.exact.passes_D == pytest.approx(as_squared.passes_D)


def test_empty_lines_are_no_coordinates():
    X = np.random.default_rng(0).standard_normal((6, 4))
    whole = np.zeros((9, 7))
    whole[:6, :4] = X
    small, large = (cdlab.faceoff(Z, loss="squared", l2=l2).exact for Z, l2 in ((X, 0.3), (whole, 0.2)))
    assert small.passes_D == pytest.approx(large.passes_D)
    assert small.passes_P == pytest.approx(large.passes_P)


@each_of("arguments", [{"loss": "hinge", "l2": 0.1}, {"loss": "squared", "l2": 0.0}, {}])
def test_where_there_is_no_bound_there_is_nothing_beside_it(arguments):
    assert cdlab.faceoff(np.eye(3), **arguments).exact is None


def test_nothing_is_computed_before_it_is_asked_for():
    exact = golden_arrow(1.0, 1.0).exact
    assert not {"band_P", "passes_P", "_from_zero"} & set(vars(exact))
    assert exact.passes_P
    assert "band_P" in vars(exact)


@pytest.mark.parametrize("unit", [1.0, 1e3, 1e9])
def test_a_rate_that_rounds_to_1_is_an_infinite_number_of_passes(unit):
    """Seconds since 1970 beside years: without centring X'X is as good as singular."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(1950, 2024, 400), unit * (1.6e9 + rng.integers(0, 10**8, 400))]
    f = cdlab.faceoff(cdlab.Problem(X, X[:, 0] - 1987, "squared", l2=1 / 400))
    assert f.exact.passes_D.high == np.inf
    assert 1 <= f.exact.passes_P.low <= f.exact.passes_P.high
    assert f.exact.winner == "primal"
    assert "nan" not in str(f)
