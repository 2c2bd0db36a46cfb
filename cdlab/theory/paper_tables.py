"""The papers' tables, from the same bounds that are typeset, evaluated and drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import overload

import sympy as sp

from ..numerics import checks
from .evaluate import in_kappa
from .lookup import bound
from .parallel import NETWORKS, parallel_time
from .symbols import kappa, m, n
from .tables import Table


@overload
def table(name: str) -> Table: ...
@overload
def table(name: None = None) -> dict[str, Table]: ...
def table(name: str | None = None) -> Table | dict[str, Table]:
    """One of the papers' tables, or all of them by name.

    Parameters
    ----------
    name : str, optional
        "spdc 1", "asdca 1", "asdca 2", "asdca 3", "appa 1", "appa 1 least squares" or "face-off"; by default all.

    Returns
    -------
    Table or dict of str to Table

    Raises
    ------
    ValueError
        For an unknown name.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.table("face-off").rows[1][1][2]
    C_D/(gamma*l2*n) + nnz
    """
    if name is None:
        return {each: _made(each) for each in TABLES}
    if not checks.is_one_of(name, TABLES):
        raise ValueError(f"there is no table {checks.short_repr(name)}; there are {', '.join(TABLES)}")
    return _made(name)


@cache
def _made(name: str) -> Table:
    return TABLES[name]()


def face_off() -> Table:
    """K, W and T of both sides, for importance and uniform sampling (Csiba & Richtarik 2016)."""
    rows = []
    for sampling in ("importance", "uniform"):
        for side, method in (("primal", "rcd"), ("dual", "quartz")):
            quantities = ("K", "cost per iteration", "T")
            cells = tuple(bound(method, quantity, sampling).expr for quantity in quantities)
            rows.append((f"{side}, {sampling}", cells))
    return Table(
        "face-off", "Iterations, cost of one, and work without the logarithm",
        "Csiba & Richtarik 2016, eq. (10)-(16)", ("K", "W", "T"), tuple(rows),
    )  # fmt: skip


# ------------------------------------------------------------ accelerated mini-batch SDCA
S3 = "Shalev-Shwartz & Zhang 2013, arXiv:1305.2581; rebuilt from its formulas, the printed tables are lost"
REGIMES = {"gamma l2 n/R^2 ~ 1": sp.S.One, "~ 1/m": 1 / m, "~ m": m}


def three_methods() -> dict[str, tuple[sp.Expr, sp.Expr]]:
    """K of the three methods in kappa, and the examples that an iteration processes.

    The accelerated gradient method is spdc with a batch of all examples.
    """
    accelerated = in_kappa(bound("spdc", "K").expr.subs(m, n))
    return {
        "SDCA": (in_kappa(bound("sdca", "K").expr), sp.S.One),
        "ASDCA": (in_kappa(bound("asdca", "K").expr), m),
        "AGD": (accelerated, n),
    }


def order(K: sp.Expr, regime: sp.Expr) -> sp.Expr:
    """The term of K that dominates the others for all 1 <= m <= n where gamma l2 n/R^2 = regime, without its factor.

    Terms are monomials n^a m^b. On a log scale they are linear in ln m, so one dominates another where it does at both
    ends: a >= a' at m = 1, and a + b >= a' + b' at m = n.

    Raises
    ------
    ValueError
        If no term dominates all others.

    Examples
    --------
    >>> from cdlab.theory.symbols import kappa
    >>> order(n + kappa, 1 / m)
    m*n
    """
    N, M = sp.symbols("n m", positive=True)
    expr = K.subs({kappa: n / regime}).subs({n: N, m: M})
    factor, largest = expr.as_independent(sp.Max, as_Add=False)
    terms = [factor * e for e in largest.args] if isinstance(largest, sp.Max) else sp.Add.make_args(sp.expand(expr))
    monomials = {sp.powsimp(sp.powdenest(sp.expand(e), force=True)).as_coeff_Mul()[1] for e in terms}
    for e in monomials:
        a, b = _powers(e, N, M)
        if all(a >= a2 and a + b >= a2 + b2 for a2, b2 in (_powers(other, N, M) for other in monomials)):
            return e.subs({N: n, M: m})
    raise ValueError(f"no term of {K} dominates the others for all 1 <= m <= n")


def _powers(monomial: sp.Expr, N: sp.Symbol, M: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    return tuple(sp.simplify(x * sp.diff(monomial, x) / monomial) for x in (N, M))


def _orders(name: str, title: str, batch: bool) -> Table:
    rows = tuple(
        (method, tuple(order(K, regime) * (size if batch else 1) for regime in REGIMES.values()))
        for method, (K, size) in three_methods().items()
    )
    return Table(name, title, S3, tuple(REGIMES), rows)


def parallel() -> Table:
    """Runtime and communication of an iteration on s nodes (Shalev-Shwartz & Zhang 2013, arXiv:1305.2581)."""
    rows = []
    for method, partition in (
        ("sdca", "features"),
        ("asdca", "features"),
        ("asdca", "examples"),
        ("fista", "examples"),
    ):
        per_network = [parallel_time(method, partition, network) for network in NETWORKS]
        cells = (per_network[0].runtime, *(t.communication for t in per_network), *(t.channels for t in per_network))
        rows.append((f"{method}, by {partition}", cells))
    counted = ("numbers sent", "channels opened")
    columns = ("runtime of an iteration", *(f"{what} ({network})" for what in counted for network in NETWORKS))
    return Table("asdca 3", "An iteration on s nodes", S3, columns, tuple(rows))


# ------------------------------------------------------------ tables whose rows are asymptotic statements
def _stated(name: str, title: str, source: str, rows: dict[str, tuple[str, str]], quantity: str) -> Table:
    cells = tuple(
        (label, (bound(method, quantity, theorem=theorem).expr,)) for label, (method, theorem) in rows.items()
    )
    return Table(name, title, source, (quantity,), cells)


def spdc() -> Table:
    """Passes of SPDC for smooth and non-smooth losses, with l2 and without (Zhang & Xiao 2015, Table 1)."""
    cases = {
        "smooth loss, strongly convex g": "table 1: smooth, strongly convex",
        "smooth loss, convex g": "table 1: smooth",
        "non-smooth loss, strongly convex g": "table 1: strongly convex",
        "non-smooth loss, convex g": "table 1: neither",
    }
    rows = {label: ("spdc", theorem) for label, theorem in cases.items()}
    others = {
        "the last: accelerated gradient on the smoothed loss": ("agd", "smoothed loss"),
        "the last: SGD": ("sgd", "not strongly convex"),
    }
    title = "Passes of batches of m, up to constants and logarithms"
    return _stated("spdc 1", title, "Zhang & Xiao 2015, Table 1 and section 4", rows | others, "passes")


S4 = "Frostig, Ge, Kakade & Sidford 2015, Table 1; in means instead of sums"


REGULARISED = ("sdca", "accprox_sdca", "apcg")  # they need an l2, and count by its condition number


def appa() -> Table:
    """Nonzeros that APPA and the methods it is compared with visit (Frostig et al. 2015, Table 1)."""
    methods = ("gd", "agd", "sag", "svrg", "sdca", "accprox_sdca", "apcg", "acc_appa", "dual_appa")
    rows = tuple(
        (
            method,
            (
                bound(method, "arithmetic", theorem="frostig table 1").expr,
                "P with l2 > 0" if method in REGULARISED else "P, also with l2 = 0",
            ),
        )
        for method in methods
    )
    title = "Nonzeros visited, up to constants and logarithms"
    return Table("appa 1", title, S4, ("arithmetic", "problem"), rows)


def least_squares() -> Table:
    """Operations for least squares of full rank (Frostig et al. 2015, Table 1)."""
    rows = {
        "pseudoinverse": ("pseudoinverse", "table 1"),
        "row sampling": ("row_sampling", "table 1"),
        "randomized Kaczmarz (consistent)": ("kaczmarz", "consistent"),
        "accelerated Kaczmarz (consistent)": ("acc_kaczmarz", "consistent"),
        "accelerated coordinate descent": ("acc_cd", "least squares"),
        "this work: accelerated APPA": ("acc_appa", "frostig table 1"),
    }
    return _stated("appa 1 least squares", "Operations for least squares with X of full rank", S4, rows, "arithmetic")


TABLES: dict[str, Callable[[], Table]] = {
    "face-off": face_off,
    "spdc 1": spdc,
    "asdca 1": lambda: _orders("asdca 1", "Iterations, up to constants and logarithms", batch=False),
    "asdca 2": lambda: _orders("asdca 2", "Examples processed, up to constants and logarithms", batch=True),
    "asdca 3": parallel,
    "appa 1": appa,
    "appa 1 least squares": least_squares,
}
