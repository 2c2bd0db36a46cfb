"""`advise`: who is likely best, in how many passes, and from what that was worked out."""

from __future__ import annotations

from ... import advice
from ...advice.predictions import row_of
from ...numerics.written_numbers import number, spoken
from .choices import MOST_ENTRIES, Choices, Contestant
from .numbers import counted
from .problems import PreparedProblem, prepared
from .rates import order_rate
from .schema import Advice
from .sentences import sentence_of
from .theorems import theorem

PROBE_SECONDS = 1.0
IN_ORDER = {"permutation": "in random order", "cyclic": "in order", "symmetric": "forth and back",
            "paired_permutation": "in random order and back", "fixed_permutation": "in one random order"}  # fmt: skip


def advise(choices: Choices) -> Advice:
    """The entry with the fewest expected passes to the target.

    Raises
    ------
    ValueError, OSError
        As `Choices.problem`.
    """
    about = prepared(choices)
    ranked = advice.advise(about.problem, choices.target, by="passes", max_seconds=PROBE_SECONDS)
    best = next((each for each in ranked if each.passes is not None and not each.parameters), None)
    if best is None:
        return Advice(choices.digest, None, "", None, None, None, sentence_of("advice.none", {}))
    asked = best.method if best.sampling == "none" else f"{best.method}@{best.sampling}"
    (entry,) = choices.but(methods=[asked], against="none", batch=1).contestants()
    words = _words(entry, best, ranked.probes, about.problem, _theory(choices, about, entry))
    in_race = any((e.method, e.draws) == (entry.method, entry.draws) for e in choices.contestants())
    if in_race:
        words = sentence_of("advice.in race", {"words": words})
    methods = [*choices.methods[: MOST_ENTRIES - 1], asked]
    low, high = (best.passes / best.spread, best.passes * best.spread) if best.spread else (None, None)
    added = None if in_race else {"methods": methods}
    return Advice(choices.digest, added, _label(entry), float(best.passes), low, high, words)


def _label(entry: Contestant) -> str:
    name = entry.method.name
    if entry.draws is None:
        return name
    return f"{name} {IN_ORDER.get(entry.draws.name) or f'with {entry.draws.name} draws'}"


def _theory(choices: Choices, about: PreparedProblem, entry: Contestant) -> str:
    bound = theorem(about, entry, choices.target).value
    if bound is not None:
        return sentence_of("advice.bound", {"bound": bound})
    if entry.draws is None or entry.draws.has_theorem:
        return sentence_of("advice.no bound", {})
    rate = order_rate(choices, about, entry)
    return sentence_of("advice.rate", {"rate": number(rate.own.passes)}) if rate else sentence_of("advice.order", {})


def _words(
    entry: Contestant, best: advice.Choice, probes: dict[str, advice.Probe], problem: object, theory: str
) -> str:
    row = row_of(best.runs, problem)
    problems = row.reached if row else 0
    numbers: dict[str, float | str] = {"theory": theory, "problems": counted(problems, "test problem")}
    own = next((probe.passes for probe in probes.values() if probe.key == best.runs), None)
    if own is not None:
        numbers["probe"] = "pass" if own == 1 else f"{spoken(own)} passes"
    if not problems:
        return sentence_of("advice.alone", numbers)
    key = "own probe" if own is not None else "probe" if "probe" in best.sources else "theory"
    return sentence_of(f"advice.{key}", numbers)
