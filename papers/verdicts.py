"""The verdict on a claim, with what decided it, in words and numbers as pages and results.json hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import claims
from .claims import PanelOutcome
from .items import Claim
from .judging import judge_panels
from .number_text import outcome_text, short_number
from .results import Results

VERDICTS = ("reproduced", "differs", "not testable")
_, DIFFERS, NOT_TESTABLE = VERDICTS
MAX_NAMED_PANELS = 4  # A sentence has the numbers of so many panels.


def claim_verdict(claim: Claim, results: Results) -> dict[str, Any]:
    """The verdict on a claim.

    Returns
    -------
    dict
        id; verdict, one of the words; state, "" or what the verdict lacks: "undecided", "not run", and "so far" where
        runs are missing; number, what decides, in words; on, the data; panels, a dict for each.
    """
    if claim.judge is None:
        return {"id": claim.id, "verdict": NOT_TESTABLE, "state": "", "number": "", "on": [], "panels": []}
    panels = judge_panels(claim.judge, results)
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
        "id": claim.id,
        "verdict": word,
        "state": state,
        "number": _number_text(counted, decided),
        "on": list(dict.fromkeys(results[name].case.data_text for name in names)),
        "panels": [_panel(panel) for panel in panels],
    }


def reason_for(claim: Claim, verdict: str) -> str:
    """The reason that stands with a verdict: where it differs, or no experiment can decide."""
    return claim.why if verdict == DIFFERS or not claim.testable else ""


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


def close_cases(result: Mapping[str, Any]) -> list[str]:
    """The cases of the panels that more seeds should decide."""
    return [name for panel in result["panels"] if panel["close"] for name in panel["cases"]]


def count_verdicts(verdicts: Iterable[str]) -> dict[str, int]:
    """How many of each verdict."""
    each = list(verdicts)
    return {word: each.count(word) for word in VERDICTS}


def counts_text(counts: Mapping[str, int]) -> str:
    """How many claims have each verdict, in words.

    Examples
    --------
    >>> counts_text({"reproduced": 2, "differs": 1, "not testable": 0}), counts_text({"differs": 2}), counts_text({})
    ('2 reproduced, 1 differs', '2 differ', 'nothing judged')
    """
    words = (f"{n} {'differ' if word == DIFFERS and n > 1 else word}" for word, n in counts.items() if n)
    return ", ".join(words) or "nothing judged"


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
