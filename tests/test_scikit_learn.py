"""Every supported combination of loss, regulariser, matrix, method and sampling reaches the independent optimum, with a
certificate; every other one is refused before anything compiles, in a sentence that says what to use instead.

Each plain run takes a pairwise covering of the combinations; ``pytest -m full`` takes them all.
"""

from itertools import product

import numpy as np
import pytest
from problems import LOSSES, SMOOTH, optimum, pairwise, problem

import cdlab
from cdlab import methods, samplings

# The face-off's three, whose certificates are compared with the tolerance; test_registry.py tries every method.
FACE_OFF = [("sdca", {}), ("quartz", {}), ("quartz", {"step": "local"}), ("quartz", {"averaged": True}), ("rcd", {})]
SAMPLINGS = [*samplings.SAMPLINGS, "given"]
AXES = (LOSSES, [0.0, 0.02], [False, True], FACE_OFF, SAMPLINGS)
ALL = list(product(*AXES))


def sampling_of(name, P, method):
    if name != "given":
        return name
    m = P.n if method.side == "dual" else P.d
    return np.linspace(1, 2, m) / (1.5 * m)


def setting(loss, l1, sparse, method, sampling):
    P = problem(loss, l2=0.1, l1=l1, sparse=sparse)
    instance = methods.resolve(method[0], **method[1])
    return P, instance, samplings.resolve(sampling_of(sampling, P, instance))


def is_supported(loss, l1, sparse, method, sampling):
    """The rules, written out once more."""
    smooth = loss in SMOOTH
    return (
        (smooth or (method[0] == "sdca" and sampling not in ("importance", "lipschitz")))
        and not (method[0] == "rcd" and l1 > 0)
    )  # fmt: skip


def reaches_the_optimum(loss, l1, sparse, method, sampling):
    P, instance, s = setting(loss, l1, sparse, method, sampling)
    tol = 1e-8 if loss in SMOOTH else 1e-4
    solution = cdlab.solve(P, instance, sampling=s, tol=tol, max_passes=20_000, seed=1)
    assert solution.status == "tolerance reached"
    assert solution.relative_gap <= tol
    assert P.gap(solution.w, solution.alpha) == pytest.approx(solution.gap, abs=1e-15)
    best = optimum(loss, 0.1, l1)
    assert -1e-8 * P.primal(np.zeros(P.d)) <= P.primal(solution.w) - best <= solution.gap + 1e-8


def name(combination):
    loss, l1, sparse, (method, parameters), sampling = combination
    form = f"{'l1' if l1 else 'l2'}-{'csr' if sparse else 'dense'}"
    return f"{loss}-{form}-{methods.resolve(method, **parameters).label}-{sampling}"


COVERING = [c for c in pairwise(*AXES) if is_supported(*c)]


@pytest.mark.parametrize("combination", COVERING, ids=name)
def test_pairwise(combination):
    reaches_the_optimum(*combination)


@pytest.mark.full
@pytest.mark.parametrize("loss", LOSSES)
def test_all(loss):
    for combination in ALL:
        if combination[0] == loss and is_supported(*combination):
            reaches_the_optimum(*combination)


def test_the_covering_covers_every_supported_pair():
    """Dropping what is refused must not drop a loss, a method or a sampling from the plain run."""
    for axis, values in enumerate(AXES):
        for value in values:
            assert any(c[axis] == value for c in COVERING), value


def test_unsupported_combinations_are_refused_before_compiling(monkeypatch):
    from cdlab.methods import quartz, rcd, sdca

    for module, kernel in (
        (sdca, "sdca_epoch"),
        (rcd, "rcd_epoch"),
        (quartz, "quartz_epoch"),
        (quartz, "quartz_averaged_epoch"),
    ):
        monkeypatch.setattr(module, kernel, lambda *_: pytest.fail("compiled a refused combination"))
    refused = [c for c in ALL if not is_supported(*c)]
    assert refused
    for combination in refused:
        P, method, sampling = setting(*combination)
        with pytest.raises(ValueError, match="use |take ") as error:
            cdlab.solve(P, method, sampling=sampling)
        assert len(str(error.value)) < 250


@pytest.mark.parametrize("method", ["sdca", "quartz", "rcd"])
@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_l2_must_be_positive_where_theory_needs_it(method, l1):
    with pytest.raises(ValueError, match="l2 > 0"):
        cdlab.solve(problem(l2=0.0, l1=l1), method)


@pytest.mark.parametrize(
    ("method", "sampling", "loss"),
    [
        ("sdca", "permutation", "logistic"),
        ("sdca", "uniform", "squared_hinge"),
        ("sdca", "permutation", "hinge"),
        ("quartz", "importance", "smooth_hinge"),
        ("rcd", "importance", "logistic"),
        ("rcd", "permutation", "squared_hinge"),
    ],
)
def test_on_mushrooms_the_optimum_is_scikit_learns(method, sampling, loss):
    X, y = cdlab.datasets.load("mushrooms", scale="unit")
    P = cdlab.Problem(X, y, loss=loss, l2=1e-3)
    tol = 1e-8 if P.loss.gamma > 0 else 1e-4
    s = cdlab.solve(P, method, sampling=sampling, tol=tol, max_passes=2000)
    assert s.status == "tolerance reached"
    if loss == "smooth_hinge":  # scikit-learn has none: a quasi-Newton method of scipy instead
        from scipy.optimize import minimize

        def value_and_gradient(w):
            return P.primal(w), -P.X.T @ P.alpha(w) / P.n + P.l2 * w

        w = minimize(
            value_and_gradient, np.zeros(P.d), jac=True, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-9}
        ).x
    else:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        C = 1 / (P.l2 * P.n)
        model = {
            "logistic": LogisticRegression(C=C, fit_intercept=False, tol=1e-10, solver="newton-cholesky"),
            "hinge": LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000),
            "squared_hinge": LinearSVC(C=C / 2, fit_intercept=False, dual=False, tol=1e-10, max_iter=100_000),
        }[loss]
        w = model.fit(P.X, P.y).coef_.ravel()
    assert P.primal(s.w) - P.primal(w) <= s.gap
    assert P.primal(w) - P.primal(s.w) <= 1e-7 * P.primal(w)
