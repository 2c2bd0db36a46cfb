"""A bound: one formula that is typeset, evaluated at numbers or on a problem, and drawn over a measured curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from .curves import Curve
from .evaluate import checked, first_failed, given, in_words
from .problems import curve_of, on_problem, value
from .statement import Statement
from .symbols import MEANINGS, to_latex

_WORDS = {
    "iterations": "{target} is at most eps after this many {step}s",
    "passes": "{target} is at most eps after this many passes over the data (nonzeros visited / nnz)",
    "examples": "{target} is at most eps once as many examples as this have been processed (passes x n)",
    "arithmetic": "{target} is at most eps once this many nonzeros have been visited",
    "cost per iteration": "one {step} visits this many nonzeros in expectation",
    "K": "the guarantee on {target} falls by a factor e in this many {step}s",
    "T": "the guarantee on {target} falls by a factor e while this many nonzeros are visited (K W)",
    "value": "{target}",
}


class Bound(Statement):
    """The guarantee of a theorem about a method: one sympy expression that is typeset, evaluated and drawn.

    Its attributes are those of `cdlab.theory.statement.Statement`; `expr` is the formula, `quantity` what it counts.
    `cdlab.theory.bound` finds one, and `cdlab.theory.contraction` and its like make one.
    """

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def latex(self) -> str:
        r"""The formula in the papers' letters, without dollar signs.

        >>> from cdlab import theory
        >>> print(theory.bound("sdca", "K").latex())
        n + \frac{R^{2}}{\gamma \lambda}
        """
        return to_latex(self.expr)

    def latex_definitions(self) -> list[str]:
        """LaTeX equations that define the symbols of the formula: K, W, s_i, p_i, and parameters that are set."""
        used, set_to = self.expr.free_symbols, dict(self.defaults) | dict(self.own)
        chosen = (sp.Eq(symbol, formula) for symbol, formula in set_to.items() if symbol in used)
        return [to_latex(equation) for equation in (*self.definitions, *chosen)]

    def where(self) -> dict[str, str]:
        r"""The legend: a dict from the LaTeX of each symbol in the formula to its meaning.

        >>> from cdlab import theory
        >>> theory.bound("sdca", "K").where()["\\lambda"]
        'weight of (1/2)||w||^2: the strong convexity of P'
        """
        symbols = sorted(self.expr.free_symbols, key=lambda symbol: symbol.name)
        return {to_latex(symbol): MEANINGS[symbol.name] for symbol in symbols}

    def explain(self) -> str:
        """The formula in one sentence: its statement, its assumptions and its source."""
        words = _WORDS[self.quantity].format(target=self.target, step=self.step)
        if self.kind == "asymptotic":
            words += ", up to constants and logarithms"
        needs = " and ".join(in_words(assumption) for assumption in self.assumptions)
        condition = f", provided that {needs}" if needs and self.quantity != "cost per iteration" else ""
        return f"{self.who}: {words}{condition} ({self.source})."

    # ------------------------------------------------------------ numbers
    def at(self, **values: Any) -> float | np.ndarray:
        """The bound at these numbers.

        Parameters
        ----------
        **values : float or array
            Keywords of ``cdlab.theory.MEANINGS``: n, d, nnz, l2, l1, gamma, L, R, Rbar (mean row norm), R_col (largest
            column norm), F (squared Frobenius norm), L_f (smoothness of the mean loss), m (batch size), eps (absolute),
            C_P, C_D, D0 = D* - D(0), P0 = P(0) - P*, gap0 = P(0) - D(0), w2 = ||w_0 - w*||^2, and more; where only
            R^2/(l2 gamma) counts, kappa in place of the three. Arrays broadcast. Keywords that the formula does not
            contain are checked against its assumptions and otherwise ignored, so that one set of numbers serves all
            bounds.

        Returns
        -------
        float or array
            An array if a value is one. A count is never negative: 0 where the start is good enough.

        Raises
        ------
        ValueError
            For a missing or unknown keyword, a value out of range, or one that contradicts an assumption.
        TypeError
            For a value that is not a number or an array of numbers.

        Examples
        --------
        >>> from cdlab import theory
        >>> theory.bound("rcd", "T", sampling="importance").at(nnz=17, n=5, l2=0.2, gamma=1.0, C_P=89)
        106.0
        """
        values = checked({symbol.name: float(number) for symbol, number in self.own} | values)
        failed = first_failed(self.assumptions, values)
        if failed is not None:
            raise ValueError(f"the {self} needs {in_words(failed)}, but {given(failed, values)} was passed")
        return value(self, values)

    def for_problem(self, problem: Any, eps: float = 1e-6, **measured: float) -> float:
        """The bound on a problem, to an accuracy relative to P(0) - P* (the eps of `at` is absolute).

        Parameters
        ----------
        problem : Problem
            The data, loss and weights that the constants are computed from.
        eps : float, default 1e-6
            Relative to P(0) - P*; for a bound on a distance, the distance within which every point of that accuracy
            lies (see `unit`).
        **measured : float
            Better values for keywords of `at`. Otherwise P(0) - D(0) bounds D0 = D* - D(0) and the distances to the
            optimum, and P0 = P(0) - P* is replaced by a lower bound: the decrease of P along its steepest descent
            from 0.

        Returns
        -------
        float
            A count is 0 if P(0) = D(0), and inf if P(0) = P* (every accuracy is a share of P0) but D(0) is less. With
            nnz = 0 a pass is n iterations. Where the method falls back to another one, the bound of that.

        Raises
        ------
        Uncovered
            A ValueError: the problem contradicts an assumption. It names it, and a bound that fits if there is one.
        ValueError
            If the formula needs a constant that does not follow from the problem, or a value is out of range.
        TypeError
            If `problem` is not a Problem (a matrix alone has neither a loss nor l2), or eps is not one number.
        """
        return on_problem(self, problem, eps, measured)

    def curve(self, problem: Any, passes: Any, **measured: float) -> Curve:
        """The guarantee of the theorem, in expectation, at each point of a trace.

        Parameters
        ----------
        problem : Problem
            As in `for_problem`.
        passes : array
            Passes done at each point, at least 0.
        **measured : float
            As in `for_problem`, except that P0 is bounded by P(0) - D(0).

        Returns
        -------
        Curve
            Its ``values`` are absolute (not relative), one at each point. Its ``bounded`` (also the bound's own) says
            which quantity of the last iterate stays below them in expectation: "P(w)-P*", "P-D", "D*-D" or
            "|w-w*|^2".

        Raises
        ------
        ValueError
            As `for_problem`, and if there is no curve: for a lemma, or an asymptotic statement.
        """
        return curve_of(self, problem, passes, measured)
