"""The verdict on a claim, with what decided it, in words and numbers as pages and results.json hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..comparisons import claims
from .amendments import Amended, Judges
from .found import NotRun, Results, Undecided
from .items import Claim
from .judging import Judged
from .wording import short, with_range

REPRODUCED, DIFFERS, NOT_TESTABLE = "reproduced", "differs", "not testable"
READINGS_DIFFER = "depends on the reading"
FIRST_WORDS = (REPRODUCED, DIFFERS, NOT_TESTABLE)
WORDS = (REPRODUCED, DIFFERS, READINGS_DIFFER, NOT_TESTABLE)
NAMED = 4  # panels of which the numbers stand in a sentence


def verdict_of(claim: Claim, results: Results) -> dict[str, Any]:
    """The verdict on a claim.

    Returns
    -------
    dict
        id, words, rule; verdict, state, number, on, panels and why of the first rule, see `_decided`; where the rule
        is amended "amended", the same of the amended rule, and of each reading where there are several.
    """
    told: dict[str, Any] = {"id": claim.id, "words": claim.words, "rule": claim.rule}
    told |= _decided(claim.judged, results, claim.why)
    if isinstance(claim.amendment, Amended):
        told["amended"] = _amended(claim.amendment, results)
    return told


def _amended(amendment: Amended, results: Results) -> dict[str, Any]:
    judged = amendment.judged
    if not isinstance(judged, Mapping):
        return {"rule": amendment.rule, **_decided(judged, results, amendment.why), "readings": []}
    readings = [{"name": name, **_decided(each, results, "")} for name, each in judged.items()]
    decided = [each for each in readings if each["verdict"] != NOT_TESTABLE]
    words = {each["verdict"] for each in decided}
    word = READINGS_DIFFER if len(words) > 1 else words.pop() if words else NOT_TESTABLE
    state = next((each["state"] for each in (decided or readings) if each["state"]), "")
    return {
        "rule": amendment.rule,
        "verdict": word,
        "state": state,
        "number": "; ".join(f"{each['name']}: {each['verdict']}, {each['number']}" for each in readings),
        "on": list(dict.fromkeys(name for each in readings for name in each["on"])),
        "panels": [{**panel, "panel": f"{each['name']}: {panel['panel']}"} for each in readings
                   for panel in each["panels"]],
        "why": _why(amendment.why, word, judged),
        "readings": [{key: each[key] for key in ("name", "verdict", "number")} for each in readings],
    }  # fmt: skip


def _decided(judged: Judges | None, results: Results, reason: str) -> dict[str, Any]:
    """What one rule decides.

    Returns
    -------
    dict
        verdict, one of the words; state, "" or what the verdict lacks: "undecided", "not run", and "so far" where
        runs are missing; number, what decides, in words; on, the data; panels, a dict for each; why.
    """
    if judged is None:
        return {"verdict": NOT_TESTABLE, "state": "", "number": "", "on": [], "panels": [], "why": reason}
    try:
        panels = judged(results)
    except Undecided as missing:
        panels = [Judged("all", (), None, str(missing), isinstance(missing, NotRun))]
    counted = [panel for panel in panels if panel.counts]
    decided = [panel for panel in counted if panel.holds is not None]
    word = claims.verdict(panel.outcome for panel in counted if panel.outcome is not None)
    lacking = any(panel.missing or not all(results[name].whole for name in panel.cases) for panel in counted)
    if decided:
        state = "so far" if lacking else ""
    else:
        state = "not run" if lacking or not counted else "undecided"
    names = dict.fromkeys(name for panel in decided for name in panel.cases)
    return {
        "verdict": word,
        "state": state,
        "number": _number(counted, decided),
        "on": list(dict.fromkeys(results[name].case.on for name in names)),
        "panels": [_panel(panel) for panel in panels],
        "why": _why(reason, word, judged),
    }


def why(claim: Claim, verdict: str) -> str:
    """The reason that stands with a verdict of today: where it differs, or no experiment can decide."""
    if isinstance(claim.amendment, Amended):
        return _why(claim.amendment.why, verdict, claim.amendment.judged)
    return _why(claim.why, verdict, claim.judged)


def _why(reason: str, verdict: str, judged: Any) -> str:
    return reason if verdict in (DIFFERS, READINGS_DIFFER) or judged is None else ""


def nearness(found: Mapping[str, Any]) -> str:
    """How near the line a verdict is, in words: of the panel that would have to move for the verdict to turn.

    That is the nearest of those that hold; of those that fail, all of which would have to move, the farthest. A panel
    whose seeds lie on both sides of the line is nearer than any other.
    """
    decided = [p for p in found["panels"] if p["holds"] is not None and p.get("counts", True)]
    failing = [panel for panel in decided if not panel["holds"]]
    known = [panel for panel in (failing or decided)
             if panel.get("threshold") is not None and panel["value"] is not None]  # fmt: skip
    if not known:
        return ""
    panel = max(known, key=_off) if failing else min(known, key=_off)
    value, line = panel["value"], panel["threshold"]
    said = f"{short(value / line)} times" if value > 0 < line else f"{short(value - line)} beyond"
    return f"{said} {short(line)}{', its interval crosses it' if panel['close'] else ''}"


def _off(panel: Mapping[str, Any]) -> tuple[bool, float]:
    return not panel["close"], claims.distance(panel["value"], panel["threshold"])


def close_panels(found: dict[str, Any]) -> list[str]:
    """The cases of the panels that more seeds should decide."""
    panels = [*found["panels"], *found.get("amended", {}).get("panels", [])]
    return [name for panel in panels if panel["close"] for name in panel["cases"]]


def counts(verdicts: Iterable[str], words: Sequence[str] = WORDS) -> dict[str, int]:
    """How many of each verdict."""
    each = list(verdicts)
    return {word: each.count(word) for word in words}


def of_several(word: str, count: int) -> str:
    """So many claims with this verdict.

    Examples
    --------
    >>> of_several("differs", 1), of_several("differs", 2), of_several("reproduced", 2)
    ('1 differs', '2 differ', '2 reproduced')
    """
    several = {DIFFERS: "differ", READINGS_DIFFER: "depend on the reading"}
    return f"{count} {several.get(word, word) if count != 1 else word}"


def _panel(panel: Judged) -> dict[str, Any]:
    told: dict[str, Any] = {"panel": panel.panel, "cases": list(panel.cases), "holds": panel.holds, "note": panel.note}
    if not panel.counts:
        told["counts"] = False
    outcome = panel.outcome
    if outcome is None:
        nothing = dict.fromkeys(("value", "low", "high", "threshold"))
        return {**told, "number": "", "rule": "", "close": False, **nothing}
    values = {"value": outcome.value, "low": outcome.low, "high": outcome.high, "threshold": outcome.threshold}
    return {**told, "number": with_range(outcome), "rule": outcome.rule, "close": outcome.close, **values}


def _number(panels: list[Judged], decided: list[Judged]) -> str:
    """Where it holds and where not; what fails is named, else the first few."""
    if not decided:
        return panels[0].note if panels else "no panel"
    failing = [panel for panel in decided if not panel.holds]
    named = [f"{panel.panel}: {with_range(panel.outcome)}" for panel in (failing or decided)[:NAMED] if panel.outcome]
    more = len(failing or decided) - len(named)
    parts = "; ".join(named) + (f"; and {more} more" if more else "")
    where = f"holds in {len(decided) - len(failing)} of {len(decided)}"
    without = len(panels) - len(decided)
    return f"{where}{f', {without} not judged' if without else ''}{'; fails at' if failing else ''}: {parts}".replace(
        "fails at: ", "fails at "
    )
