"""Tables of expressions: typeset, and evaluated at numbers or on a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from .constants import constants_of, to_accuracy
from .evaluate import checked, evaluate
from .problems import relative
from .symbols import to_latex

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
        return self._frame(checked(values))

    def for_problem(self, problem: Any, eps: float = 1e-6, **measured: float) -> pandas.DataFrame:
        """The table on a problem, at accuracy eps relative to P(0) - P*.

        Parameters and errors are those of `Bound.for_problem`; no theorem's assumptions are checked.
        """
        used = {symbol.name for expression in self.expressions for symbol in expression.free_symbols}
        values = to_accuracy(constants_of(problem, measured, used), problem, measured)
        values["eps"] = relative(eps) * values["P0"]
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
