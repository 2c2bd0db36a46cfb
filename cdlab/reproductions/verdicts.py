"""The verdict on a claim, with what decided it, in words and numbers as pages and results.json hold them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..comparisons import claims
from .found import NotRun, Results, Undecided
from .items import Claim
from .judging import Judged
from .wording import with_range

REPRODUCED, DIFFERS, NOT_TESTABLE = "reproduced", "differs", "not testable"
NAMED = 4  # panels of which the numbers stand in a sentence


def verdict_of(claim: Claim, results: Results) -> dict[str, Any]:
    """The verdict on a claim.

    Returns
    -------
    dict
        id, words, rule; verdict, one of the three; state, "" or what the verdict lacks: "undecided", "not run", and
        "so far" where runs are missing; number, what decides, in words; on, the data; panels, a dict for each; why.
    """
    told: dict[str, Any] = {"id": claim.id, "words": claim.words, "rule": claim.rule}
    if claim.judged is None:
        return {**told, "verdict": NOT_TESTABLE, "state": "", "number": "", "on": [], "panels": [],
                "why": why(claim, NOT_TESTABLE)}  # fmt: skip
    try:
        panels = claim.judged(results)
    except Undecided as reason:
        panels = [Judged("all", (), None, str(reason), isinstance(reason, NotRun))]
    decided = [panel for panel in panels if panel.holds is not None]
    word = claims.verdict(panel.outcome for panel in panels if panel.outcome is not None)
    lacking = any(panel.missing or not all(results[name].whole for name in panel.cases) for panel in panels)
    if decided:
        state = "so far" if lacking else ""
    else:
        state = "not run" if lacking or not panels else "undecided"
    names = dict.fromkeys(name for panel in decided for name in panel.cases)
    return {
        **told,
        "verdict": word,
        "state": state,
        "number": _number(panels, decided),
        "on": list(dict.fromkeys(results[name].case.on for name in names)),
        "panels": [_panel(panel) for panel in panels],
        "why": why(claim, word),
    }


def why(claim: Claim, verdict: str) -> str:
    """The reason that stands with a verdict: where it differs, or no experiment can decide."""
    return claim.why if verdict == DIFFERS or claim.judged is None else ""


def close_panels(found: dict[str, Any]) -> list[str]:
    """The cases of the panels that more seeds should decide."""
    return [name for panel in found["panels"] if panel["close"] for name in panel["cases"]]


def counts(verdicts: Iterable[str]) -> dict[str, int]:
    """How many of each verdict."""
    each = list(verdicts)
    return {word: each.count(word) for word in (REPRODUCED, DIFFERS, NOT_TESTABLE)}


def of_several(word: str, count: int) -> str:
    """So many claims with this verdict.

    Examples
    --------
    >>> of_several("differs", 1), of_several("differs", 2), of_several("reproduced", 2)
    ('1 differs', '2 differ', '2 reproduced')
    """
    return f"{count} {'differ' if word == DIFFERS and count != 1 else word}"


def _panel(panel: Judged) -> dict[str, Any]:
    told = {"panel": panel.panel, "cases": list(panel.cases), "holds": panel.holds, "note": panel.note}
    outcome = panel.outcome
    if outcome is None:
        return {**told, "number": "", "rule": "", "close": False, "value": None, "low": None, "high": None}
    values = {"value": outcome.value, "low": outcome.low, "high": outcome.high}
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
