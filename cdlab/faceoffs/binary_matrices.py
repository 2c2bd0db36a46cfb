"""Face-off of (signed) binary data, X in {-1, 0, 1}: bounds on C_P/C_D from n, d and nnz = alpha alone.

With r_j nonzeros in column j (feature) and c_i in row i (example), C_P = sum r_j^2 and C_D = sum c_i^2: sums of squares
of d and of n whole numbers with the same sum alpha, in [1, n] and in [1, d] if no row and no column is zero. Balanced
numbers make the sum smallest (L), piled-up ones largest (U), so

    L(alpha, d)/U(alpha, n, d) <= C_P/C_D <= U(alpha, d, n)/L(alpha, n) = R(alpha, d, n).

Both ends are attained for every max(n, d) <= alpha <= n d, by one matrix each: balanced counts on one side are
majorised by every other list of the same sum and length, in particular by the conjugate of the piled-up counts on the
other side, which is Gale and Ryser's condition for a 0-1 matrix with these row and column sums.

Everything is in exact integers; d are features and n examples. Source: Csiba & Richtarik, Coordinate descent face-off:
primal or dual? (2016), Lemma 9, Theorem 4, Theorem 5, Corollary 6. The paper states the last two with the constant
n^2 + 3n, which is right and not the smallest; `alpha_threshold` and `d_threshold` give the smallest, and the paper's
with `as_stated=True`.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

from ..numerics import checks


def L(alpha: int, n: int) -> int:
    """Smallest sum of squares of n whole numbers with sum alpha (Lemma 9).

    Moving 1 from a larger to a smaller number lowers the sum unless they differ by at most 1, so the minimum has
    k = floor(alpha/n) and k + 1 only: n k^2 + r (2k + 1) with r = alpha - k n.

    Raises
    ------
    ValueError
        If n < 1 or alpha < 0, or one of them is not a whole number.
    """
    alpha, n = _check_integers(alpha=alpha, n=n)
    if n < 1 or alpha < 0:
        raise ValueError(f"L(alpha={alpha}, n={n}) needs n >= 1 and alpha >= 0")
    k, r = divmod(alpha, n)
    return n * k * k + r * (2 * k + 1)


def U(alpha: int, n: int, d: int) -> int:
    """Largest sum of squares of n whole numbers in [1, d] with sum alpha (Lemma 9).

    Moving 1 from a smaller to a larger number raises the sum, so the maximum has as many d as fit, one number between,
    and 1 everywhere else: x (d^2 - 1) + n + y (y + 2) with x, y = divmod(alpha - n, d - 1).

    Parameters
    ----------
    alpha, n, d : int
        The sum, how many numbers, and the largest that each may be.

    Raises
    ------
    ValueError
        If there are no such numbers: n <= alpha <= n d is needed, all of them whole numbers.
    """
    alpha, n, d = _check_integers(alpha=alpha, n=n, d=d)
    if not (n >= 1 and n <= alpha <= n * d):
        raise ValueError(f"U(alpha={alpha}, n={n}, d={d}) needs n >= 1 and n <= alpha <= n d = {n * d}")
    x, y = divmod(alpha - n, d - 1) if d > 1 else (0, 0)
    return x * (d * d - 1) + n + y * (y + 2)


def R(alpha: int, d: int, n: int) -> float:
    """The largest C_P/C_D of n examples, d features and alpha nonzeros, no row or column zero (Theorem 4).

    Where it is below 1, the primal bound is the better one for all such data.

    Parameters
    ----------
    alpha, d, n : int
        Nonzeros, features and examples.

    Raises
    ------
    ValueError
        If there is no such matrix: max(n, d) <= alpha <= n d is needed.
    """
    _check_matrix(alpha, d, n)
    return U(alpha, d, n) / L(alpha, n)


def theorem4(alpha: int, d: int, n: int) -> tuple[float, float]:
    """The smallest and largest C_P/C_D of n examples, d features and alpha nonzeros, no row or column zero.

    Both are attained. The lower one is 1/R(alpha, n, d), because C_P and C_D trade places in X'.

    Parameters
    ----------
    alpha, d, n : int
        Nonzeros, features and examples.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
        If there is no such matrix: max(n, d) <= alpha <= n d is needed.
    """
    _check_matrix(alpha, d, n)
    return L(alpha, d) / U(alpha, n, d), R(alpha, d, n)


def alpha_threshold(n: int, d: int | None = None, *, as_stated: bool = False) -> int:
    """The number of nonzeros from which C_P <= C_D holds for all data with d >= n (Theorem 5, sharpened).

    Parameters
    ----------
    n : int
        Examples.
    d : int, optional
        Features. Without it: n^2 - 1, which is right for every d >= n. For n >= 3 it cannot be lowered: n^2 - 2
        nonzeros in an n x n matrix allow C_P = C_D + 2. For n <= 2 the inequality holds for every alpha. With it: a
        number that suffices for this d, smaller when d is much larger than n; 0 if any alpha does.
    as_stated : bool, default False
        True: the paper's constant, n^2 + 3n.

    Raises
    ------
    ValueError
        If n < 1 or d < n.

    Notes
    -----
    From (r_j - 1)(n - r_j) >= 0 follows C_P <= (n + 1) alpha - n d, and C_D >= alpha^2/n. So n (C_D - C_P) >=
    f(alpha) = alpha^2 - n (n + 1) alpha + n^2 d, which is not negative from its larger root
    n (n + 1 + sqrt((n + 1)^2 - 4d))/2 <= n^2 on, and nowhere negative if 4d >= (n + 1)^2. At alpha = n^2 - 1 the whole
    numbers help: d = n gives C_P and C_D the same extreme, (n - 1)(n^2 + n - 1), and for d > n the bound on C_P is
    below L(alpha, n).
    """
    n, d_ = _check_integers(n=n, d=n if d is None else d)
    if n < 1 or d_ < n:
        raise ValueError(f"alpha_threshold(n={n}, d={d}) needs d >= n >= 1; for d < n swap examples and features")
    if as_stated:
        return n * n + 3 * n
    if d is None:
        return n * n - 1
    under_root = (n + 1) ** 2 - 4 * d_
    if under_root <= 0:
        return 0
    root = isqrt(n * n * under_root)  # the larger root is (n (n + 1) + sqrt(n^2 under_root))/2, rounded up
    exact = root * root == n * n * under_root
    return min(n * n - 1, -(-(n * (n + 1) + root) // 2) if exact else (n * (n + 1) + root) // 2 + 1)


def d_threshold(n: int, *, as_stated: bool = False) -> int:
    """The number of features from which C_P <= C_D holds for every binary X with n examples: floor((n + 1)^2/4).

    Corollary 6 of the paper states n^2 + 3n (`as_stated=True`). The smaller number is exact: with fewer features (and
    d >= n) some X has C_P > C_D. So for binary data the dual bound can be the better one with d >= n only if
    d < floor((n + 1)^2/4), and by symmetry the primal one with n >= d only if n < floor((d + 1)^2/4).

    Parameters
    ----------
    n : int
        Examples.
    as_stated : bool, default False
        True: the paper's constant, n^2 + 3n.

    Raises
    ------
    ValueError
        If n < 1.

    Notes
    -----
    Sufficient: n odd, alpha^2/n >= (n + 1) alpha - n (n + 1)^2/4 for all alpha; n even, L lies above its chord at
    k = n/2, L >= (n + 1) alpha - n^2 (n + 2)/4; compare with C_P <= (n + 1) alpha - n d. Necessary: choose
    alpha = d + x (n - 1), where that bound on C_P is attained, nearest to n (n + 1)/2, where the one on C_D is.
    """
    (n,) = _check_integers(n=n)
    if n < 1:
        raise ValueError(f"d_threshold(n={n}) needs n >= 1")
    return n * n + 3 * n if as_stated else (n + 1) ** 2 // 4


def _check_integers(**numbers: int) -> list[int]:
    for name, value in numbers.items():
        if not is_integer_valued(value):
            raise ValueError(f"{name} must be a whole number, not {value!r}")
    return [int(value) for value in numbers.values()]


def is_integer_valued(value: Any) -> bool:
    """Tell whether a value is a whole number, such as 3 or 3.0; no bool, NaN or word is."""
    return checks.is_integer(value) or (checks.is_number(value) and float(value).is_integer())


def _check_matrix(alpha: int, d: int, n: int) -> None:
    alpha, d, n = _check_integers(alpha=alpha, d=d, n=n)
    if not (n >= 1 and d >= 1 and max(n, d) <= alpha <= n * d):
        raise ValueError(
            f"no {n} x {d} matrix without zero rows and columns has {alpha} nonzeros: "
            f"max(n, d) = {max(n, d)} <= alpha <= n d = {n * d} is needed"
        )
