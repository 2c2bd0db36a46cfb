"""The verdict on a claim, with what decided it, in words and numbers as pages and results.json hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..comparisons import claims
from .items import Claim, NewRule, Rule
from .judging import ClaimJudge
from .number_text import outcome_text, short_number
from .panel_outcome import PanelOutcome
from .results import NotRun, Results, Undecided

REPRODUCED, DIFFERS, NOT_TESTABLE = "reproduced", "differs", "not testable"
DEPENDS_ON_READING = "depends on the reading"
FIRST_RULE_VERDICTS = (REPRODUCED, DIFFERS, NOT_TESTABLE)
VERDICTS = (REPRODUCED, DIFFERS, DEPENDS_ON_READING, NOT_TESTABLE)
MAX_NAMED_PANELS = 4  # panels of which the numbers stand in a sentence


def claim_verdict(claim: Claim, results: Results) -> dict[str, Any]:
    """The verdict on a claim.

    Returns
    -------
    dict
        id, words, rule; verdict, state, number, on, panels and why of the first rule, see `_judge_verdict`; where there
        is a new rule "amended", the same of it, and of each reading where there are several.
    """
    row: dict[str, Any] = {"id": claim.id, "words": claim.words, "rule": claim.rule.text}
    row |= _rule_verdict(claim.rule, results)
    if isinstance(claim.amendment, NewRule):
        rule = claim.amendment.rule
        row["amended"] = {"rule": rule.text, "readings": [], **_rule_verdict(rule, results)}
    return row


def _rule_verdict(rule: Rule, results: Results) -> dict[str, Any]:
    """What a rule decides; where readings of it disagree, that depends on the reading."""
    if not isinstance(rule.judge, Mapping):
        found = _judge_verdict(rule.judge, results)
        return {**found, "why": reason_for(rule, found["verdict"])}
    readings = [{"name": name, **_judge_verdict(judge, results)} for name, judge in rule.judge.items()]
    decided = [each for each in readings if each["verdict"] != NOT_TESTABLE]
    words = {each["verdict"] for each in decided}
    word = DEPENDS_ON_READING if len(words) > 1 else words.pop() if words else NOT_TESTABLE
    return {
        "verdict": word,
        "state": next((each["state"] for each in (decided or readings) if each["state"]), ""),
        "number": "; ".join(f"{each['name']}: {each['verdict']}, {each['number']}" for each in readings),
        "on": list(dict.fromkeys(name for each in readings for name in each["on"])),
        "panels": [
            {**panel, "panel": f"{each['name']}: {panel['panel']}"} for each in readings for panel in each["panels"]
        ],
        "why": reason_for(rule, word),
        "readings": [{key: each[key] for key in ("name", "verdict", "number")} for each in readings],
    }


def _judge_verdict(judge: ClaimJudge | None, results: Results) -> dict[str, Any]:
    """What one judge decides.

    Returns
    -------
    dict
        verdict, one of the words; state, "" or what the verdict lacks: "undecided", "not run", and "so far" where
        runs are missing; number, what decides, in words; on, the data; panels, a dict for each.
    """
    if judge is None:
        return {"verdict": NOT_TESTABLE, "state": "", "number": "", "on": [], "panels": []}
    try:
        panels = judge(results)
    except Undecided as missing:
        panels = [PanelOutcome("all", (), None, str(missing), isinstance(missing, NotRun))]
    counted = [panel for panel in panels if panel.in_verdict]
    decided = [panel for panel in counted if panel.holds is not None]
    word = claims.verdict(panel.outcome for panel in counted if panel.outcome is not None)
    incomplete = any(panel.missing or not all(results[name].complete for name in panel.cases) for panel in counted)
    if decided:
        state = "so far" if incomplete else ""
    else:
        state = "not run" if incomplete or not counted else "undecided"
    names = dict.fromkeys(name for panel in decided for name in panel.cases)
    return {
        "verdict": word,
        "state": state,
        "number": _number_text(counted, decided),
        "on": list(dict.fromkeys(results[name].case.data_text for name in names)),
        "panels": [_panel(panel) for panel in panels],
    }


def reason_for(rule: Rule, verdict: str) -> str:
    """The reason that stands with a verdict: where it differs, or no experiment can decide."""
    return rule.why if verdict in (DIFFERS, DEPENDS_ON_READING) or rule.judge is None else ""


def distance_text(result: Mapping[str, Any]) -> str:
    """How near the line a verdict is, in words: of the panel that would have to move for the verdict to turn.

    That is the nearest of those that hold; of those that fail, all of which would have to move, the farthest. A panel
    whose seeds lie on both sides of the line is nearer than any other.
    """
    decided = [p for p in result["panels"] if p["holds"] is not None and p.get("counts", True)]
    failing = [panel for panel in decided if not panel["holds"]]
    known = [
        panel for panel in (failing or decided) if panel.get("threshold") is not None and panel["value"] is not None
    ]
    if not known:
        return ""
    panel = max(known, key=_distance_key) if failing else min(known, key=_distance_key)
    value, line = panel["value"], panel["threshold"]
    distance = f"{short_number(value / line)} times" if value > 0 < line else f"{short_number(value - line)} beyond"
    return f"{distance} {short_number(line)}{', its interval crosses it' if panel['close'] else ''}"


def _distance_key(panel: Mapping[str, Any]) -> tuple[bool, float]:
    return not panel["close"], claims.distance(panel["value"], panel["threshold"])


def close_cases(result: dict[str, Any]) -> list[str]:
    """The cases of the panels that more seeds should decide."""
    panels = [*result["panels"], *result.get("amended", {}).get("panels", [])]
    return [name for panel in panels if panel["close"] for name in panel["cases"]]


def count_verdicts(verdicts: Iterable[str], words: Sequence[str] = VERDICTS) -> dict[str, int]:
    """How many of each verdict."""
    each = list(verdicts)
    return {word: each.count(word) for word in words}


def count_text(word: str, count: int) -> str:
    """So many claims with this verdict.

    Examples
    --------
    >>> count_text("differs", 1), count_text("differs", 2), count_text("reproduced", 2)
    ('1 differs', '2 differ', '2 reproduced')
    """
    several = {DIFFERS: "differ", DEPENDS_ON_READING: "depend on the reading"}
    return f"{count} {several.get(word, word) if count != 1 else word}"


def _panel(panel: PanelOutcome) -> dict[str, Any]:
    row: dict[str, Any] = {"panel": panel.panel, "cases": list(panel.cases), "holds": panel.holds, "note": panel.note}
    if not panel.in_verdict:
        row["counts"] = False
    outcome = panel.outcome
    if outcome is None:
        nothing = dict.fromkeys(("value", "low", "high", "threshold"))
        return {**row, "number": "", "rule": "", "close": False, **nothing}
    values = {"value": outcome.value, "low": outcome.low, "high": outcome.high, "threshold": outcome.threshold}
    return {**row, "number": outcome_text(outcome), "rule": outcome.rule, "close": outcome.close, **values}


def _number_text(panels: list[PanelOutcome], decided: list[PanelOutcome]) -> str:
    """Where it holds and where not; what fails is named, else the first few."""
    if not decided:
        return panels[0].note if panels else "no panel"
    failing = [panel for panel in decided if not panel.holds]
    named = [
        f"{panel.panel}: {outcome_text(panel.outcome)}"
        for panel in (failing or decided)[:MAX_NAMED_PANELS]
        if panel.outcome
    ]
    more = len(failing or decided) - len(named)
    parts = "; ".join(named) + (f"; and {more} more" if more else "")
    unjudged = len(panels) - len(decided)
    where = f"holds in {len(decided) - len(failing)} of {len(decided)}{f', {unjudged} not judged' if unjudged else ''}"
    return f"{where}; fails at {parts}" if failing else f"{where}: {parts}"
