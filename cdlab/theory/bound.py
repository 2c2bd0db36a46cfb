"""A bound: one formula that is typeset, evaluated at numbers or on a problem, and drawn over a measured curve."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp

from .derivations.counts import neat
from .drawn_samplings import Drawn
from .evaluate import Curve, checked, first_failed, given, in_words
from .problems import COUNTS, curve_of, on_problem, value
from .symbols import MEANINGS, P0, n, nnz, t, to_latex

QUANTITIES = (*COUNTS, "cost per iteration", "K", "T")

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


@dataclass(frozen=True)
class Bound:
    """What a theorem guarantees about a method, as one sympy expression.

    Attributes
    ----------
    method, theorem, sampling : str
        Which method, by which of its theorems, under which sampling.
    quantity : str
        "iterations", "passes", "examples" or "arithmetic" (nonzeros visited) to accuracy eps; "cost per iteration"; "K"
        and "T" are iterations and arithmetic without the logarithm (the face-off's letters). "value": a lemma about one
        step or one quantity, which counts nothing.
    expr : sympy expression
        The bound on that quantity.
    exact : sympy expression or None
        The sharper count before ln(1/(1 - rho)) >= rho is used; None where the theorem is no contraction.
    assumptions : tuple of sympy relations
        What is not among them is not needed.
    source : str
        Paper, theorem, and whether the form is the printed or a corrected one.
    kind : "theorem" or "asymptotic"
        Asymptotic: constants and logarithms are not known, so there is no curve.
    target : str
        In words, what is at most eps after that count; of a lemma, what the value bounds.
    step : "iteration" or "stage"
        What `count` counts. A stage is a whole run of an inner method.
    guarantee : sympy expression or None
        Upper bound on the expectation of ``bounded`` at the last iterate, after t steps.
    bounded : "P(w)-P*", "P-D", "D*-D", "|w-w*|^2" or ""
    unit : sympy expression
        What a relative accuracy is relative to: P(0) - P*, or for a distance the one that this suboptimality implies.
    count : sympy expression or None
        Steps to eps.
    K : sympy expression or None
        1/(contraction factor); None where the theorem is no contraction.
    W : sympy expression or None
        Expected nonzeros visited by one step; None only of a lemma.
    setup : sympy expression
        Nonzeros visited before the first step, for what the theorem takes as given (L_f, mu). The formula is the
        theorem's and leaves them out; on a problem they count.
    definitions : tuple of sympy equations
        What K and W stand for where they are symbols.
    defaults : tuple of (symbol, expression)
        Parameters that `solve` sets by itself, as functions of the problem's constants.
    parameters : tuple of (name, value)
        The method's own parameters that the theorem is about, where they are not its defaults.
    neutral : tuple of str
        The method's parameters that the theorem leaves free: it holds for each of their values.
    own : tuple of (symbol, number)
        What the parameters of the instance that was asked about set.
    fallback : Bound or None
        What the method runs, and is covered by, where an assumption fails.
    side : "dual" or "primal"
        Whose coordinates are sampled.
    vectors : bool
        Whether losses of several predictions (softmax) are covered.
    drawn : Drawn or None
        The sampling that was asked for, with its probabilities, power or blocks; None if nobody asked.
    """

    method: str
    theorem: str
    sampling: str
    quantity: str
    expr: sp.Expr
    assumptions: tuple[sp.Basic, ...]
    source: str
    target: str
    side: str
    bounded: str = ""
    guarantee: sp.Expr | None = None
    unit: sp.Expr = P0
    step: str = "iteration"
    count: sp.Expr | None = None
    W: sp.Expr | None = None
    setup: sp.Expr = sp.S.Zero
    K: sp.Expr | None = None
    exact: sp.Expr | None = None
    definitions: tuple[sp.Eq, ...] = ()
    defaults: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    neutral: tuple[str, ...] = ()
    own: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    fallback: Bound | None = None
    kind: str = "theorem"
    vectors: bool = False
    drawn: Drawn | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.quantity} bound of {self._who} (theorem {self.theorem!r})"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    @property
    def _who(self) -> str:
        return self.method if self.sampling == "none" else f"{self.method} with {self.sampling} sampling"

    @property
    def counts(self) -> bool:
        """Whether the theorem says how long a method takes; a lemma about one step does not."""
        return self.count is not None

    @property
    def quantities(self) -> tuple[str, ...]:
        """What `per` can be asked for."""
        if self.count is None:
            return ()
        return QUANTITIES if self.K is not None else (*COUNTS, "cost per iteration")

    @property
    def symbols(self) -> set[sp.Symbol]:
        """Everything that this bound's numbers and curve depend on."""
        parts = (self.expr, self.guarantee, self.W, self.setup, self.K, self.unit)
        return set().union(*(part.free_symbols for part in parts if part is not None)) - {t}

    # ------------------------------------------------------------ the formula
    def latex(self) -> str:
        r"""The formula in the papers' letters, without dollar signs.

        >>> from cdlab import theory
        >>> print(theory.bound("sdca", "K").latex())
        n + \frac{R^{2}}{\gamma \lambda}
        """
        return to_latex(self.expr)

    def latex_definitions(self) -> list[str]:
        """LaTeX equations for what the formula leaves as symbols: K, W, s_i, p_i, and parameters that are set."""
        used, set_to = self.expr.free_symbols, dict(self.defaults) | dict(self.own)
        chosen = (sp.Eq(symbol, formula) for symbol, formula in set_to.items() if symbol in used)
        return [to_latex(equation) for equation in (*self.definitions, *chosen)]

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
        words = _WORDS[self.quantity].format(target=self.target, step=self.step)
        if self.kind == "asymptotic":
            words += ", up to constants and logarithms"
        needs = " and ".join(in_words(assumption) for assumption in self.assumptions)
        condition = f", provided that {needs}" if needs and self.quantity != "cost per iteration" else ""
        return f"{self._who}: {words}{condition} ({self.source})."

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
        """The same theorem for another quantity, derived from its count, K and W.

        Raises
        ------
        ValueError
            For an unknown quantity, "K" and "T" of a theorem that is no contraction, or any of a lemma's.
        """
        if quantity not in QUANTITIES:
            raise ValueError(f"unknown quantity {quantity!r}: a bound is for one of {', '.join(QUANTITIES)}")
        if self.count is None:
            raise ValueError(f"{self.method}'s {self.theorem!r} says nothing about {quantity}: it bounds a value")
        if quantity == "cost per iteration":
            return replace(self, quantity=quantity, expr=self.W, exact=None)
        one = sp.S.One
        cost = {"iterations": one, "K": one, "passes": self.W / nnz, "examples": self.W * n / nnz}.get(quantity, self.W)
        if self.K is None:
            if quantity not in COUNTS:
                raise ValueError(
                    f"{self.method}'s theorem {self.theorem!r} is no contraction, so it has no {quantity}; "
                    f"ask for {', '.join(COUNTS)}"
                )
            factor, rest = self.count.as_independent(sp.log, as_Add=False)
            in_one = sp.expand(self.count * cost, deep=False) if rest.is_Add else neat(factor * cost) * rest
            return replace(self, quantity=quantity, expr=in_one)
        leading = neat(self.K * cost)  # K W in one piece: this is where T becomes short
        if quantity not in COUNTS:
            return replace(self, quantity=quantity, expr=leading, exact=None)
        logarithm = self.count / self.K
        exact = None if self.exact is None else -neat(cost) * logarithm / sp.log(1 - 1 / self.K)
        return replace(self, quantity=quantity, expr=leading * logarithm, exact=exact)

    def instead(self) -> Bound:
        """The fallback for the same quantity, with what was asked for: the sampling, and numbers of an instance."""
        asked = {"drawn": self.drawn, "defaults": (*self.fallback.defaults, *self.defaults)}
        there = replace(self.fallback, **asked, own=(*self.own, *self.fallback.own))
        return there.per(self.quantity)

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
        eps : float, default 1e-6
            Relative to P(0) - P*; of a bound on a distance, the distance within which every point of that accuracy
            lies (see `unit`).
        **measured : float
            Better values for keywords of `at`. Otherwise P(0) - D(0) bounds D0 = D* - D(0) and the distances to the
            optimum, and for P0 = P(0) - P* stands a lower bound: how far P falls along its steepest descent from 0.

        Returns
        -------
        float. A count is 0 if P(0) = D(0), and inf if P(0) = P*, of which every accuracy is a share, but D(0) is less.
        With nnz = 0 a pass is n iterations. Where the method falls back to another one, the bound of that.

        Raises
        ------
        ValueError
            If the problem contradicts an assumption: the message names it, and a bound that fits if there is one.
        TypeError
            If `problem` is none (a matrix alone has neither a loss nor l2), or eps is not one number.
        """
        return on_problem(self, problem, eps, measured)

    def curve(self, problem: Any, passes: Any, **measured: float) -> Curve:
        """What the theorem guarantees, in expectation, at each point of a trace.

        Parameters
        ----------
        problem, measured : as in `for_problem`, but that P0 is bounded by P(0) - D(0)
        passes : array
            Passes done at each point, at least 0.

        Returns
        -------
        Curve
            An array like `passes`, absolute (not relative). Its attribute ``bounded`` (also the bound's own) says
            which quantity of the last iterate stays below it in expectation: "P(w)-P*", "P-D", "D*-D" or "|w-w*|^2".

        Raises
        ------
        ValueError
            As `for_problem`, and if there is no curve: of a lemma, or an asymptotic statement.
        """
        return curve_of(self, problem, passes, measured)
