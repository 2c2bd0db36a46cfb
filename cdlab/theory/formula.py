"""A bound: one formula that is typeset, evaluated at numbers or on a problem, and drawn over a measured curve."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp

from .derive import neat
from .evaluate import Curve, checked, evaluate, first_failed, given, in_words
from .measure import values_of
from .symbols import MEANINGS, nnz, to_latex

COUNTS = ("iterations", "passes", "total")  # to eps
QUANTITIES = (*COUNTS, "cost per iteration", "K", "T")

_WORDS = {
    "iterations": "{target} is at most eps after this many iterations",
    "passes": "{target} is at most eps after this many passes over the data (nonzeros visited / nnz)",
    "total": "{target} is at most eps once this many nonzeros have been visited",
    "cost per iteration": "one iteration visits this many nonzeros in expectation",
    "K": "the guarantee on {target} falls by a factor e in this many iterations",
    "T": "the guarantee on {target} falls by a factor e while this many nonzeros are visited (K W)",
}


@dataclass(frozen=True)
class Bound:
    """What a theorem guarantees about a method, as one sympy expression.

    Attributes
    ----------
    method, theorem, sampling : str
        Which method, by which of its theorems, under which sampling.
    quantity : str
        "iterations", "cost per iteration", "passes" or "total", with costs in nonzeros visited; "K" and "T" are
        iterations and total without the logarithm (the face-off's letters).
    expr : sympy expression
        The bound on that quantity.
    exact : sympy expression or None
        The sharper count before ln(1/(1 - rho)) >= rho is used; None where the theorem is no contraction.
    assumptions : tuple of sympy relations
    source : str
        Paper, theorem, and whether the form is the printed one.
    kind : "theorem" or "asymptotic"
    target : str
        In words, what is at most eps after that count.
    guarantee : sympy expression
        Upper bound on the expectation of ``bounded`` at the last iterate, after t iterations.
    bounded : "P(w)-P*", "P-D" or "D*-D"
    count : sympy expression
        Iterations to eps.
    K : sympy expression or None
        1/(contraction factor); None where the theorem is no contraction.
    W : sympy expression
        Expected nonzeros visited by one iteration.
    definitions : tuple of sympy equations
        What K and W stand for where they are symbols.
    side : "dual" or "primal"
        Whose coordinates are sampled.
    probabilities, power
        Of samplings "given" and "lipschitz".
    """

    method: str
    theorem: str
    sampling: str
    quantity: str
    expr: sp.Expr
    assumptions: tuple[sp.Basic, ...]
    source: str
    target: str
    guarantee: sp.Expr
    bounded: str
    side: str
    count: sp.Expr
    W: sp.Expr
    K: sp.Expr | None = None
    exact: sp.Expr | None = None
    definitions: tuple[sp.Eq, ...] = ()
    kind: str = "theorem"
    probabilities: np.ndarray | None = field(default=None, compare=False)
    power: float = 0.5

    def __str__(self) -> str:
        return f"{self.quantity} bound of {self.method} with {self.sampling} sampling (theorem {self.theorem!r})"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    # ------------------------------------------------------------ the formula
    def latex(self) -> str:
        r"""The formula in the papers' letters, without dollar signs.

        >>> from cdlab import theory
        >>> print(theory.bound("sdca", "K").latex())
        n + \frac{R^{2}}{\gamma \lambda}
        """
        return to_latex(self.expr)

    def latex_definitions(self) -> list[str]:
        """LaTeX equations for K, W, s_i and p_i where the formula uses them; empty where it is closed."""
        return [to_latex(equation) for equation in self.definitions]

    def where(self) -> dict[str, str]:
        r"""The legend: LaTeX of each symbol in the formula -> its meaning.

        >>> from cdlab import theory
        >>> theory.bound("sdca", "K").where()["\\lambda"]
        'weight of (1/2)||w||^2: the strong convexity of P'
        """
        symbols = sorted(self.expr.free_symbols, key=lambda symbol: symbol.name)
        return {to_latex(symbol): MEANINGS[symbol.name] for symbol in symbols}

    def explain(self) -> str:
        """One sentence: what the formula says, under which assumptions, and who proved it."""
        words = _WORDS[self.quantity].format(target=self.target)
        needs = " and ".join(in_words(assumption) for assumption in self.assumptions)
        condition = "" if self.quantity == "cost per iteration" else f", provided that {needs}"
        return f"{self.method} with {self.sampling} sampling: {words}{condition} ({self.source})."

    def sharper(self) -> Bound:
        """The same bound before ln(1/(1 - rho)) >= rho is used: never larger, less readable.

        Raises
        ------
        ValueError
            If there is no sharper form.
        """
        if self.exact is None:
            raise ValueError(f"the {self} has no sharper form: no contraction factor was simplified in it")
        return replace(self, expr=self.exact, exact=None)

    def per(self, quantity: str) -> Bound:
        """The same theorem for another quantity, derived from its iteration count, K and W.

        Raises
        ------
        ValueError
            For an unknown quantity, or "K" and "T" of a theorem that is no contraction.
        """
        if quantity not in QUANTITIES:
            raise ValueError(f"unknown quantity {quantity!r}: a bound is for one of {', '.join(QUANTITIES)}")
        if quantity == "cost per iteration":
            return replace(self, quantity=quantity, expr=self.W, exact=None)
        cost = {"iterations": sp.S.One, "K": sp.S.One, "passes": self.W / nnz}.get(quantity, self.W)
        if self.K is None:
            if quantity not in COUNTS:
                raise ValueError(
                    f"{self.method}'s theorem {self.theorem!r} is no contraction, so it has no {quantity}; "
                    f"ask for {', '.join(COUNTS)}"
                )
            return replace(self, quantity=quantity, expr=sp.expand(self.count * cost, log=False))
        leading = neat(self.K * cost)  # K W in one piece: this is where T becomes short
        if quantity not in COUNTS:
            return replace(self, quantity=quantity, expr=leading, exact=None)
        logarithm = self.count / self.K
        exact = -neat(cost) * logarithm / sp.log(1 - 1 / self.K)
        return replace(self, quantity=quantity, expr=leading * logarithm, exact=exact)

    # ------------------------------------------------------------ numbers
    def at(self, **values: Any) -> float | np.ndarray:
        """The bound at these numbers.

        Parameters
        ----------
        **values : float or array
            n, d, nnz, l2, l1, gamma, L, R, Rbar (mean row norm), R_col (largest column norm), F (squared Frobenius
            norm), m, eps (absolute), C_P, C_D, D0 = D* - D(0), P0 = P(0) - P*, gap0 = P(0) - D(0), K, W, power. Arrays
            broadcast. Keywords that the formula does not contain are checked against its assumptions and otherwise
            ignored, so that one set of numbers serves all bounds.

        Returns
        -------
        float, or an array if a value is one. A count is never negative: 0 where the start is good enough.

        Raises
        ------
        ValueError
            For a missing or unknown keyword, a value out of range, or one that contradicts an assumption.

        Examples
        --------
        >>> from cdlab import theory
        >>> theory.bound("rcd", "T", sampling="importance").at(nnz=17, n=5, l2=0.2, gamma=1.0, C_P=89)
        106.0
        """
        values = checked(values)
        failed = first_failed(self.assumptions, values)
        if failed is not None:
            raise ValueError(f"the {self} needs {in_words(failed)}, but {given(failed, values)} was passed")
        return self._at(values)

    def _at(self, values: dict[str, Any]) -> float | np.ndarray:
        result = evaluate(self.expr, values, f"the {self}")
        return max(result, 0.0) if isinstance(result, float) else np.maximum(result, 0.0)

    def for_problem(self, problem: Any, eps: float = 1e-6, **measured: float) -> float:
        """The bound on a problem.

        Parameters
        ----------
        problem : object whose ``constants()`` returns the plain numbers n, d, nnz, l2, l1, gamma, L, R, ... and gap0
        eps : float, default 1e-6
            Accuracy relative to P(0) - P*.
        **measured : float
            Better values for keywords of `at`. Otherwise P(0) - D(0) stands in for the unknown P0 = P(0) - P* and
            D0 = D* - D(0), both of which it bounds.

        Returns
        -------
        float. A count is 0 if P(0) = P*; with nnz = 0 a pass is n iterations.

        Raises
        ------
        ValueError
            If the problem contradicts an assumption: the message names it, and a bound that fits if there is one.
        """
        values = values_of(self, problem, measured)
        values["eps"] = checked({"eps": eps})["eps"] * values["P0"]
        if self.quantity in COUNTS and values["P0"] == 0:
            return 0.0
        if self.quantity == "passes" and values["nnz"] == 0:
            return float(self.per("iterations")._at(values) / values["n"])
        return float(self._at(values))

    def curve(self, problem: Any, passes: Any, **measured: float) -> Curve:
        """What the theorem guarantees, in expectation, at each point of a trace.

        Parameters
        ----------
        problem, measured : as in `for_problem`
        passes : array
            Passes done at each point.

        Returns
        -------
        Curve
            An array like `passes`, absolute (not relative). Its attribute ``bounded`` (also the bound's own) says
            which quantity of the last iterate stays below it in expectation: "P(w)-P*", "P-D" or "D*-D".

        Raises
        ------
        ValueError
            As `for_problem`.
        """
        values = values_of(self, problem, measured)
        passes = np.asarray(passes, dtype=float)
        cost = evaluate(self.W, values, f"the {self}") / values["nnz"] if values["nnz"] > 0 else 1 / values["n"]
        error = evaluate(self.guarantee, values | {"t": passes / cost}, f"the curve of the {self}")
        curve = np.broadcast_to(error, passes.shape).copy().view(Curve)
        curve.bounded = self.bounded
        return curve
