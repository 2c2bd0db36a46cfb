"""A bound: one formula that is typeset, evaluated at numbers or on a problem, and drawn over a measured curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import sympy as sp

from ..numerics import checks
from . import restatements, spectra
from .assumptions import (
    BOUNDS,
    INTERCEPT,
    NO_BOUNDS,
    NO_INTERCEPT,
    ONE_PREDICTION,
    OUTPUTS,
    check_eps,
    check_passes,
    failed_assumption,
    require_curve,
    require_known,
)
from .constants import add_costly, cheap_constants, constants_of, refuse_contradictions, with_lower_P0
from .curve import Curve
from .derivations.counts import shortest
from .evaluate import check_values, evaluate, first_failed, in_words, values_in_words
from .named_samplings import NamedSampling, drawn_coordinates, name_sampling, rate_and_cost
from .symbols import MEANINGS, K, W, m, n, nnz, p_min, t, to_latex, v_p, w2_p
from .theorem import COUNTS, QUANTITIES, Theorem
from .theorem_files import proved_counts

SAMPLING_SYMBOLS = {
    K,
    W,
    p_min,
    v_p,
    w2_p,
    *spectra.SPECTRAL_SYMBOLS,
}  # They depend on the probabilities of coordinates.
STAGE_ROUNDING = 1e-12  # Share of the stages done within which one that has just ended counts.
SENTENCES = {
    "iterations": "{target} is at most eps after this many {step}s",
    "passes": "{target} is at most eps after this many passes over the data (nonzeros visited / nnz)",
    "examples": "{target} is at most eps once as many examples as this have been processed (passes x n)",
    "arithmetic": "{target} is at most eps once this many nonzeros have been visited",
    "cost per iteration": "one {step} visits this many nonzeros in expectation",
    "K": "the guarantee on {target} falls by a factor e in this many {step}s",
    "T": "the guarantee on {target} falls by a factor e while this many nonzeros are visited (K W)",
    "value": "{target}",
}


@dataclass(frozen=True, kw_only=True)
class Bound(Theorem):
    """A theorem that was asked for: one of its quantities, for a sampling, with the numbers of an instance.

    `cdlab.theory.bound` finds one, and `cdlab.theory.contraction` and its like make one. Beside the following it has
    the attributes of `cdlab.theory.theorem.Theorem`.

    Attributes
    ----------
    quantity : str
        "iterations", "passes", "examples" or "arithmetic" (nonzeros visited) to accuracy eps; "cost per iteration"; "K"
        and "T" are iterations and arithmetic without the logarithm (the face-off's letters). "value": a lemma about one
        step or one quantity, which counts nothing.
    expr : sympy expression
        The bound on that quantity.
    exact : sympy expression or None
        The sharper form, before ln(1/(1 - rho)) >= rho is used, with rho = 1/K; None if there is none.
    numbers : tuple of (symbol, number)
        Symbols set by the parameters of the instance that was asked about.
    asked_sampling : NamedSampling or None
        The sampling that was asked for; None if none was.
    probability : float or None
        The probability with which the bound holds at each point; None: in expectation. See `with_probability`.
    """

    quantity: str
    expr: sp.Expr
    exact: sp.Expr | None = None
    numbers: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()
    asked_sampling: NamedSampling | None = field(default=None, compare=False)
    probability: float | None = None

    def __str__(self) -> str:
        return f"{self.quantity} bound of {self.subject} (theorem {self.theorem!r})"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    @cached_property
    def symbols(self) -> frozenset[sp.Symbol]:
        """All symbols that this bound's numbers and curve depend on."""
        parts = (self.expr, self.guarantee, self.W, self.setup, self.K, self.unit)
        return frozenset[sp.Symbol]().union(*(part.free_symbols for part in parts if part is not None)) - {t}

    # ------------------------------------------------------------ other forms
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
        if quantity not in self.quantities:
            raise ValueError(
                f"{self.method}'s theorem {self.theorem!r} is not a contraction, so it has no {quantity}; "
                f"ask for {', '.join(COUNTS)}"
            )
        if quantity == "cost per iteration":
            return replace(self, quantity=quantity, expr=self.W, exact=None)
        W = self.W
        cost = {"iterations": sp.S.One, "K": sp.S.One, "passes": W / nnz, "examples": W * n / nnz}.get(quantity, W)
        if self.K is None:
            factor, rest = self.count.as_independent(sp.log, as_Add=False)
            expr = sp.expand(self.count * cost, deep=False) if rest.is_Add else shortest(factor * cost) * rest
            return replace(self, quantity=quantity, expr=expr)
        leading = shortest(self.K * cost)  # K W in one piece: this is where T becomes short
        if quantity not in COUNTS:
            return replace(self, quantity=quantity, expr=leading, exact=None)
        logarithm = self.count / self.K
        exact = None if self.exact is None else -shortest(cost) * logarithm / sp.log(1 - 1 / self.K)
        return replace(self, quantity=quantity, expr=leading * logarithm, exact=exact)

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

    def fallback_bound(self) -> Bound:
        """The fallback for the same quantity, with the same sampling and the same numbers of an instance.

        Raises
        ------
        ValueError
            If there is no fallback.
        """
        other = self.fallback
        if other is None:
            raise ValueError(f"the {self} has no fallback: its method never falls back to another")
        there = replace(
            other,
            asked_sampling=self.asked_sampling,
            defaults=(*other.defaults, *self.defaults),
            numbers=(*self.numbers, *other.numbers),
        )
        return there.per(self.quantity)

    # ------------------------------------------------------------ restated
    def on_gap(self) -> Bound:
        """The same rate as a bound on the duality gap, which every certificate shows; itself if it is one already.

        A bound on P(w) - P* becomes one on the gap at w and alpha_i = -phi'(x_i'w), a bound on D* - D(alpha) one at
        alpha and w = grad g*(X'alpha/n), each multiplied by L_P/l2; one on ||w - w*||^2, without l1, by L_P^2/(2 l2).
        With l1 that would be false: there, by its fallback, it is about alpha_i = -phi'(x_i'w) and the point
        grad g*(X'alpha/n) that this leads to. (`cdlab.race` measures these pairs, where they are not the method's own.)
        So methods of both sides are compared by one quantity, with one logarithm.

        Raises
        ------
        ValueError
            If the theorem is about another quantity or point, or only about problems without l2 or a smooth loss.

        Examples
        --------
        >>> from cdlab import theory
        >>> theory.bound("rcd", "iterations").on_gap().expr
        d*(R_col**2/(gamma*l2*n) + 1)*log(L_P*P0/(eps*l2))
        """
        return restatements.on_gap(self)

    def with_probability(self, probability: float) -> Bound:
        """The bound that holds with a probability, at each point of a run, in place of on average.

        By Markov's inequality what is at most (1 - p) eps in expectation is at most eps with probability p, so a linear
        rate needs K ln(1/(1 - p)) iterations more. It is not about all points of a run at once. Where nothing is drawn
        it is the bound itself.

        Parameters
        ----------
        probability : float
            Above 0 and below 1.

        Raises
        ------
        ValueError
            If it is out of range, or the bound is not about an expectation with known constants.
        TypeError
            If it is not a number.

        Examples
        --------
        >>> from cdlab import theory
        >>> theory.bound("rcd", "iterations").with_probability(0.95).expr
        d*(R_col**2/(gamma*l2*n) + 1)*log(20*P0/eps)
        """
        return restatements.with_probability(self, probability)

    # ------------------------------------------------------------ for readers
    def latex(self) -> str:
        r"""The formula in the papers' letters, without dollar signs.

        >>> from cdlab import theory
        >>> print(theory.bound("sdca", "K").latex())
        n + \frac{R^{2}}{\gamma \lambda}
        """
        return to_latex(self.expr)

    def latex_definitions(self) -> list[str]:
        """LaTeX equations that define the symbols of the formula: K, W, s_i, p_i, and parameters that are set."""
        set_to = dict(self.defaults) | dict(self.numbers)
        chosen = (sp.Eq(symbol, value) for symbol, value in set_to.items() if symbol in self.expr.free_symbols)
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
        words = SENTENCES[self.quantity].format(target=self.target, step=self.step)
        if self.kind == "asymptotic":
            words += ", up to constants and logarithms"
        needs = " and ".join(in_words(assumption) for assumption in self.assumptions)
        condition = f", provided that {needs}" if needs and self.quantity != "cost per iteration" else ""
        return f"{self.subject}: {words}{condition} ({self.source})."

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
        values = check_values({symbol.name: float(number) for symbol, number in self.numbers} | values)
        failed = first_failed(self.assumptions, values)
        if failed is not None:
            raise ValueError(f"the {self} needs {in_words(failed)}, but {values_in_words(failed, values)} was passed")
        return self._value(values)

    def _value(self, values: dict[str, Any]) -> float | np.ndarray:
        """The formula at checked values, at least 0."""
        result = evaluate(self.expr, values, f"the {self}")
        return max(result, 0.0) if isinstance(result, float) else np.maximum(result, 0.0)

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
        bound, values = covering_bound(self, problem, measured)
        require_known(bound, values, bound.expr)
        if bound.quantity in (*COUNTS, "value"):
            accuracy, gap = check_eps(eps), values["P0"]  # P(0) - D(0) at this point, unless P0 was measured
            values = with_lower_P0(values, problem, measured)
            if values["P0"] == 0 and bound.counts:
                return 0.0 if gap == 0 else np.inf
            values["eps"] = accuracy * evaluate(bound.unit, values, f"the accuracy of the {bound}")
            if bound.quantity in ("passes", "examples") and values["nnz"] == 0:
                iterations = bound.per("iterations")._value(values)
                return float(iterations / values["n"] if bound.quantity == "passes" else iterations)
        in_nonzeros = {"passes": values["nnz"], "examples": values["nnz"] / values["n"], "arithmetic": 1.0}
        before = bound._setup_visits(values) / in_nonzeros[bound.quantity] if bound.quantity in in_nonzeros else 0.0
        return float(bound._value(values) + before)

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
            ``"|w-w*|^2"``.

        Raises
        ------
        ValueError
            As `for_problem`, and if there is no curve: for a lemma, or an asymptotic statement.
        """
        require_curve(self)
        bound, values = covering_bound(self, problem, measured)
        require_curve(bound)  # the fallback may have none
        require_known(bound, values, bound.guarantee, bound.W)
        passes = check_passes(passes)
        cost = evaluate(bound.W, values, f"the {bound}") / values["nnz"] if values["nnz"] > 0 else 1 / values["n"]
        done = np.maximum(passes - bound._setup_visits(values) / max(values["nnz"], 1.0), 0.0) / cost
        if bound.step == "stage":
            done = np.floor(done * (1 + STAGE_ROUNDING))  # an unfinished stage has no guarantee of its own
        found = evaluate(bound.guarantee, values | {"t": done}, f"the curve of the {bound}")
        error = np.maximum(found, 0.0)  # rounding may put K = 1 below 1
        return Curve(passes, np.broadcast_to(error, passes.shape).copy(), bound.bounded, ((bound.theorem, 0.0),))

    def _setup_visits(self, values: dict[str, Any]) -> float | np.ndarray:
        """Nonzeros visited before the first step; where X = 0 there are none."""
        return evaluate(self.setup, values, f"the setup of the {self}") if values["nnz"] > 0 else 0.0


class Uncovered(ValueError):
    """The problem contradicts an assumption of the theorem.

    Attributes
    ----------
    bound : Bound
        The theorem; where the method falls back to others, the last of them.
    failed : sympy relation
        The assumption that the problem contradicts.
    values : mapping
        The known constants of the problem, by the names of their symbols.
    """

    def __init__(self, bound: Bound, failed: sp.Basic, values: Mapping[str, Any]) -> None:
        super().__init__(bound, failed, values)
        self.bound, self.failed, self.values = bound, failed, values

    def __str__(self) -> str:
        if self.failed == ONE_PREDICTION:
            classes = f"{self.values[OUTPUTS]:g} classes"
            sentence = f"the {self.bound} is for losses of one prediction, and this problem has {classes}"
        elif self.failed == NO_INTERCEPT:
            sentence = f"the {self.bound} is for a regulariser of every coordinate, and this problem has an intercept"
        elif self.failed == NO_BOUNDS:
            sentence = (
                f"the {self.bound} is for features without bounds or weights of their own, as this problem has them"
            )
        else:
            here = values_in_words(self.failed, self.values)
            sentence = f"the {self.bound} needs {in_words(self.failed)}, but this problem has {here}"
        other = self.alternative
        if other is None:
            return sentence
        where = f"{other.method!r}, sampling={other.sampling!r}, theorem={other.theorem!r}"
        return f"{sentence}; bound({where}) covers it"

    @property
    def alternative(self) -> Bound | None:
        """The theorem with a count that fits the problem and is nearest to the one asked for; None if there is none."""
        about = self.bound
        if not about.counts:
            return None
        fitting = (b for b in proved_counts(about.method) if failed_assumption(b, self.values) is None)
        # min takes the first of equals: main theorems come first
        return min(fitting, key=lambda b: (b.method != about.method, b.sampling != about.sampling), default=None)


def covering_bound(bound: Bound, problem: Any, measured: Mapping[str, float]) -> tuple[Bound, dict[str, Any]]:
    """The bound, or the fallback of its method that covers a problem, with the values of its symbols there.

    Raises
    ------
    Uncovered
        If the problem contradicts an assumption of each of them; the error is about the last one.
    """
    while True:
        try:
            return bound, values_on(bound, problem, measured)
        except Uncovered:
            if bound.fallback is None:
                raise
            bound = bound.fallback_bound()


def values_on(bound: Bound, problem: Any, measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, with the bound's assumptions checked; see `Bound.for_problem`.

    Raises
    ------
    Uncovered
        If the problem contradicts an assumption.
    """

    def refuse_if_contradicted() -> None:
        failed = failed_assumption(bound, values)
        if failed is not None:
            raise Uncovered(bound, failed, values)

    constants, problem = constants_of(problem), getattr(problem, "centred", problem)  # on which methods run
    given = {symbol.name: float(number) for symbol, number in bound.numbers} | dict(measured)
    values = cheap_constants(constants, given)
    values |= {OUTPUTS: constants.get(OUTPUTS, 1), INTERCEPT: constants.get(INTERCEPT, 0)}
    values[BOUNDS] = constants.get(BOUNDS, 0)
    refuse_if_contradicted()
    refuse_contradictions(given.keys() & {symbol.name for symbol in bound.symbols}, values, problem)
    sampling = bound.asked_sampling or name_sampling(bound.sampling)
    for symbol, formula in (*bound.defaults, (m, sp.Integer(sampling.block_size or 1))):
        if symbol.name not in values and all(name.name in values for name in formula.free_symbols):
            values[symbol.name] = np.asarray(evaluate(formula, values, f"the default {symbol} of the {bound}"))
    refuse_if_contradicted()
    needed = bound.symbols.union(*(assumption.free_symbols for assumption in bound.assumptions))
    add_costly(values, problem, {symbol.name for symbol in needed})
    refuse_if_contradicted()
    return values | _values_of_sampling(bound, sampling, problem, constants, values)


def _values_of_sampling(
    bound: Bound, sampling: NamedSampling, problem: Any, constants: Mapping[str, Any], values: dict[str, Any]
) -> dict[str, Any]:
    """The values of a bound's symbols that depend on the sampling, where they are missing."""
    missing = {symbol.name for symbol in bound.symbols & SAMPLING_SYMBOLS} - values.keys()
    if not missing:
        return {}
    drawn = drawn_coordinates(sampling, bound.side, constants, getattr(problem, "X", None))
    found: dict[str, Any] = rate_and_cost(drawn, bound.definitions, constants) if {"K", "W"} & missing else {}
    if "p_min" in missing:
        found["p_min"] = drawn.p_min
    if "v_p" in missing:
        found["v_p"] = drawn.mean_curvature
    if "w2_p" in missing and "w2" in values:
        found["w2_p"] = drawn.weighted_distance(float(values["w2"]), float(values["gamma"]), float(values["n"]))
    of_spectrum = missing & {symbol.name for symbol in spectra.SPECTRAL_SYMBOLS}
    if of_spectrum:
        found |= spectra.spectral_constants(of_spectrum, problem, values, bound.side, drawn.p, sampling.block_size)
    return {name: value for name, value in found.items() if name in missing}
