"""The papers' tables, from the same bounds that are typeset, evaluated and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import sympy as sp

from ..numerics import checks
from .assumptions import check_eps
from .constants import keywords_on, with_lower_P0
from .crossovers import largest_terms
from .evaluate import check_values, evaluate, in_kappa
from .lookup import bound
from .parallel import NETWORKS, parallel_time
from .symbols import kappa, m, n, to_latex

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Table:
    """A paper's table: rows of expressions under column heads.

    Attributes
    ----------
    name, title, source : str
        The name for `cdlab.theory.table`, the heading, and the paper.
    columns : tuple of str
        The heads of the columns.
    rows : tuple of (label, cells)
        One cell for each column: an expression, words, or None where the paper has no entry.
    """

    name: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[sp.Expr | str | None, ...]], ...]

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """The cells that are formulas."""
        return tuple(cell for _, cells in self.rows for cell in cells if isinstance(cell, sp.Basic))

    def __str__(self) -> str:
        lines = [f"{self.title} ({self.source})", " | ".join(("", *self.columns))]
        lines += [" | ".join((label, *("" if e is None else str(e) for e in cells))) for label, cells in self.rows]
        return "\n".join(lines)

    def latex(self) -> str:
        r"""An ``array`` environment in the papers' letters, without dollar signs."""
        head = " & ".join(("", *(rf"\text{{{column}}}" for column in self.columns)))
        body = [" & ".join((rf"\text{{{label}}}", *map(_typeset, cells))) for label, cells in self.rows]
        layout = "l" * (1 + len(self.columns))
        return rf"\begin{{array}}{{{layout}}} " + r" \\ ".join([head + r" \\ \hline", *body]) + r" \end{array}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def at(self, **values: Any) -> pandas.DataFrame:
        """The table at these numbers; NaN where there is no entry.

        Parameters
        ----------
        **values : float
            Keywords of `Bound.at`.

        Raises
        ------
        ValueError
            For a missing or unknown keyword, or a value out of range.
        """
        return self._frame(check_values(values))

    def for_problem(self, problem: Any, eps: float = 1e-6, **measured: float) -> pandas.DataFrame:
        """The table on a problem, at accuracy eps relative to P(0) - P*.

        Parameters and errors are those of `Bound.for_problem`; no theorem's assumptions are checked.
        """
        used = {symbol.name for expression in self.expressions for symbol in expression.free_symbols}
        values = with_lower_P0(keywords_on(problem, measured, used), problem, measured)
        values["eps"] = check_eps(eps) * values["P0"]
        return self._frame(values)

    def _frame(self, values: dict[str, Any]) -> pandas.DataFrame:
        import pandas as pd

        def valued(cell: sp.Expr | str | None) -> Any:
            if cell is None:
                return np.nan
            return cell if isinstance(cell, str) else evaluate(cell, values, f"table {self.name!r}")

        cells = [[valued(cell) for cell in row] for _, row in self.rows]
        return pd.DataFrame(cells, index=[label for label, _ in self.rows], columns=list(self.columns))


def _typeset(cell: sp.Expr | str | None) -> str:
    if isinstance(cell, str):
        return rf"\text{{{cell}}}"
    return "" if cell is None else to_latex(cell)


@overload
def table(name: str) -> Table: ...
@overload
def table(name: None = None) -> dict[str, Table]: ...
def table(name: str | None = None) -> Table | dict[str, Table]:
    """Return a table of the papers, or all of them by name.

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
        return {each: _build(each) for each in TABLES}
    if not checks.is_one_of(name, TABLES):
        raise ValueError(f"there is no table {checks.short_repr(name)}; there are {', '.join(TABLES)}")
    return _build(name)


@cache
def _build(name: str) -> Table:
    return TABLES[name]()


def face_off_table() -> Table:
    """K, W and T of both sides, for importance and uniform sampling (Csiba & Richtarik 2016)."""
    rows = []
    for sampling in ("importance", "uniform"):
        for side, method in (("primal", "rcd"), ("dual", "quartz")):
            quantities = ("K", "cost per iteration", "T")
            cells = tuple(bound(method, quantity, sampling).expr for quantity in quantities)
            rows.append((f"{side}, {sampling}", cells))
    return Table(
        "face-off",
        "Iterations, cost of one, and work without the logarithm",
        "Csiba & Richtarik 2016, eq. (10)-(16)",
        ("K", "W", "T"),
        tuple(rows),
    )


# ------------------------------------------------------------ accelerated mini-batch SDCA
ASDCA_PAPER = "Shalev-Shwartz & Zhang 2013, arXiv:1305.2581; rebuilt from its formulas, the printed tables are lost"
REGIMES = {"gamma l2 n/R^2 ~ 1": sp.S.One, "~ 1/m": 1 / m, "~ m": m}


def methods_of_asdca_paper() -> dict[str, tuple[sp.Expr, sp.Expr]]:
    """K of the three methods in kappa, and the examples that an iteration processes.

    The accelerated gradient method is spdc with a batch of all examples.
    """
    accelerated = in_kappa(bound("spdc", "K").expr.subs(m, n))
    return {
        "SDCA": (in_kappa(bound("sdca", "K").expr), sp.S.One),
        "ASDCA": (in_kappa(bound("asdca", "K").expr), m),
        "AGD": (accelerated, n),
    }


def dominant_term(K: sp.Expr, regime: sp.Expr) -> sp.Expr:
    """The term of K that dominates the others for all 1 <= m <= n where gamma l2 n/R^2 = regime, without its factor.

    Raises
    ------
    ValueError
        If no term dominates all others.

    Examples
    --------
    >>> from cdlab.theory.symbols import kappa
    >>> dominant_term(n + kappa, 1 / m)
    m*n
    """
    positive = {n: sp.Symbol("n", positive=True), m: sp.Symbol("m", positive=True)}
    expr = K.subs({kappa: n / regime}).subs(positive)
    factor, maximum = expr.as_independent(sp.Max, as_Add=False)
    terms = [factor * e for e in maximum.args] if isinstance(maximum, sp.Max) else sp.Add.make_args(sp.expand(expr))
    monomials = {sp.powsimp(sp.powdenest(sp.expand(e), force=True)).as_coeff_Mul()[1] for e in terms}
    found = largest_terms(monomials, positive[n], positive[m], sp.S.Zero, sp.S.One)
    if len(found) > 1:
        raise ValueError(f"no term of {K} dominates the others for all 1 <= m <= n")
    return found[0].subs({new: old for old, new in positive.items()})


def _table_of_dominant_terms(name: str, title: str, batch: bool) -> Table:
    rows = tuple(
        (method, tuple(dominant_term(K, regime) * (size if batch else 1) for regime in REGIMES.values()))
        for method, (K, size) in methods_of_asdca_paper().items()
    )
    return Table(name, title, ASDCA_PAPER, tuple(REGIMES), rows)


def parallel_table() -> Table:
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
    return Table("asdca 3", "An iteration on s nodes", ASDCA_PAPER, columns, tuple(rows))


# ------------------------------------------------------------ tables whose rows are asymptotic statements
def _table_of_theorems(name: str, title: str, source: str, rows: dict[str, tuple[str, str]], quantity: str) -> Table:
    cells = tuple(
        (label, (bound(method, quantity, theorem=theorem).expr,)) for label, (method, theorem) in rows.items()
    )
    return Table(name, title, source, (quantity,), cells)


def spdc_table() -> Table:
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
    return _table_of_theorems("spdc 1", title, "Zhang & Xiao 2015, Table 1 and section 4", rows | others, "passes")


APPA_PAPER = "Frostig, Ge, Kakade & Sidford 2015, Table 1; in means instead of sums"


REGULARISED = ("sdca", "accprox_sdca", "apcg")  # methods that need an l2, and count by its condition number


def appa_table() -> Table:
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
    return Table("appa 1", title, APPA_PAPER, ("arithmetic", "problem"), rows)


def least_squares_table() -> Table:
    """Operations for least squares of full rank (Frostig et al. 2015, Table 1)."""
    rows = {
        "pseudoinverse": ("pseudoinverse", "table 1"),
        "row sampling": ("row_sampling", "table 1"),
        "randomized Kaczmarz (consistent)": ("kaczmarz", "consistent"),
        "accelerated Kaczmarz (consistent)": ("acc_kaczmarz", "consistent"),
        "accelerated coordinate descent": ("acc_cd", "least squares"),
        "this work: accelerated APPA": ("acc_appa", "frostig table 1"),
    }
    return _table_of_theorems(
        "appa 1 least squares", "Operations for least squares with X of full rank", APPA_PAPER, rows, "arithmetic"
    )


TABLES: dict[str, Callable[[], Table]] = {
    "face-off": face_off_table,
    "spdc 1": spdc_table,
    "asdca 1": lambda: _table_of_dominant_terms("asdca 1", "Iterations, up to constants and logarithms", batch=False),
    "asdca 2": lambda: _table_of_dominant_terms(
        "asdca 2", "Examples processed, up to constants and logarithms", batch=True
    ),
    "asdca 3": parallel_table,
    "appa 1": appa_table,
    "appa 1 least squares": least_squares_table,
}
