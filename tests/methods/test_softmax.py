"""SDCA on the softmax loss: the independent optimum, the naive twin, the two-class case, and who refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from multiclass import classes, softmax_optimum, softmax_problem
from problems import data

import cdlab
from cdlab import methods, samplings
from cdlab.methods import SDCA
from cdlab.methods.sdca import sdca_vectors_epoch

both_forms = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
both_regularisers = pytest.mark.parametrize("l1", [0.0, 0.02])


def order_of(P, size=100, seed=0):
    return np.random.default_rng(seed).integers(P.n, size=size, dtype=np.uint64)


def state_after(P, order, start=None):
    return SDCA().epoch(P.by_rows, SDCA().init(P, "uniform", start), order)


@both_forms
@both_regularisers
@pytest.mark.parametrize("sampling", samplings.SAMPLINGS)
def test_the_optimum_is_cvxpys(sparse, l1, sampling):
    P = softmax_problem(l1=l1, sparse=sparse)
    s = cdlab.solve(P, "sdca", sampling=sampling, tol=1e-10, max_passes=3000)
    assert s.status == "tolerance reached"
    assert (s.w.shape, s.alpha.shape) == ((8, 3), (30, 3))
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-15)
    best = softmax_optimum(0.1, l1)
    assert -1e-8 * np.log(3) <= P.primal(s.w) - best <= s.gap + 1e-9


def test_the_optimum_is_scikit_learns():
    from sklearn.linear_model import LogisticRegression

    X, y = cdlab.datasets.load("mushrooms", scale="unit")
    y = np.where(X[:, [4]].toarray().ravel() > 0, 3, y)  # a third class
    P = cdlab.Problem(X, y, loss="softmax", l2=1e-3)
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-8)
    assert s.status == "tolerance reached"
    model = LogisticRegression(C=1 / (P.l2 * P.n), fit_intercept=False, tol=1e-10, solver="newton-cholesky").fit(X, y)
    np.testing.assert_array_equal(model.classes_, P.classes)
    assert P.primal(s.w) - P.primal(model.coef_.T) <= s.gap
    assert P.primal(model.coef_.T) - P.primal(s.w) <= 1e-7 * P.primal(s.w)
    assert P.test_error(s.w, P.test_data(X, y)) == pytest.approx(np.mean(model.predict(X) != y), abs=1e-3)


@both_forms
def test_two_classes_with_l2_are_the_logistic_loss_with_half_of_it(sparse):
    """w = w_1 - w_0: the same optimum, and the same iterates on the same order."""
    X, y = data()
    X = sp.csr_matrix(X) if sparse else X
    two, one = cdlab.Problem(X, y, loss="softmax", l2=0.1), cdlab.Problem(X, y, loss="logistic", l2=0.05)
    order = order_of(two, 300)
    a, b = state_after(two, order), state_after(one, order)
    np.testing.assert_allclose(a.alpha[:, 1], b.alpha, atol=1e-13)
    np.testing.assert_allclose(a.alpha[:, 0], -b.alpha, atol=1e-13)
    w, best = cdlab.solve(two, tol=1e-13).w, cdlab.solve(one, tol=1e-13)
    np.testing.assert_allclose(w[:, 1] - w[:, 0], best.w, atol=1e-9)
    np.testing.assert_allclose(w[:, 1] + w[:, 0], 0, atol=1e-14)
    assert two.primal(w) == pytest.approx(one.primal(best.w), rel=1e-12)


@both_forms
@both_regularisers
def test_the_kernel_is_the_naive_form(sparse, l1):
    """alpha_i <- argmax; w from v from alpha, recomputed at every step."""
    P = softmax_problem(l1=l1, sparse=sparse)
    X, order = classes()[0], order_of(P)
    alpha, new = np.zeros((P.n, 3)), np.empty(3)
    for i in order:
        v = X.T @ alpha / P.n
        w = np.sign(v) * np.maximum(np.abs(v) - l1, 0) / P.l2
        P.loss.dualprox_into(w.T @ X[i], -alpha[i], X[i] @ X[i] / (P.l2 * P.n), P.y[i], new)
        alpha[i] = -new
    S = state_after(P, order)
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-11)
    np.testing.assert_allclose(S.v, X.T @ alpha / P.n, atol=1e-11)


@both_forms
@both_regularisers
def test_the_kernel_is_its_python_twin(sparse, l1):
    P = softmax_problem(l1=l1, sparse=sparse)
    compiled, plain = (SDCA().init(P, "uniform") for _ in range(2))
    sdca_vectors_epoch(P.by_rows, compiled, order_of(P))
    getattr(sdca_vectors_epoch, "py_func", sdca_vectors_epoch)(P.by_rows, plain, order_of(P))
    for a, b in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_step_maximises_the_dual_over_its_row():
    from scipy.optimize import minimize
    from scipy.special import softmax

    P = softmax_problem()
    before, moved = (state_after(P, np.array(o, np.uint64)).alpha for o in ([0, 3, 7], [0, 3, 7, 5]))
    e = np.eye(3)[int(P.y[5])]

    def value(t):
        trial = before.copy()
        trial[5] = e - softmax(t)
        return -P.dual(trial)

    assert P.dual(moved) >= -minimize(value, np.zeros(3), method="BFGS").fun - 1e-12


@both_regularisers
def test_dense_and_csr_agree_and_a_seed_repeats(l1):
    runs = []
    for sparse in (False, True, True):
        P = softmax_problem(l1=l1, sparse=sparse)
        s = cdlab.solve(P, "sdca", tol=0, max_passes=7, seed=3, test=classes())
        runs.append((s.w, s.alpha, s.trace.column("gap"), s.trace.column("test_error")))
    for dense, csr, again in zip(*runs, strict=True):
        np.testing.assert_allclose(dense, csr, atol=1e-10)
        np.testing.assert_array_equal(csr, again)


def test_passes_are_visited_nonzeros():
    P = softmax_problem(sparse=True)
    order = order_of(P, 17)
    assert SDCA().count(P, None, order)[:2] == (17, int(np.count_nonzero(classes()[0], axis=1)[order].sum()))


def test_refresh_restores_the_definition_and_a_warm_start_goes_on():
    P = softmax_problem(l1=0.02)
    S = state_after(P, order_of(P))
    points = SDCA().points(P, S)
    S.v[:] += 1e-6
    SDCA().refresh(P, S)
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-16)
    on, straight = order_of(P, 50, seed=1), np.concatenate([order_of(P), order_of(P, 50, seed=1)])
    np.testing.assert_allclose(state_after(P, on, points).alpha, state_after(P, straight).alpha, atol=1e-12)


def test_inputs_are_not_written_to():
    X, y = (a.copy() for a in classes())
    P = cdlab.Problem(X, y, loss="softmax", l2=0.1)
    start = methods.Points(P.zeros(P.d), P.alpha(np.ones((8, 3))))
    alpha = start.alpha.copy()
    state_after(P, order_of(P), start)
    np.testing.assert_array_equal(start.alpha, alpha)
    np.testing.assert_array_equal(X, classes()[0])
    np.testing.assert_array_equal(y, classes()[1])


# ---------------------------------------------------------------- odd data
@both_forms
@pytest.mark.parametrize("sampling", ["uniform", "importance", "norms"])
def test_zero_rows_and_columns(sparse, sampling):
    X, y = (a.copy() for a in classes())
    X[[0, 5]], X[:, [2, 7]] = 0, 0
    s = cdlab.solve(
        cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss="softmax", l2=0.1), "sdca", sampling=sampling, tol=1e-8
    )
    assert s.status == "tolerance reached"
    assert (s.w[[2, 7]] == 0).all()


@each_of("n, d, K", [(2, 1, 2), (5, 1, 5), (2, 9, 2), (30, 8, 12)])
def test_one_feature_and_as_many_classes_as_examples(n, d, K):
    rng = np.random.default_rng(n)
    s = cdlab.solve(cdlab.Problem(rng.standard_normal((n, d)), np.arange(n) % K, loss="softmax", l2=0.1), tol=1e-9)
    assert s.status == "tolerance reached"
    assert s.w.shape == (d, K)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales(scale):
    """With l2 to match it is the same problem; with an ordinary one it ends, with a valid gap."""
    X, y = classes()
    plain = cdlab.solve(softmax_problem(), tol=1e-8)
    matched = cdlab.solve(cdlab.Problem(X * scale, y, loss="softmax", l2=0.1 * scale**2), "sdca", tol=1e-6)
    assert matched.status == "tolerance reached"
    assert matched.trace.records[-1].primal == pytest.approx(plain.trace.records[-1].primal, rel=1e-5)
    ordinary = cdlab.solve(cdlab.Problem(X * scale, y, loss="softmax", l2=0.1), max_passes=20)
    assert ordinary.status in ("tolerance reached", "pass limit")
    assert np.isfinite(ordinary.w).all()


# ---------------------------------------------------------------- who takes it
@each_of("name", [name for name, method in methods.METHODS.items() if "vectors" not in method.takes])
def test_methods_for_one_prediction_refuse_and_name_sdca(name):
    with pytest.raises(ValueError, match="softmax.*use sdca"):
        cdlab.solve(softmax_problem(), name)


@each_of(
    "name",
    [name for name, method in methods.METHODS.items() if "vectors" in method.takes],
    pushed=["appa", "apcg", "lbfgs"],
)
def test_the_others_reach_the_same_optimum(name):
    P = softmax_problem()
    s = cdlab.solve(P, name, tol=1e-7, max_passes=2000)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - softmax_optimum(0.1, 0.0) <= s.gap + 1e-9


def test_races_and_bounds():
    P = softmax_problem()
    race = cdlab.race(P, ["sdca", ("sdca", {"sampling": "importance"})], test=classes(), tol=1e-8)
    assert race.winner(1e-6) is not None
    assert cdlab.theory.bound("sdca").for_problem(P) > 0
    with pytest.raises(ValueError, match="losses of one prediction, and this problem has 3 classes"):
        cdlab.theory.bound("quartz").for_problem(P)


def test_the_command_line_takes_it(tmp_path, capsys):
    from cdlab.cli import main

    X, y = classes()
    file = tmp_path / "classes.svm"
    lines = [
        " ".join([f"{label}", *(f"{j}:{x!r}" for j, x in enumerate(row, 1))])
        for label, row in zip(y, X.tolist(), strict=True)
    ]
    file.write_text("\n".join(lines) + "\n")
    out = tmp_path / "solution.npz"
    assert main(["solve", str(file), "--loss", "softmax", "--l2", "0.1", "--quiet", "--solution", str(out)]) == 0
    assert np.load(out)["w"].shape == (8, 3)
    assert main(["race", str(file), "--loss", "softmax", "--l2", "0.1", "--quiet", "--max-passes", "200"]) == 0
    assert main(["faceoff", str(file), "--loss", "softmax", "--l2", "0.1", "--quiet"]) == 0
    assert "sdca, uniform" in capsys.readouterr().out
