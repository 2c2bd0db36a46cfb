"""greedy: the rules, the maintained vectors, and what a step really costs."""

import numpy as np
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods import Points
from cdlab.methods.greedy import Greedy


def after(P, method, steps, start=None):
    S = method.init(P, "uniform", start)
    return method.epoch(method.view(P), S, np.zeros(steps, np.uint64))


def choices(P, rule, steps):
    """The box in numpy: w and the features chosen."""
    L, w, chosen = (P.beta * P.column_profile.norms2 + P.l2 * P.n) / P.n, np.zeros(P.d), []
    for _ in range(steps):
        g = P.gradient(w)
        chosen.append(int(np.argmax(np.abs(g) if rule == "gs" else np.abs(g) / np.sqrt(L))))
        w[chosen[-1]] -= g[chosen[-1]] / L[chosen[-1]]
    return w, chosen


@each_of("rule", ["gs", "gsl"])
@each_of("loss", ["logistic", "squared", "huber"])
@each_of("sparse", [False, True])
def test_it_is_its_box(rule, loss, sparse):
    P = problem(loss, sparse=sparse)
    S, (w, _) = after(P, Greedy(rule), 60), choices(P, rule, 60)
    np.testing.assert_allclose(S.w, w, atol=1e-12)
    np.testing.assert_allclose(S.z, P.predict(w), atol=1e-12)
    np.testing.assert_allclose(S.derivative, -P.alpha(w), atol=1e-12)


def test_the_two_rules_choose_differently_and_coincide_for_equal_columns():
    P = problem("squared")
    assert choices(P, "gs", 30)[1] != choices(P, "gsl", 30)[1]
    X = np.where(np.random.default_rng(0).standard_normal((20, 6)) > 0, 1.0, -1.0)
    Q = cdlab.Problem(X, np.r_[np.ones(10), -np.ones(10)], l2=0.1)
    np.testing.assert_array_equal(after(Q, Greedy("gs"), 30).w, after(Q, Greedy("gsl"), 30).w)


def test_the_lipschitz_rule_gains_most():
    """No other coordinate step decreases the bound g_j^2/(2 L_j) more."""
    P, rng = problem(), np.random.default_rng(0)
    L = (P.beta * P.column_profile.norms2 + P.l2 * P.n) / P.n
    for w in rng.standard_normal((10, 8)):
        moved = after(P, Greedy("gsl"), 1, Points(w, None)).w
        j = np.flatnonzero(moved != w)[0]
        assert j == np.argmax(P.gradient(w) ** 2 / (2 * L))


def test_a_step_costs_half_a_pass_and_its_update_and_ideal_visits_count_the_update_alone():
    P, method = problem(sparse=True), Greedy()
    counts = np.diff(P.X.tocsc().indptr)
    first = sum(counts[j] for j in choices(P, "gs", 3)[1])
    both = sum(counts[j] for j in choices(P, "gs", 8)[1])
    S = after(P, method, 3)
    assert method.count(P, S, np.zeros(3))[:2] == (3, 1.5 * P.nnz + first)
    S = method.epoch(method.view(P), S, np.zeros(5, np.uint64))
    assert method.count(P, S, np.zeros(5))[:2] == (5, 2.5 * P.nnz + both - first)
    assert method.count(P, S, np.zeros(5)).ideal == both - first


def test_nothing_is_random():
    traces = [cdlab.solve(problem(), Greedy(), tol=0, max_passes=10, seed=seed).trace for seed in (0, 1)]
    np.testing.assert_array_equal(traces[0].column("primal"), traces[1].column("primal"))
    assert traces[0].label == "greedy"


def test_refresh_restores_the_maintained_vectors():
    P, method = problem(), Greedy()
    S = after(P, method, 20)
    S.z[:] += 1e-3
    S.derivative[:] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(S.z, P.predict(S.w), atol=1e-15)
    np.testing.assert_allclose(S.derivative, -P.alpha(S.w), atol=1e-15)


def test_the_trace_has_both_counts():
    """ideal_passes: the updates alone; passes: with the search, which reads all of X."""
    frame = cdlab.solve(problem(), "greedy", tol=0, max_passes=20).trace.to_frame()
    assert frame["ideal_passes"].iloc[0] == 0
    assert (frame["ideal_passes"].diff().dropna() > 0).all()
    assert (frame["ideal_passes"] < frame["passes"]).iloc[1:].all()
    assert "ideal_passes" not in cdlab.solve(problem(), "rcd", max_passes=2).trace.to_frame()
