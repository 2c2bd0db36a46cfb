"""A theorem as data: one count, from which all quantities that a user asks for are derived. It imports no theorem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import sympy as sp

from ..numerics import checks
from .derivations.counts import neat
from .drawn_samplings import Drawn
from .symbols import P0, n, nnz, t

COUNTS = ("iterations", "passes", "examples", "arithmetic")  # to eps
QUANTITIES = (*COUNTS, "cost per iteration", "K", "T")


@dataclass(frozen=True)
class Statement:
    """The guarantee of a theorem about a method, as one sympy expression.

    Attributes
    ----------
    method, theorem, sampling : str
        The method, which of its theorems, and the sampling that it is about.
    quantity : str
        "iterations", "passes", "examples" or "arithmetic" (nonzeros visited) to accuracy eps; "cost per iteration"; "K"
        and "T" are iterations and arithmetic without the logarithm (the face-off's letters). "value": a lemma about one
        step or one quantity, which counts nothing.
    expr : sympy expression
        The bound on that quantity.
    exact : sympy expression or None
        The sharper count before ln(1/(1 - rho)) >= rho is used; None where the theorem is not a contraction.
    assumptions : tuple of sympy relations
        All that the theorem needs.
    source : str
        Paper, theorem, and whether the form is the printed or a corrected one.
    kind : "theorem" or "asymptotic"
        Asymptotic: constants and logarithms are not known, so there is no curve.
    target : str
        In words, the quantity that is at most eps after that count; for a lemma, the quantity that the value bounds.
    step : "iteration" or "stage"
        The unit of `count`. A stage is a whole run of an inner method.
    guarantee : sympy expression or None
        Upper bound on the expectation of ``bounded`` at the last iterate, after t steps.
    bounded : "P(w)-P*", "P-D", "D*-D", "|w-w*|^2" or ""
        The quantity that the guarantee bounds; empty for a lemma.
    unit : sympy expression
        The scale of a relative accuracy: P(0) - P*, or for a distance the one that this suboptimality implies.
    count : sympy expression or None
        Steps to eps.
    K : sympy expression or None
        1/(contraction factor); None where the theorem is not a contraction.
    W : sympy expression or None
        Expected nonzeros visited by one step; None only for a lemma.
    column : "passes" or "ideal_passes"
        The column of a trace whose passes W counts: all, or those of updates alone (greedy, as if it searched for
        nothing).
    setup : sympy expression
        Nonzeros visited before the first step, to compute constants that the theorem takes as given (L_f, mu). The
        formula is the theorem's and leaves them out; on a problem they count.
    definitions : tuple of sympy equations
        The definitions of K and W where they are symbols.
    defaults : tuple of (symbol, expression)
        Parameters that `solve` sets by itself, as functions of the problem's constants.
    parameters : tuple of (name, value)
        The method's own parameters that the theorem is about, where they are not its defaults.
    neutral : tuple of str
        The method's parameters that the theorem leaves free: it holds for each of their values.
    own : tuple of (symbol, number)
        Symbols set by the parameters of the instance that was asked about.
    fallback : Statement or None
        The theorem about what the method runs instead where an assumption fails.
    side : "dual" or "primal"
        Whether coordinates are examples (rows of X) or features (columns).
    vectors : bool
        Whether losses of several predictions (softmax) are covered.
    drawn : Drawn or None
        The sampling that was asked for; None if none was.
    alternatives : callable
        Returns the theorems that a refusal may name instead. They are derived only when a problem is refused.
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
    column: str = "passes"
    setup: sp.Expr = sp.S.Zero
    K: sp.Expr | None = None
    exact: sp.Expr | None = None
    definitions: tuple[sp.Eq, ...] = ()
    defaults: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    neutral: tuple[str, ...] = ()
    own: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    fallback: Statement | None = None
    kind: str = "theorem"
    vectors: bool = False
    drawn: Drawn | None = field(default=None, compare=False)
    alternatives: Callable[[], tuple[Statement, ...]] = field(default=tuple, compare=False)

    def __str__(self) -> str:
        return f"{self.quantity} bound of {self.who} (theorem {self.theorem!r})"

    def __repr__(self) -> str:
        return f"<{self}>"

    @property
    def who(self) -> str:
        """The method, with its sampling if it draws anything."""
        return self.method if self.sampling == "none" else f"{self.method} with {self.sampling} sampling"

    @property
    def counts(self) -> bool:
        """Whether the theorem says how long a method takes; a lemma about one step does not."""
        return self.count is not None

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that `per` can derive; none for a lemma."""
        if self.count is None:
            return ()
        return QUANTITIES if self.K is not None else (*COUNTS, "cost per iteration")

    @property
    def symbols(self) -> set[sp.Symbol]:
        """All symbols that this bound's numbers and curve depend on."""
        parts = (self.expr, self.guarantee, self.W, self.setup, self.K, self.unit)
        return set().union(*(part.free_symbols for part in parts if part is not None)) - {t}

    def sharper(self) -> Self:
        """The same bound before ln(1/(1 - rho)) >= rho is used: never larger, less readable.

        Raises
        ------
        ValueError
            If there is no sharper form.
        """
        if self.exact is None:
            raise ValueError(f"the {self} has no sharper form: no contraction factor was simplified in it")
        return replace(self, expr=self.exact, exact=None)

    def per(self, quantity: str) -> Self:
        """The same theorem for another quantity, derived from its count, K and W.

        Parameters
        ----------
        quantity : str
            One of `quantities`.

        Raises
        ------
        ValueError
            For an unknown quantity, "K" and "T" of a theorem that is not a contraction, or any quantity of a lemma.
        """
        if not checks.is_one_of(quantity, QUANTITIES):
            raise ValueError(
                f"unknown quantity {checks.short_repr(quantity)}: a bound is for one of {', '.join(QUANTITIES)}"
            )
        if self.count is None:
            raise ValueError(f"{self.method}'s {self.theorem!r} says nothing about {quantity}: it bounds a value")
        if quantity == "cost per iteration":
            return replace(self, quantity=quantity, expr=self.W, exact=None)
        one, W = sp.S.One, self.W
        cost = {"iterations": one, "K": one, "passes": W / nnz, "examples": W * n / nnz}.get(quantity, W)
        if self.K is None:
            if quantity not in COUNTS:
                raise ValueError(
                    f"{self.method}'s theorem {self.theorem!r} is not a contraction, so it has no {quantity}; "
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

    def instead(self) -> Statement:
        """The fallback for the same quantity, with the same sampling and the same numbers of an instance.

        Raises
        ------
        ValueError
            If there is no fallback.
        """
        other = self.fallback
        if other is None:
            raise ValueError(f"the {self} has no fallback: its method runs itself on every problem")
        there = replace(
            other,
            drawn=self.drawn,
            defaults=(*other.defaults, *self.defaults),
            own=(*self.own, *other.own),
            alternatives=self.alternatives,
        )
        return there.per(self.quantity)
