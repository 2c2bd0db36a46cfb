"""C_P and C_D in closed form, for data whose matrix need not be built: arrows, and independent random entries.

Binary data have a module of their own, ``binary_matrices``. Source: Csiba & Richtarik, Coordinate descent face-off:
primal or dual? (2016), sections 5.2 and 6. d are features and n examples.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple

from .binary_matrices import is_integer_valued

MAX_SHAPE = 10**15  # rows or columns: whole numbers that float64 holds


class Sums(NamedTuple):
    """Sums over a matrix that decide the face-off, or their expectations (Csiba & Richtarik 2016, eq. 16).

    Attributes
    ----------
    F : float
        Squared Frobenius norm.
    C_P, C_D : float
        Number of nonzeros times squared norm, summed over columns and over rows.
    """

    F: float
    C_P: float
    C_D: float

    @property
    def ratio(self) -> float:
        """C_P/C_D, between 1/d and n (Theorem 3); NaN for X = 0."""
        return self.C_P / self.C_D if self.C_D else math.nan


def arrow(d: int, n: int, a: float, b: float, c: float) -> Sums:
    """The sums of the arrow matrix ``cdlab.datasets.arrow(d, n, a, b, c)``: corner a, column b, row c, 0 elsewhere.

    For nonzero a, b, c

        C_P = n (a^2 + (n - 1) b^2) + (d - 1) c^2,    C_D = d (a^2 + (d - 1) c^2) + (n - 1) b^2.

    They show that Theorem 3 cannot be improved: for d, n >= 2, C_P/C_D -> n as b -> inf (one feature in every example,
    the primal's worst case) with C_P/F -> n and C_D/F -> 1, and C_P/C_D -> 1/d as c -> inf (one example with every
    feature, the dual's worst case). Both ends are limits: n is attained for d = 1 only, and 1/d for n = 1 only.

    b = inf or c = inf gives the limit of the sums divided by F (which is then 1).

    Parameters
    ----------
    d, n : int
        Features and examples, from 1 to 10^15.
    a, b, c : float
        The entry in the corner, those below it in the first column, and those beside it in the first row.

    Raises
    ------
    ValueError
        For d < 1, n < 1, an entry that is 0 or NaN, more than one infinite one, or sums outside float64.

    Examples
    --------
    >>> arrow(3, 4, a=1, b=2, c=3)
    Sums(F=31.0, C_P=70.0, C_D=69.0)
    >>> arrow(3, 4, a=1, b=float("inf"), c=3).ratio
    4.0
    """
    _check_shape(d, n)
    entries = {"a": a, "b": b, "c": c}
    for name, x in entries.items():
        if not isinstance(x, Real) or not x or math.isnan(x):
            raise ValueError(
                f"{name} must be a number other than 0, not {x}: without this entry the sums are different ones"
            )
    infinite = [name for name, x in entries.items() if math.isinf(x)]
    if len(infinite) > 1:
        raise ValueError(f"{' and '.join(infinite)} cannot all be infinite: the limit depends on their ratio")
    if infinite:  # what is left after dividing by the square of the infinite entry
        a, b, c = (float(name == infinite[0]) for name in entries)
    a2, b2, c2 = a * a, b * b, c * c
    F = a2 + (n - 1) * b2 + (d - 1) * c2
    if F == 0:
        if infinite:
            raise ValueError(f"a {n} x {d} arrow has no entry {infinite[0]} that could be infinite")
        raise ValueError("the squares of the entries underflow: choose entries nearer to 1")
    found = _representable(F, n * (a2 + (n - 1) * b2) + (d - 1) * c2, d * (a2 + (d - 1) * c2) + (n - 1) * b2)
    return Sums(*(x / F for x in found)) if infinite else found


def iid(d: int, n: int, density: float = 1.0, mean: float = 0.0, variance: float = 1.0) -> Sums:
    """Expected sums of a matrix whose entries are independent, with the same mean and variance.

    Let density = Prob(x_ij != 0); mean and variance are those of the entries, zeros included. With
    m2 = mean^2 + variance

        E C_P = d n m2 (1 + (n - 1) density),    E C_D = d n m2 (1 + (d - 1) density),    E F = d n m2,

    because the squared entry x_kj^2 meets a nonzero x_ij with probability 1 in its own place and with the density in
    the n - 1 others. So E C_P <= E C_D if n <= d: i.i.d. data favour the primal if there are more features than
    examples, and the dual if there are fewer, however sparse they are. Dense data of constant size have
    C_P = n F and C_D = d F without expectations.

    Parameters
    ----------
    d, n : int
        Features and examples, from 1 to 10^15.
    density : float, default 1
        Prob(x_ij != 0), in [0, 1].
    mean, variance : float, default 0 and 1
        Moments of an entry.

    Raises
    ------
    ValueError
        For d < 1, n < 1, a density outside [0, 1], sums outside float64, or moments that no such entries have:
        mean^2 <= density (mean^2 + variance) is needed, with variance >= 0.

    Examples
    --------
    >>> iid(d=100, n=20, density=0.5).ratio
    0.2079207920792079
    """
    _check_shape(d, n)
    m2 = mean * mean + variance  # mean**2 raises where this is inf
    if not (0 <= density <= 1 and 0 <= variance < math.inf and math.isfinite(m2)):
        raise ValueError(f"density={density}, mean={mean}, variance={variance}: density in [0, 1], variance >= 0")
    if mean * mean > density * m2 * (1 + 1e-12):  # Cauchy-Schwarz over the nonzero entries
        raise ValueError(f"entries with mean {mean} and variance {variance} are nonzero more often than {density:g}")
    F = float(d) * float(n) * m2
    return _representable(F, F * (1 + (n - 1) * density), F * (1 + (d - 1) * density))


def _representable(F: float, C_P: float, C_D: float) -> Sums:
    if not (math.isfinite(C_P) and math.isfinite(C_D)):
        raise ValueError("the sums exceed float64: choose a smaller shape, or entries nearer to 1")
    return Sums(float(F), float(C_P), float(C_D))


def _check_shape(d: int, n: int) -> None:
    for name, value in (("d", d), ("n", n)):
        if not is_integer_valued(value) or not 1 <= value <= MAX_SHAPE:
            raise ValueError(f"{name} must be a whole number >= 1 and at most {MAX_SHAPE:g}, not {value!r}")
