"""The same questions to both engines, and where their answers differ."""

from __future__ import annotations

import math
from typing import Any

from conforming import faults, sent
from engines import said

from cdlab.dashboard.engine import Choices, explain, predict
from cdlab.dashboard.engine.racing import Race, stream
from cdlab.dashboard.engine.schema import Explanation, Prediction, RaceEvent

SCHEMA = {"predict": Prediction, "race": RaceEvent, "explain": Explanation}
OWN = {"digest", "seconds", "examples", "test_error", "words", "progress"}  # of runs: what each engine has its own of
ROUNDED = 1e-7  # numbers that were shortened to be sent
THREE_DIGITS = 1e-2  # to so many: in a tie the last bit decides the third
NEAR = {  # relative, of the largest of a list; else EXACT
    **dict.fromkeys(("passes", "primal", "dual", "gap", "before", "after"), ROUNDED),
    **dict.fromkeys(("w", "alpha"), THREE_DIGITS),
    **dict.fromkeys(("entries", "norms2", "probabilities", "parts"), 1e-3),
    **dict.fromkeys(("reached", "low", "high", "median", "least", "most", "iterations"), 1e-6),
    **dict.fromkeys(
        ("lead", "lead_low", "lead_high", "primal_over_dual", "last_gap", "figures"), 1e-5
    ),  # Python counts rounding
}
EXACT = 1e-11
STATE = 1e-11  # of coordinates near 0


def check(folder: Any, asked: list[dict[str, Any]], tmp_path: Any, kinds: tuple[str, ...] = tuple(SCHEMA)) -> None:
    """All questions about these choices are answered alike; of a race two draws."""
    questions = [{"kind": kind, "choices": Choices(**each).values(), "draws": 2} for each in asked for kind in kinds]
    answers = iter(said("answers.mjs", folder, questions, tmp_path))
    found: dict[str, list[str]] = {}
    for each in asked:
        wanted = python_answers(Choices(**each), kinds)
        for kind in kinds:
            answer = next(answers)
            assert answer["kind"] == kind
            value = answer["value"] or {"error": answer["error"]}
            wrong = [] if "error" in value and kind != "race" else faults(value, SCHEMA[kind])
            if wrong or (wrong := list(differences(wanted[kind], value, kind))):
                found[f"{kind} {each}"] = wrong[:6]
    assert not found, "\n".join(f"{which}: {'; '.join(wrong)}" for which, wrong in found.items())


def python_answers(choices: Choices, kinds: tuple[str, ...]) -> dict[str, Any]:
    done: list[Race] = []
    runs: dict[tuple[str, int], Any] = {}
    answers: dict[str, Any] = {"predict": sent(offered(predict(choices)))}
    if {"race", "explain"} & set(kinds):
        for event in stream(choices, 2, done):
            runs |= {(run.label, run.draw): run for run in event.runs}
        event.runs = list(runs.values())
        answers["race"] = sent(event)
    if "explain" in kinds:
        answers["explain"] = sent(explain(done[0])) if done else {"error": event.error}
    return answers


def offered(prediction: Prediction) -> Prediction:
    """Without refusals of what only Python has."""
    from cdlab.dashboard.frontend.wasm import cells

    known = {*cells.METHODS, *cells.SAMPLINGS, *cells.LOSSES, "data", "target"}
    prediction.refusals = [each for each in prediction.refusals if each.what.split("@")[0].split("(")[0] in known]
    return prediction


def differences(wanted: Any, found: Any, place: str):
    """Where two answers differ: a sentence each."""
    name = place.rsplit(".", 1)[-1].split("[")[0]
    if isinstance(wanted, dict) and isinstance(found, dict):
        if name == "predict" and "refusals" in found:
            only = {each["what"] for each in found["refusals"] if each["why"].startswith("Only with")}
            found, wanted = (
                each | {"refusals": [about for about in each["refusals"] if about["what"] not in only]}
                for each in (found, wanted)
            )
        if name == "race":
            found = found | {"runs": sorted(found["runs"], key=order)}
            wanted = wanted | {"runs": sorted(wanted["runs"], key=order)}
        for key in wanted.keys() | found.keys() if wanted.keys() != found.keys() else wanted:
            if key not in OWN or (key == "words" and name != "race"):
                yield from differences(wanted.get(key), found.get(key), f"{place}.{key}")
    elif isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            yield f"{place}: {len(wanted)} and {len(found)} long"
            return
        if all(isinstance(each, int | float | None) for each in [*wanted, *found]):
            yield from far_numbers(wanted, found, place, NEAR.get(name, EXACT))
            return
        for k, pair in enumerate(zip(wanted, found, strict=True)):
            yield from differences(*pair, f"{place}[{k}]")
    elif type(wanted) in (int, float) and type(found) in (int, float):
        near = NEAR.get(name, NEAR["figures"] if ".figures[" in place else EXACT)
        yield from far_numbers([wanted], [found], place, near)
    elif wanted != found:
        yield f"{place}: {wanted!r} and {found!r}"


def order(run: dict[str, Any]) -> tuple[Any, ...]:
    return run["draw"], run["label"]


def far_numbers(wanted: list[Any], found: list[Any], place: str, near: float):
    scale = max((abs(x) for x in wanted if x is not None), default=0.0)
    least = STATE if place.endswith(("before", "after")) else near * scale
    for k, (x, y) in enumerate(zip(wanted, found, strict=True)):
        if (x is None) != (y is None) or (x is not None and not math.isclose(x, y, rel_tol=near, abs_tol=least)):
            yield f"{place}[{k}]: {x} and {y}"
            return
