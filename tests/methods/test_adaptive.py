"""adasdca and adasdca_plus: whom they pick and with what probability, their steps, and what these cost."""

import numpy as np
import pytest
from cases import each_of
from forms import FOUR, forms
from hypothesis import given
from hypothesis import strategies as st
from problems import data, problem
from scipy.stats import chisquare

import cdlab
from cdlab.methods import Points
from cdlab.methods.adasdca import AdaSDCA, draw_from_weights
from cdlab.methods.adasdca_plus import AdaSDCAPlus, add_up, draw_from_tree, set_weight

FUNCTIONS = (draw_from_tree, set_weight, add_up, draw_from_weights)
plain_from_tree, plain_set_weight, plain_add_up, plain_from_weights = (getattr(f, "py_func", f) for f in FUNCTIONS)


def probabilities(P, alpha):
    residual = alpha - P.alpha(P.w(alpha))
    weight = np.abs(residual) * np.sqrt(P.row_profile.norms2 + P.l2 * P.n * P.loss.gamma)
    return residual, weight / weight.sum()


def exact(P, alpha, i):
    """alpha after the exact step along e_i (l1 > 0: on the lower bound), by sdca."""
    S = cdlab.methods.SDCA().init(P, "uniform", Points(None, alpha))
    cdlab.methods.SDCA().epoch(P.by_rows, S, np.array([i], np.uint64))
    return S.alpha


def at(p, uniform):
    return min(int(np.searchsorted(np.cumsum(p), uniform, side="right")), p.size - 1)


# ---------------------------------------------------------------- the boxes, in numpy
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.02))
def test_adasdca_is_its_box(loss, l1, sparse):
    P, method, uniforms = problem(loss, l1=l1, sparse=sparse), AdaSDCA(), np.random.default_rng(0).random(60)
    alpha = np.zeros(P.n)
    for uniform in uniforms:
        alpha = exact(P, alpha, at(probabilities(P, alpha)[1], uniform))
    S = method.epoch(method.view(P), method.init(P, "uniform"), uniforms)
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-11)
    np.testing.assert_allclose(S.v, P.v(alpha), atol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_adasdca_with_fixed_steps_is_its_box(loss):
    P, method, uniforms = problem(loss), AdaSDCA(step="fixed"), np.random.default_rng(0).random(20)
    alpha, l2ng = np.zeros(P.n), P.l2 * P.n * P.loss.gamma
    for uniform in uniforms:
        residual, p = probabilities(P, alpha)
        live, s = residual != 0, P.row_profile.norms2 + l2ng
        theta = min(l2ng * (residual**2).sum() / (residual**2 * s / p)[live].sum(), p[live].min())
        i = at(p, uniform)
        alpha[i] -= theta / p[i] * residual[i]
    S = method.epoch(method.view(P), method.init(P, "uniform"), uniforms)
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-12)


@pytest.mark.parametrize("m", [1, 10])
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.02))
def test_adasdca_plus_is_its_box(m, loss, l1, sparse):
    """Driven by the same examples: the uniform numbers are chosen so that the tree, too, falls on them."""
    P, method, rng = problem(loss, l1=l1, sparse=sparse), AdaSDCAPlus(m=m), np.random.default_rng(0)
    alpha, S, view = np.zeros(P.n), method.init(P, "uniform"), method.view(P)
    for _ in range(3):
        p, tree, uniforms = probabilities(P, alpha)[1], np.zeros(2 * P.n), rng.random(P.n)
        tree[P.n :] = p
        plain_add_up(tree)
        for uniform in uniforms:
            i = int(plain_from_tree(tree, uniform))
            alpha = exact(P, alpha, i)
            plain_set_weight(tree, i, tree[P.n + i] / m)
        S = method.epoch(view, S, uniforms)
        np.testing.assert_allclose(S.alpha, alpha, atol=1e-11)
    np.testing.assert_allclose(S.v, P.v(alpha), atol=1e-12)


def test_the_fixed_step_stalls_where_the_exact_one_does_not():
    """One residual near 0 is enough: theta <= min p."""
    gaps = [cdlab.solve(problem(), AdaSDCA(step=step), tol=0, max_passes=300).gap for step in ("exact", "fixed")]
    assert gaps[0] < 1e-10 < 1e-3 < gaps[1]


def test_adaptive_probabilities_beat_fixed_ones_on_uneven_rows():
    """An iteration each: 20 examples of very different norms."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 20)) * np.exp(2 * rng.standard_normal((40, 1)))
    P = cdlab.Problem(X, np.sign(rng.standard_normal(40)), l2=1 / 40)
    suboptimality, best = {}, cdlab.solve(P, "sdca", tol=1e-13, max_passes=20_000)
    for name, run in {
        "uniform": ("sdca", "uniform"),
        "importance": ("sdca", "importance"),
        "adasdca": (AdaSDCA(), "uniform"),
        "adasdca_plus": (AdaSDCAPlus(), "uniform"),
    }.items():
        at_400 = []
        for seed in range(5):
            records = cdlab.iterate(P, run[0], sampling=run[1], seed=seed)
            at_400.append(next(P.dual(best.alpha) - r.dual for r in records if r.iteration >= 400))
        suboptimality[name] = np.mean(at_400)
    assert suboptimality["adasdca"] < suboptimality["uniform"] / 10
    assert suboptimality["adasdca_plus"] < suboptimality["uniform"] / 10
    assert suboptimality["uniform"] < suboptimality["importance"]


# ---------------------------------------------------------------- draws
@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_both_draws_follow_the_weights(n, seed):
    """Of a fine grid of uniform numbers, each i gets its share, and one of weight 0 gets none."""
    rng = np.random.default_rng(seed)
    weight = rng.random(n) ** 3 * (rng.random(n) < 0.7)
    weight[rng.integers(n)] = 1.0
    tree, grid = np.zeros(2 * n), (np.arange(4000) + 0.5) / 4000
    tree[n:] = weight
    plain_add_up(tree)
    for draw in (lambda u: plain_from_tree(tree, u), lambda u: plain_from_weights(weight, u * weight.sum())):
        share = np.bincount([int(draw(u)) for u in grid], minlength=n) / grid.size
        np.testing.assert_allclose(share, weight / weight.sum(), atol=1.1 / 4000 * 2)
        assert not share[weight == 0].any()
    for extreme in (0.0, np.nextafter(1, 0)):
        assert weight[plain_from_tree(tree, extreme)] > 0
        assert weight[plain_from_weights(weight, extreme * weight.sum())] > 0


def test_changed_weights_are_added_up_again():
    rng, n = np.random.default_rng(0), 13
    tree = np.zeros(2 * n)
    tree[n:] = rng.random(n)
    plain_add_up(tree)
    for _ in range(200):
        plain_set_weight(tree, int(rng.integers(n)), rng.random())
    fresh = np.zeros(2 * n)
    fresh[n:] = tree[n:]
    plain_add_up(fresh)
    np.testing.assert_array_equal(tree, fresh)
    assert tree[1] == pytest.approx(tree[n:].sum(), rel=1e-14)


def test_the_first_pick_has_the_probabilities_of_the_box():
    P, trials = problem(n=6), 4000
    alpha = P.alpha(np.full(8, 0.3))
    p = probabilities(P, alpha)[1]
    for method in (AdaSDCA(), AdaSDCAPlus()):
        counts, view = np.zeros(6), method.view(P)
        for uniform in np.random.default_rng(0).random(trials):
            S = method.epoch(view, method.init(P, "uniform", Points(None, alpha)), np.array([uniform]))
            counts[np.flatnonzero(S.alpha != alpha)] += 1
        assert chisquare(counts, p * trials).pvalue > 1e-3


# ---------------------------------------------------------------- state and passes
def test_passes_count_the_sweeps_and_the_examples_picked():
    """A sweep that reads all of X is half a pass; a fixed step only writes its example, which the sweep has read."""
    P = problem(sparse=True)
    counts, start, uniforms = np.diff(P.X.indptr), Points(None, np.zeros(P.n)), np.array([0.05, 0.5, 0.95])
    for method, sweeps in ((AdaSDCA(), 3), (AdaSDCA(step="fixed"), 3), (AdaSDCAPlus(), 1)):
        S, picks, alpha = method.init(P, "uniform", start), 0, np.zeros(P.n)
        view = method.view(P)
        if sweeps == 3:
            for uniform in uniforms:
                S = method.epoch(view, S, np.array([uniform]))
                picks += counts[np.flatnonzero(S.alpha != alpha)].sum() * (1 if method.step == "exact" else 0.5)
                assert method.count(P, S, uniforms[:1])[:2] == (1, P.nnz / 2 + S.visited)
                alpha = S.alpha.copy()
            S = method.epoch(view, method.init(P, "uniform", start), uniforms)
        else:
            S = method.epoch(view, S, uniforms)
            picks = counts[S.alpha != 0].sum()
        assert method.count(P, S, uniforms)[:2] == (3, sweeps * P.nnz / 2 + picks)


def test_epochs_are_two_steps_and_n_steps():
    P, rng = problem(), np.random.default_rng(0)
    uniform = cdlab.samplings.resolve("uniform")
    assert next(AdaSDCA().orders(P, uniform, rng)).shape == (2,)
    assert next(AdaSDCAPlus().orders(P, uniform, rng)).shape == (30,)
    S = AdaSDCAPlus().epoch(P.by_rows, AdaSDCAPlus().init(P, "uniform"), rng.random(60))
    assert AdaSDCAPlus().count(P, S, np.zeros(60))[1] == P.nnz + S.visited  # two sweeps


@pytest.mark.full
@pytest.mark.parametrize("method", [AdaSDCA(), AdaSDCA(step="fixed"), AdaSDCAPlus()], ids=lambda m: m.label)
def test_refresh_restores_v(method):
    P = problem(l1=0.02)
    S = method.epoch(method.view(P), method.init(P, "uniform"), np.random.default_rng(0).random(50))
    S.v[:] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-16)


@each_of("method", [AdaSDCA(), AdaSDCA(step="fixed"), AdaSDCAPlus()])
def test_at_the_optimum_nothing_moves(method):
    """phi' = 0 everywhere: every residual is 0, and the run goes on without NaN."""
    X, _ = data()
    P = cdlab.Problem(X, np.zeros(30), loss="squared", l2=0.1)
    S = method.epoch(method.view(P), method.init(P, "uniform"), np.random.default_rng(0).random(50))
    assert not S.alpha.any()
    assert not S.v.any()
    assert cdlab.solve(P, method, tol=0, max_passes=3).gap == 0


def test_a_long_run_does_not_drift():
    P = problem(l1=0.02)
    for method in (AdaSDCA(), AdaSDCAPlus()):
        S = method.epoch(method.view(P), method.init(P, "uniform"), np.random.default_rng(0).random(20_000))
        assert P.gap(P.w(S.alpha), S.alpha) <= 1e-14
        np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-13)
