"""A theorem as data: what it assumes, what it bounds, and the formulas from which all that users ask for is derived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import sympy as sp

from .symbols import P0, l2

COUNTS = ("iterations", "passes", "examples", "arithmetic")  # What is counted to eps.
QUANTITIES = (*COUNTS, "cost per iteration", "K", "T")
TARGETS = {  # what a theorem can bound
    "P(w)-P*": "the expected suboptimality P(w) - P*",
    "P-D": "the expected duality gap P(w) - D(alpha)",
    "D*-D": "the expected dual suboptimality D* - D(alpha)",
    "|w-w*|^2": "the expected squared distance ||w - w*||^2",
}
# of a relative accuracy: l2-strong convexity puts every point of suboptimality eps within 2 eps/l2 of w*
UNITS = {"|w-w*|^2": 2 * P0 / l2}


@dataclass(frozen=True, kw_only=True)
class Theorem:
    """Statement of a paper about a method.

    Attributes
    ----------
    method, theorem, sampling : str
        The method, which of its theorems, and the sampling that it is about.
    assumptions : tuple of sympy relations
        All that the theorem needs.
    source : str
        Paper, theorem, and whether the form is the printed or a corrected one.
    side : "dual" or "primal"
        Whether coordinates are examples (rows of X) or features (columns).
    target : str
        In words, the quantity that is at most eps after `count` steps; for a lemma, the quantity that it bounds.
    kind : "theorem", "checked" or "asymptotic"
        Checked: of what the method runs it is known by tests, not by a proof. Asymptotic: constants and logarithms are
        not known, so there is no curve.
    count : sympy expression or None
        Steps to eps. None: a lemma about one step or one quantity, which counts nothing.
    step : "iteration" or "stage"
        The unit of `count`. A stage is a whole run of an inner method.
    K : sympy expression or None
        1/(contraction factor); None where the theorem is not a contraction.
    W : sympy expression or None
        Expected nonzeros visited by one step; None only for a lemma.
    setup : sympy expression
        Nonzeros visited before the first step, to compute constants that the theorem takes as given (L_f, mu). The
        formula is the theorem's and leaves them out; on a problem they count.
    column : "passes" or "ideal_passes"
        The column of a trace whose passes W counts: all, or those of updates alone (greedy, as if it searched for
        nothing).
    bounded : "P(w)-P*", "P-D", "D*-D", "|w-w*|^2" or ""
        The quantity that the guarantee bounds; empty for a lemma.
    guarantee : sympy expression or None
        Upper bound on the expectation of `bounded` at the last iterate, after t steps.
    unit : sympy expression
        The scale of a relative accuracy: P(0) - P*, or for a distance the one that this suboptimality implies.
    definitions : tuple of sympy equations
        The definitions of K and W where they are symbols.
    defaults : tuple of (symbol, expression)
        Parameters that `solve` sets by itself, as functions of the problem's constants.
    parameters : tuple of (name, value)
        The method's own parameters that the theorem is about, where they are not its defaults.
    neutral : tuple of str or (name, values)
        The method's parameters that the theorem leaves free: it holds for each of their values, or of those named.
    fallback : of the same class, or None
        The theorem about what the method runs instead where an assumption fails.
    vectors : bool
        Whether losses of several predictions (softmax) are covered.
    """

    method: str
    theorem: str
    sampling: str
    assumptions: tuple[sp.Basic, ...]
    source: str
    side: str
    target: str
    kind: str = "theorem"
    count: sp.Expr | None = None
    step: str = "iteration"
    K: sp.Expr | None = None
    W: sp.Expr | None = None
    setup: sp.Expr = sp.S.Zero
    column: str = "passes"
    bounded: str = ""
    guarantee: sp.Expr | None = None
    unit: sp.Expr = P0
    definitions: tuple[sp.Eq, ...] = ()
    defaults: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    neutral: tuple[str | tuple[str, tuple[Any, ...]], ...] = ()
    fallback: Self | None = None
    vectors: bool = False

    @property
    def subject(self) -> str:
        """The method, with its sampling if it draws anything."""
        return self.method if self.sampling == "none" else f"{self.method} with {self.sampling} sampling"

    @property
    def counts(self) -> bool:
        """Tell whether the theorem says how long a method takes; a lemma about one step does not."""
        return self.count is not None

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that follow from it; none for a lemma."""
        if self.count is None:
            return ()
        return QUANTITIES if self.K is not None else (*COUNTS, "cost per iteration")
