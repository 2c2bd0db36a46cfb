"""An item of a paper for a reader: what is shown, the claims with their verdicts, how its cases are opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...reproductions import Claim, Item, Paper
from ...reproductions.items import Case
from ...reproductions.shipped import Verdicts
from ...reproductions.verdicts import DIFFERS, NOT_TESTABLE, count_text, count_verdicts, reason_for
from ...sweeps.scheduler import format_duration
from ..templates import html
from ..words import number, sentence, table
from .opening import Opening, opening

NOT_RUN = "not run"
ITEM = """\
<h2>{{ item.id }}: {{ item.place }}</h2>
<p><b>The paper shows:</b> {{ item.shows }}</p>
<p><b>Here:</b> {{ item.setup }}</p>
<h2>Claims</h2>
{% for claim, verdict, on, number, why in claims %}
<p><b>{{ claim.id }}</b> {{ claim.text }}: <b>{{ verdict }}</b>{{ on }}.{% if number %} {{ number }}{% endif %}<br>
<span class="quiet">Rule: {{ claim.current_rule.text }}.</span>{% if why %}<br>{{ why }}{% endif %}</p>
{% endfor %}
<p>Run it: <code>cdlab reproduce {{ item.id }}</code>, about {{ quick }}; with <code>--full</code>, which gives the
verdict, about {{ full }}, on one thread.</p>"""
NOTES = """\
<details><summary>{{ title }}</summary><ul>{% for each in notes %}<li>{{ each }}</li>{% endfor %}</ul></details>"""
LINK = """\
<a href="{{ found.link }}" aria-label="Open in the dashboard: {{ case.name }}">Open in the dashboard</a>
{%- if found.words %}; {{ found.words }}{% endif %}"""
CASES = "<p>A link sets the choices above and runs them, with one seed; a long race waits for Run.</p>"


def paper_words(paper: Paper, verdicts: Verdicts) -> str:
    """The paper, and how many of its claims hold, as HTML."""
    words = [_verdict(claim, verdicts.get(item.id, {})) for item in paper.items for claim in item.claims]
    words += [NOT_TESTABLE for _ in paper.untested]
    each = count_verdicts(word.partition(" (")[0] for word in words)
    left = len(words) - sum(each.values())
    told = [count_text(name, count) for name, count in (*each.items(), (NOT_RUN, left)) if count]
    return html("<p>{{ paper.source }} Claims: {{ told }}.</p>", paper=paper, told=", ".join(told))


def paper_notes(paper: Paper) -> str:
    """What of the paper is no experiment, and how it differs from what is computed, to be opened, as HTML."""
    text = ""
    for title, notes in (
        ("Not experiments", [f"{words}: {reason}" for words, reason in paper.untested]),
        ("Differences between the paper and what is computed here", paper.notes),
    ):
        text += html(NOTES, title=title, notes=notes) if notes else ""
    return text


def item_words(item: Item, verdicts: Verdicts) -> str:
    """An item with its claims, as HTML."""
    known = verdicts.get(item.id, {})
    quick, full = map(format_duration, item.seconds)
    claims = [_claim(claim, known) for claim in item.claims]
    text = html(ITEM, item=item, claims=claims, quick=quick, full=full)
    return text + (html(NOTES, title="For a reader of the paper", notes=item.notes) if item.notes else "")


def cases_table(item: Item) -> str:
    """The problems of an item, each with a link that opens it or the reason why there is none, as HTML."""
    if not item.cases:
        return ""
    rows = [
        [case.name, _opened(case, opening(item, case)), case.data_text, _weights(case), ", ".join(case.modes)]
        for case in item.cases
    ]
    head = ["problem", "in the dashboard", "data", "loss and weights", "quick, full"]
    any_link = any("<a " in row[1] for row in rows)
    return (CASES if any_link else "") + table(head, rows, "Problems of this item", raw=[1])


def _claim(claim: Claim, known: Mapping[str, Any]) -> tuple[Claim, str, str, str, str]:
    verdict = _verdict(claim, known)
    decides, on = (known.get(claim.id, {}).get(name, "") for name in ("number", "on"))
    reason = reason_for(claim.current_rule, verdict.partition(" (")[0])
    if verdict.startswith(DIFFERS) and reason:
        reason = f"Why it differs: {reason}"
    return (
        claim,
        _with_mode(verdict, claim, known),
        f", on {on}" if on else "",
        sentence(decides) if decides else "",
        reason,
    )


def _verdict(claim: Claim, known: Mapping[str, Any]) -> str:
    """That of the full run, else of the quick one; what cannot be tested needs no run."""
    found = known.get(claim.id, {})
    return found.get("full") or found.get("quick") or (claim.absent_verdict if claim.testable else NOT_TESTABLE)


def _with_mode(verdict: str, claim: Claim, known: Mapping[str, Any]) -> str:
    preview = claim.testable and verdict != claim.absent_verdict and not known[claim.id].get("full")
    return f"{verdict} in a preview on less" if preview else verdict


def _weights(case: Case) -> str:
    weights = {"l2": case.l2, "l1": case.l1}
    shown = {name: weight if isinstance(weight, str) else number(weight) for name, weight in weights.items()}
    return f"{case.loss}, l2 = {shown['l2']}" + (f", l1 = {shown['l1']}" if case.l1 else "")


def _opened(case: Case, found: Opening) -> str:
    template = LINK if found.link else "no: {{ found.words }}"
    return html(template, case=case, found=found)
