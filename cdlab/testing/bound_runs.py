"""Cases on which a bound is checked: the method that it is about, its sampling, and runs with the true constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from .. import methods, samplings
from ..methods import Method
from ..methods.base import draws_coordinates
from ..problems.problem import Problem
from ..runs import iterate
from ..runs.entries import NO_SAMPLING
from ..samplings import Sampling
from ..theory import SYMBOLS, Bound
from ..theory.lookup import theorems_about, why_not_about
from ..theory.named_samplings import ANY_PROBABILITIES, name_sampling
from ..theory.symbols import PARAMETERS
from .checked_method import method_instance
from .small import scipy_optimum

ANY_SAMPLING = "any"


def method_and_bound(b: Bound, method: Any, given: Mapping[str, float]) -> tuple[Method, Bound]:
    """The method to run, and the bound with that instance's numbers.

    `method` is a Method, its class or its name; None: the registered method of the bound's name. A parameter of it that
    sets one of the symbols in `given` is set to that number.

    Raises
    ------
    ValueError
        If it is another method than the bound's, or the bound does not cover it.
    """
    asked = method or b.method
    if isinstance(asked, str) and asked not in methods.METHODS:
        raise ValueError(
            f"there is no method named {asked!r} to run: pass it, check_bound(bound, MyMethod), or register it"
        )
    kind = methods.METHODS[asked] if isinstance(asked, str) else asked
    if kind.name != b.method:
        raise ValueError(f"it is about {b.method}, and the method to run is {kind.name}")
    if kind.side != b.side:
        raise ValueError(f"its side is {b.side!r}, and {kind.name}'s coordinates are those of side={kind.side!r}")
    known = {symbol.name: float(number) for symbol, number in b.numbers} | dict(given)
    has = methods.parameters_of(kind if isinstance(kind, type) else type(kind))
    of_method = {name: symbols for name, symbols in PARAMETERS.items() if name in has}
    sets = {name: known[s.name] for name, symbols in of_method.items() for s in symbols if s.name in known}
    for name, value in b.parameters:
        if name not in has:
            raise ValueError(f"it is about {kind.name} with {name}={value!r}, which is not a parameter of {kind.name}")
    made = method_instance(asked, **dict(b.parameters) | sets)
    covering = theorems_about(made, [b])
    if not covering:
        raise ValueError(why_not_about(made, [b]))
    numbers = dict(b.numbers) | dict(covering[0].numbers)
    return made, replace(covering[0], numbers=tuple(numbers.items()))


def with_sampling(b: Bound, method: Method, sampling: Any) -> Bound:
    """The bound with the probabilities or blocks that it leaves to the caller.

    Raises
    ------
    ValueError
        If the sampling, or that the method draws at all, contradicts the bound, or its name is not enough.
    """
    if b.sampling != ANY_SAMPLING and draws_coordinates(method) != (b.sampling != NO_SAMPLING):
        does = f"draws coordinates: name the sampling, not {NO_SAMPLING!r}"
        raise ValueError(
            f"it is about {b.sampling!r} sampling, and {method.name} "
            f"{does if draws_coordinates(method) else f'draws nothing: its sampling is {NO_SAMPLING!r}'}"
        )
    if b.sampling in (NO_SAMPLING, ANY_SAMPLING):
        return b
    if sampling is None:
        if b.asked_sampling is None and b.sampling not in (ANY_PROBABILITIES, *samplings.SAMPLINGS, *samplings.BLOCKS):
            raise ValueError(f"no sampling is registered by the name {b.sampling!r}: pass {_an_instance(b.sampling)}")
        return b
    drawn = name_sampling(method.draws(samplings.resolve(sampling)))  # of batch_size, too
    if b.sampling in drawn.theorem_names:
        return b if b.asked_sampling is not None else replace(b, asked_sampling=drawn._replace(name=b.sampling))
    if drawn.in_blocks and SYMBOLS["m"] in b.symbols:
        return replace(b, asked_sampling=drawn._replace(name=b.sampling))
    raise ValueError(f"it is about {b.sampling} sampling, and the runs were to draw by {drawn.description}")


def _an_instance(name: str) -> str:
    """Tell how a sampling that has to be passed may be written."""
    for kind in vars(samplings).values():
        if isinstance(kind, type) and issubclass(kind, samplings.Blocks) and getattr(kind, "name", None) == name:
            return f"an instance, such as check_bound(bound, sampling=cdlab.samplings.{kind.example})"
    return "an instance, check_bound(bound, sampling=MySampling())"


def sampling_of_bound(b: Bound, sampling: Any) -> Any:
    """Return the sampling of the runs: the sampling asked for, or the bound's own."""
    if sampling is not None:
        return sampling
    if b.asked_sampling is not None and b.asked_sampling.sampling is not None:
        return b.asked_sampling.sampling
    return None if b.sampling in (NO_SAMPLING, ANY_SAMPLING) else b.sampling


# ------------------------------------------------------------ runs
class Optimum(NamedTuple):
    """An optimum by scipy."""

    value: float
    w: np.ndarray
    alpha: np.ndarray | None


def find_optimum(P: Problem) -> Optimum:
    """The optimum of a problem, by scipy."""
    w = scipy_optimum(P)
    smooth = P.loss.gamma > 0
    return Optimum(P.primal(w), w, P.alpha(w) if smooth else None)


def true_constants(b: Bound, P: Problem, best: Optimum) -> dict[str, float]:
    """The constants of the start, measured: what a problem alone can only bound."""
    zero = np.zeros(P.d)
    known = {"P0": P.primal(zero) - best.value, "w2": float(best.w @ best.w)}
    at_zero = P.dual(np.zeros(P.n))
    if np.isfinite(at_zero):
        known["D0"] = best.value - at_zero
    if best.alpha is not None:
        known["a2"] = float(best.alpha @ best.alpha)
        each = P.X * (-best.alpha)[:, None] + P.l2 * best.w
        known["g2"] = float((each**2).sum(axis=1).mean())
    return {name: value for name, value in known.items() if name in {s.name for s in b.symbols}}


class Measured(NamedTuple):
    """Measurements of the runs of a method."""

    passes: np.ndarray  # (records,) as the bound counts them, the fewest of all seeds
    mean: np.ndarray  # (records,) over seeds, of what the bound bounds
    error: np.ndarray  # (records,) its standard error
    visits: np.ndarray  # (seeds,) nonzeros visited by an iteration on average, after the first record; empty: no two


def measure_runs(
    b: Bound, method: Method, sampling: Sampling, P: Problem, best: Optimum, passes: float, seeds: int
) -> Measured:
    """The runs of a method, as far as these passes."""
    runs, done, visits = [], [], []
    for seed in range(seeds):
        run, values, at, steps = iterate(P, method, sampling=sampling, seed=seed), [], [], []
        for record in takewhile(lambda record: record.passes <= passes, run):
            values.append(_bounded_quantity(b, record, run, best))
            at.append(getattr(record, b.column))
            steps.append(record.iteration)
        if steps[-1] > steps[min(1, len(steps) - 1)]:  # the first epoch counts what is set up, too
            visits.append((at[-1] - at[1]) * P.nnz / (steps[-1] - steps[1]))
        runs.append(values)
        done.append(at)
    shortest = min(map(len, done))
    found = np.array([values[:shortest] for values in runs])
    earliest = np.min([at[:shortest] for at in done], axis=0)  # seeds differ where lines do: the weakest promise
    error = found.std(axis=0, ddof=1) / np.sqrt(seeds) if seeds > 1 else np.zeros(shortest)
    return Measured(earliest, found.mean(axis=0), error, np.array(visits))


def _bounded_quantity(b: Bound, record: Any, run: Any, best: Optimum) -> float:
    match b.bounded:
        case "P(w)-P*":
            return record.primal - best.value
        case "P-D":
            return record.primal - record.dual
        case "D*-D":
            return best.value - record.dual
        case "|w-w*|^2":
            return float(np.sum((run.w - best.w) ** 2))
    raise AssertionError(f"{b}: bounded = {b.bounded!r} is none of 'P(w)-P*', 'P-D', 'D*-D', '|w-w*|^2'")
