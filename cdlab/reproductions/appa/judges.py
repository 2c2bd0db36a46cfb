"""Judges of trials over lambda: what the best ones end with, how large their lambda is, and what the others do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...comparisons import claims, overshoot, paired_ratio, suboptimality
from ...comparisons.claims import Outcome
from ..found import Found, Undecided
from ..judging import Judge, fact
from ..wording import short
from .parts import APPA, METHODS, POWERS, SDCA, best, ending, from_zero, misclassified, quotient, trial


def ends_lower(found: Found, appa: str = APPA) -> tuple[Outcome, str]:
    """P at the end of APPA's best trial divided by that of SDCA's."""
    a, b = best(found, appa)[1], best(found, SDCA)[1]
    shares = 1 / quotient(found, a, b, "primal").lows
    middle = float(np.median(shares))
    close = bool(shares.min() < 1 < shares.max())
    outcome = Outcome(middle < 1, "P/P < 1", middle, float(shares.min()), float(shares.max()), close, threshold=1.0)
    return outcome, f"{a} against {b}"


def larger_lambda(powers: Iterable[float] = POWERS, appa: str = APPA) -> Judge:
    """APPA's best lambda divided by SDCA's."""
    grid = tuple(powers)

    def judge(found: Found) -> tuple[Outcome, str]:
        if trial(appa, grid[0]) not in found.labels:
            raise Undecided("this grid is run on covtype.rff only, in full")
        a, b = best(found, appa, grid)[0], best(found, SDCA, grid)[0]
        ratio = fact(a - b >= 1 - 1e-9, "ratio of lambdas >= 10", 10.0 ** (a - b), threshold=10.0)
        return ratio, f"{short(10.0**a)} and {short(10.0**b)}"

    return judge


def sooner(found: Found, appa: str = APPA) -> tuple[Outcome, str]:
    """Passes of SDCA's best trial to the e it ends with, divided by those of APPA's."""
    a, b = best(found, appa)[1], best(found, SDCA)[1]
    level = float(np.median(found.last(b)))
    outcome = claims.faster(paired_ratio(found.reach(a, level), found.reach(b, level)))
    if outcome.holds is None:
        raise Undecided(f"the runs ended before e = {short(level)} decided it")
    return outcome, f"SDCA/APPA to e = {short(level)}"


def no_less_stable(found: Found) -> tuple[Outcome, str]:
    """The overshoot of APPA's best trial less that of SDCA's, in the medians."""
    over = [np.median([overshoot(e) for _, e in found.curves(best(found, method)[1])]) for method in (APPA, SDCA)]
    return fact(
        over[0] <= over[1], "o(APPA) - o(SDCA) <= 0", float(over[0] - over[1]), threshold=0.0
    ), "in decades of e"


def more_stable(found: Found, appa: str = APPA) -> tuple[Outcome, str]:
    """The overshoot of APPA's best trial against half of SDCA's, both from x_0 = 0 on."""
    over = [[overshoot(e) for _, e in from_zero(found, best(found, method)[1])] for method in (appa, SDCA)]
    o = [float(np.median(each)) for each in over]
    return claims.more_stable(*over), f"o(APPA) = {short(o[0])} and o(SDCA) = {short(o[1])}, in decades of e"


def above_ridge(found: Found) -> tuple[Outcome, str]:
    """How far P of any run of SDCA falls below ls(lambda), as a part of it."""
    lowest = {
        k: min(float(np.nanmin(trace.column("primal"))) for trace in found.traces(trial(SDCA, k)))
        / found.facts[ridge_name(k)]
        for k in POWERS
    }
    worst = min(lowest, key=lambda k: lowest[k])
    below = 1 - lowest[worst]
    return fact(below <= 1e-9, "1 - P/ls(lambda) <= 1e-9", below, threshold=1e-9), f"largest at {trial(SDCA, worst)}"


def ends_above_ridge(found: Found) -> tuple[Outcome, str]:
    """e at the end of SDCA's best trial divided by e at ls(lambda), with its lambda."""
    power, label = best(found, SDCA)
    optimum = found.optimum
    at_ridge = suboptimality(np.array([found.facts[ridge_name(power)]]), optimum.primal, optimum.at_zero)[0]
    shares = found.last(label) / at_ridge
    middle = float(np.median(shares))
    return fact(middle >= 0.99, "e/e(ls) >= 0.99", middle, shares.min(), shares.max(), 0.99), f"at the end of {label}"


def ridge_name(power: float) -> str:
    """The name of the fact ls(lambda)."""
    return f"ls({short(10.0**power)})"


def bias_helps(found: Found) -> tuple[Outcome, str]:
    """The smallest test error of SDCA over lambda less the test error at P*, where lambda = 0."""
    least = min(float(np.median(each)) for each in _sdca_errors(found).values())
    unbiased = found.at_optimum(misclassified(found))
    return fact(
        least < unbiased, "difference < 0", least - unbiased, threshold=0.0
    ), f"smallest {least:.2%}, at P* {unbiased:.2%}"


def small_bias(found: Found) -> tuple[Outcome, str]:
    """The test error of the best SDCA, by its P, against the smallest over lambda."""
    errors = _sdca_errors(found)
    least = float(min(np.median(each) for each in errors.values()))
    taken, label = best(found, SDCA)
    return claims.mild_effect(list(errors[taken]), least, found.tags["test"]), f"{label}; smallest {least:.2%}"


def _sdca_errors(found: Found) -> dict[float, np.ndarray]:
    return {k: ending(found, trial(SDCA, k), misclassified(found)) for k in POWERS}


def no_bias(found: Found) -> tuple[Outcome, str]:
    """The test error at the smallest P that was reached, against the smallest test error of all trials."""
    tried = [trial(method, k) for method in METHODS for k in POWERS]
    least = float(min(np.median(ending(found, label, misclassified(found))) for label in tried))
    label = _smallest(found)
    return claims.mild_effect(list(ending(found, label, misclassified(found))), least, found.tags["test"]), (
        f"{label} has the smallest P of the paper's four methods; their smallest test error is {least:.2%}"
    )


def _smallest(found: Found) -> str:
    """The trial with the smallest P of all."""
    return min((best(found, method)[1] for method in METHODS), key=lambda label: float(np.median(ending(found, label))))


def _largest_fine(found: Found, method: str) -> int:
    """The power of the largest lambda with which a method ends at P <= P(0), where the grid goes on."""
    at_zero = found.optimum.at_zero
    fine = [k for k in POWERS if np.median(ending(found, trial(method, k))) <= at_zero]
    if not fine or max(fine) == POWERS[-1]:
        raise Undecided(f"{method} has no threshold on this grid of lambda")
    return max(fine)


def sharp(method: str) -> Judge:
    """P/P(0) one decade above the largest lambda with which a method ends at P <= P(0)."""

    def judge(found: Found) -> tuple[Outcome, str]:
        above = trial(method, _largest_fine(found, method) + 1)
        return claims.diverges(list(ending(found, above)), found.optimum.at_zero), f"at {above}"

    return judge


def threshold_of(method: str) -> Judge:
    """As `sharp`, or P > 100 P(0) two grid points above."""

    def judge(found: Found) -> tuple[Outcome, str]:
        outcome, note = sharp(method)(found)
        two_above = _largest_fine(found, method) + 2
        if outcome.holds or two_above > POWERS[-1]:
            return outcome, note
        above = trial(method, two_above)
        shares = ending(found, above) / found.optimum.at_zero
        middle = float(np.median(shares))
        told = fact(
            middle > 100, "P/P(0) > 10 one above, or > 100 two above", middle, shares.min(), shares.max(), 100.0
        )
        return told, f"at {above}; {short(outcome.value)} {note}"

    return judge


def stays_finite(method: str, from_best: bool) -> Judge:
    """As `converges`, where not to converge is P > 10 P(0), as for the other methods."""

    def judge(found: Found) -> tuple[Outcome, str]:
        first = best(found, method)[0] if from_best else POWERS[0]
        ends = np.concatenate([ending(found, trial(method, k)) for k in POWERS if k >= first]) / found.optimum.at_zero
        outcome = fact(ends.max() <= claims.LARGE, "P/P(0) <= 10 at the end of every run", ends.max(), ends.min(),
                       ends.max(), claims.LARGE)  # fmt: skip
        return outcome, f"lambda >= {short(10.0**first)}"

    return judge


def keeps(judge: Callable[..., tuple[Outcome, str]], longer: str) -> Judge:
    """Whether a judge of APPA says the same with stages of another length."""

    def judged(found: Found) -> tuple[Outcome, str]:
        (one, _), (two, note) = judge(found), judge(found, appa=longer)
        told = f"{short(one.value)} with stages of 1 epoch, {short(two.value)} of 2; {note}"
        if one.holds is None or two.holds is None or (one.holds != two.holds and (one.close or two.close)):
            raise Undecided(f"close: {told}")
        return fact(one.holds == two.holds, f"the same outcome of {one.rule}", two.value), told

    return judged


def converges(method: str, from_best: bool) -> Judge:
    """The largest P/P(0) at the end of any run, over all lambda or those from the best one upward."""

    def judge(found: Found) -> tuple[Outcome, str]:
        first = best(found, method)[0] if from_best else POWERS[0]
        ends = np.concatenate([ending(found, trial(method, k)) for k in POWERS if k >= first])
        outcome = claims.always_converges(list(ends), found.optimum.at_zero)
        told = fact(bool(outcome.holds), outcome.rule, outcome.high, outcome.low, outcome.high, 1.0)
        return told, f"lambda >= {short(10.0**first)}"

    return judge


def more_graceful(found: Found) -> tuple[Outcome, str]:
    """The largest e(APPA)/e(SDCA) of medians at a lambda above both best ones."""
    above = max(best(found, method)[0] for method in (APPA, SDCA))
    ends = {method: [float(np.median(found.last(trial(method, k)))) for k in POWERS] for method in (APPA, SDCA)}
    shares = {k: a / b for k, a, b in zip(POWERS, ends[APPA], ends[SDCA], strict=True) if k > above}
    worst = max(shares, key=lambda k: shares[k])
    told = fact(shares[worst] < 1, "e(APPA)/e(SDCA) < 1", shares[worst], min(shares.values()), threshold=1.0)
    return told, f"largest at lambda = {short(10.0**worst)}"


def by_method(judge: Callable[[str], Judge], methods: Iterable[str]) -> dict[str, Judge]:
    """A judge for each method."""
    return {method: judge(method) for method in methods}
