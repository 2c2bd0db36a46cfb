"""Misprints of the papers that no other test is about: what is printed fails, and what it has to be holds."""

from itertools import combinations, product

import numpy as np
import pytest

import cdlab
from cdlab.losses import Squared

N, D = 6, 3
X, Y = cdlab.datasets.make(n=N, d=D, seed=0)


def drawn(*shape):
    """The same normal numbers whichever tests are run."""
    return np.random.default_rng(1).standard_normal(shape)


# ------------------------------------------------------------ SPDC
def test_x_takes_delta_over_m_and_u_delta_over_n():
    """(6) and (7) with Delta = sum_{k in K} (y_k+ - y_k) x_k. With 1/n u stays X'y/n; with 1/m the mean over all blocks
    K of m examples is X'y+/n, all of y changed, and with 1/n it goes only m/n of the way.
    """
    (y, new), m = drawn(2, N), 2
    u, over_m, over_n = X.T @ y / N, [], []
    for K in map(list, combinations(range(N), m)):
        Delta, after = X[K].T @ (new - y)[K], y.copy()
        after[K] = new[K]
        np.testing.assert_allclose(u + Delta / N, X.T @ after / N, atol=1e-14)
        over_m.append(u + Delta / m)
        over_n.append(u + Delta / N)
    np.testing.assert_allclose(np.mean(over_m, axis=0), X.T @ new / N, atol=1e-14)
    np.testing.assert_allclose(np.mean(over_n, axis=0), u + m / N * (X.T @ new / N - u), atol=1e-14)


def test_corollary_1_divides_gamma_and_1_over_4_sigma_by_m():
    """By Theorem 1 of_x ||x - x*||^2 + of_y ||y - y*||^2 <= 1, of_y = (1/(4 sigma) + gamma)/m. The larger of the two
    distances can be 1/min{of_x, of_y} and no more; with only gamma divided by m less than that is promised.
    """
    tau, sigma, gamma, l2, m = 0.3, 0.7, 0.2, 0.1, 4
    of_x, of_y = 1 / (2 * tau) + l2, (1 / (4 * sigma) + gamma) / m
    share = np.linspace(0, 1, 101)  # how the 1 may be split
    largest = max((share / of_x).max(), ((1 - share) / of_y).max())
    assert largest == pytest.approx(1 / min(of_x, of_y))
    assert largest > 2 / min(of_x, 1 / (4 * sigma) + gamma / m)


def test_theorem_2_has_2_gamma_over_n_plus_1():
    """The weight of (y_i - y_i*)^2 is gamma/(p_i n), p_i = 1/(2n) + ||x_i||/(2 sum ||x_k||): at least 2 gamma/(n + 1),
    which one long row attains, and there less than the 2 gamma/n that is printed.
    """

    def least(lengths):
        return (1 / (N * (1 / (2 * N) + lengths / (2 * lengths.sum())))).min()  # times gamma

    assert all(least(lengths) >= 2 / (N + 1) for lengths in np.abs(drawn(100, N)) ** 3)
    assert least(np.eye(N)[0]) == pytest.approx(2 / (N + 1))
    assert least(np.eye(N)[0]) < 2 / N


def test_strong_convexity_holds_with_x_and_y_where_they_belong_and_in_no_mixed_order():
    """g(x) >= g(y) + g'(y)'(x - y) + (l2/2)||x - y||^2 on R^d, for g = (l2/2)||.||^2 + l1||.||_1. Of the eight ways to
    put x and y there only this one and the one with all of them exchanged hold.
    """
    l2, l1, pairs = 0.7, 0.3, drawn(200, 2, D)

    def g(x):
        return l2 / 2 * x @ x + l1 * np.abs(x).sum()

    def slope(x):
        return l2 * x + l1 * np.sign(x)

    def holds(left, at, to):
        """With pair[left] on the left-hand side, the slope at pair[at], and the difference pair[to] - pair[1 - to]."""
        right = [
            g(p[1 - left]) + slope(p[at]) @ (p[to] - p[1 - to]) + l2 / 2 * np.sum((p[0] - p[1]) ** 2) for p in pairs
        ]
        return all(g(p[left]) >= r - 1e-12 for p, r in zip(pairs, right, strict=True))

    assert [each for each in product((0, 1), repeat=3) if holds(*each)] == [(0, 1, 0), (1, 0, 1)]


# ------------------------------------------------------------ the slides
def errors(P, alpha):
    """D* - D(alpha), squared loss: alpha* solves (I + X X'/(l2 n)) alpha = y."""
    best = np.linalg.solve(np.eye(P.n) + P.X @ P.X.T / (P.l2 * P.n), P.y)
    return P.dual(best) - P.dual(alpha)


def stepped(P, alpha, i, before=None):
    """SDCA's step for the squared loss, computed from `before` where it is not alpha."""
    at = alpha if before is None else before
    change = (P.y[i] - P.X[i] @ P.w(at) - at[i]) / (1 + P.X[i] @ P.X[i] / (P.l2 * P.n))
    return alpha + change * np.eye(P.n)[i]


def test_a_step_of_sdca_is_taken_from_the_current_w_and_alpha():
    """Then D never falls; with those of the step before, on two equal examples, it falls to what it was."""
    P = cdlab.Problem(np.ones((2, 1)), np.ones(2), "squared", l2=0.01)
    start = np.zeros(2)
    once = stepped(P, start, 0)
    current, late = stepped(P, once, 1), stepped(P, once, 1, before=start)
    assert errors(P, current) < errors(P, once) < errors(P, start)
    assert errors(P, late) > 0.9 * errors(P, start) > 10 * errors(P, once)


def test_the_first_step_of_sgd_is_t_equal_to_1():
    """w <- (1 - 1/t) w - phi'(x_i'w) x_i/(l2 t): from t = 1 on w is minus the mean slope over l2, whatever the start;
    begun with t = 2 it keeps a share of the start, and for t = 0 there is no step.
    """
    l2, start = 0.1, np.full(D, 100.0)
    for first in (1, 2):
        w, slopes = start, []
        for t, (x, y) in enumerate(zip(X, Y, strict=True), first):
            slopes.append(-y * (y * (x @ w) < 1) * x)  # the hinge's
            w = (1 - 1 / t) * w - slopes[-1] / (l2 * t)
        mean = -np.sum(slopes, axis=0) / (l2 * t)
        np.testing.assert_allclose(w, mean + (first - 1) * start / t, atol=1e-12)


@pytest.mark.parametrize("R", [1.0, 10.0])
def test_the_rate_of_sdca_has_R2_beside_1_over_gamma_lambda(R):
    """Two equal examples of length R, gamma = 1: one step leaves exactly 1 - 1/(n + R^2/l2) of the error, and without
    R^2 the rate promises more than that as soon as R > 1.
    """
    P = cdlab.Problem(np.full((2, 1), R), np.ones(2), "squared", l2=0.1)
    alpha = np.linalg.solve(np.eye(2) + P.X @ P.X.T / (P.l2 * 2), P.y) + [1, -1]
    left = np.mean([errors(P, stepped(P, alpha, i)) for i in range(2)]) / errors(P, alpha)
    assert left == pytest.approx(1 - 1 / (2 + R**2 / P.l2))
    assert (left > 1 - 1 / (2 + 1 / P.l2) + 1e-9) == (R > 1)


def test_the_logarithm_multiplies_n_too():
    """(n + 1/(gamma lambda)) log(1/eps): on orthonormal examples a step leaves 1 - 1/n of the error in the mean, and
    after n + (1/(gamma lambda)) log(1/eps) steps far more than eps is left.
    """
    n, l2, eps = 10, 1.0, 1e-6
    P = cdlab.Problem(np.eye(n), np.ones(n), "squared", l2=l2)
    alpha = drawn(n)
    left = np.mean([errors(P, stepped(P, alpha, i)) for i in range(n)]) / errors(P, alpha)
    assert left == pytest.approx(1 - 1 / n)
    assert left ** ((n + 1 / l2) * np.log(1 / eps)) <= eps
    assert left ** (n + np.log(1 / eps) / l2) > 1e4 * eps


def test_the_square_loss_without_1_2_has_gamma_1_2():
    """(z - y)^2: its slope 2(z - y) changes by 2 = 1/gamma for each unit of z."""
    loss = Squared(c=1.0)
    for each in drawn(20):
        assert loss.phi(each, 0.3) == pytest.approx((each - 0.3) ** 2)
        assert loss.grad_phi(each + 1, 0.3) - loss.grad_phi(each, 0.3) == pytest.approx(1 / loss.gamma)
    assert (loss.gamma, Squared().gamma) == (0.5, 1.0)


# ------------------------------------------------------------ ASDCA
def test_alpha_i_of_the_general_form_is_a_vector_that_is_a_number_times_x_i():
    """alpha in R^(d x n), column i <- (1 - theta) alpha_i - theta grad phi_i(u), grad phi_i(u) = phi'(x_i'u) x_i, from
    alpha^(0) = 0: the iterates are those of n numbers.
    """
    P, theta, m = cdlab.Problem(X, Y, "logistic", l2=0.3), 0.2, 2
    numbers, vectors, x, z = np.zeros(N), np.zeros((D, N)), np.zeros(D), np.zeros(D)
    for K in np.array(list(combinations(range(N), m))):
        u = (1 - theta) * x + theta * P.w(numbers)
        slopes = np.array([P.loss.grad_phi(X[i] @ u, Y[i]) for i in K])
        numbers[K] = (1 - theta) * numbers[K] - theta * slopes
        x = (1 - theta) * x + theta * P.w(numbers)
        u = (1 - theta) * z + theta * vectors.mean(axis=1) / P.l2
        gradients = np.transpose([P.loss.grad_phi(X[i] @ u, Y[i]) * X[i] for i in K])
        vectors[:, K] = (1 - theta) * vectors[:, K] - theta * gradients
        z = (1 - theta) * z + theta * vectors.mean(axis=1) / P.l2
    np.testing.assert_allclose(vectors, numbers * X.T, atol=1e-14)
    np.testing.assert_allclose(z, x, atol=1e-14)
    assert np.abs(numbers).min() > 1e-3


# ------------------------------------------------------------ APPA
def test_the_inner_problem_is_over_R_d_and_its_dual_over_R_n():
    """On the paper's scale of sums the minimum over x in R^d of f = sum phi_i(x_i'x) + (lambda/2)||x - s||^2 is minus
    that over y in R^n of g = sum phi_i*(y_i) + ||X'y||^2/(2 lambda) - s'X'y, at x = s - X'y/lambda. At s = 0 lambda is
    n times the l2 of the mean loss, and D(-y) is -g/n. Squared loss.
    """
    lam = 0.7
    for s in (drawn(D), np.zeros(D)):
        x = np.linalg.solve(X.T @ X + lam * np.eye(D), X.T @ Y + lam * s)
        y = np.linalg.solve(np.eye(N) + X @ X.T / lam, X @ s - Y)
        f = ((X @ x - Y) ** 2).sum() / 2 + lam / 2 * ((x - s) ** 2).sum()
        g = (y**2 / 2 + Y * y).sum() + ((X.T @ y) ** 2).sum() / (2 * lam) - s @ X.T @ y
        assert f == pytest.approx(-g)
        np.testing.assert_allclose(x, s - X.T @ y / lam, atol=1e-13)
    assert cdlab.Problem(X, Y, "squared", l2=lam / N).dual(-y) == pytest.approx(-g / N)


def test_strong_convexity_is_about_F_of_y():
    """F(y) >= F(x) + grad F(x)'(y - x) + (mu/2)||y - x||^2. With F(x) on the left it fails wherever y lies uphill of x,
    for every F.
    """
    mu = np.linalg.eigvalsh(X.T @ X)[0]

    def F(x):
        return ((X @ x - Y) ** 2).sum() / 2

    for x, y in drawn(100, 2, D):
        slope = X.T @ (X @ x - Y)
        assert F(y) >= F(x) + slope @ (y - x) + mu / 2 * ((y - x) ** 2).sum() - 1e-12
        uphill = x + 0.1 * slope
        assert F(x) < F(x) + slope @ (uphill - x) + mu / 2 * ((uphill - x) ** 2).sum()


def test_the_ridge_weight_gamma_of_appas_logistic_loss_is_n_times_our_l2():
    """phi_i = log(1 + exp(-y_i x_i'w)) + gamma/(2n) ||w||^2 and P = (1/n) sum phi_i: l2 = gamma/n. Our gamma, the
    inverse of the loss's smoothness, is 4 whatever that is.
    """
    ridge, w = 0.3, drawn(D)
    phi = np.logaddexp(0, -Y * (X @ w)) + ridge / (2 * N) * w @ w
    P = cdlab.Problem(X, Y, "logistic", l2=ridge / N)
    assert P.primal(w) == pytest.approx(phi.mean())
    assert P.loss.gamma == 4


# ------------------------------------------------------------ the face-off
def test_table_1_of_the_face_off_takes_beta_over_l2_n_to_be_1():
    """Leukemia's 38 dense examples of 7,129 features, of length 1: T_P/T_D = (d + n)/(2d), printed as 0.5. With the
    logistic loss's beta = 1/4 and l2 = 1/n it would be 0.8.
    """
    n, d = 38, 7129
    f = cdlab.faceoff(cdlab.Problem(np.full((n, d), d**-0.5), np.ones(n), "logistic", l2=1 / n))
    assert f.ratio_table == pytest.approx((d + n) / (2 * d))
    assert round(f.ratio_table, 1) == 0.5
    assert round(f.ratio, 1) == 0.8
