"""The drawer Papers: figures, tables and claims of the papers with their verdicts, and races on their problems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ... import datasets, losses
from ...datasets import Derived
from ...datasets.steps import MeanRowNormOne, Permute, UnitRows
from ...methods import METHODS
from ...methods.base import draws_coordinates
from ...regularizers import parse_weight
from ...runs.entries import entrant
from ...samplings import SAMPLINGS
from ...samplings import resolve as sampling_named
from ...sweeps.keys import to_plain
from ...sweeps.settings import FIELDS
from ..engine.choices import MOST_ENTRIES, WITH_GAMMA, Choices, takes_batches
from ..engine.data_sources import at_hand
from ..engine.predicting import racing
from ..words import listed, number, sentence
from .part import WIDE, Block, Part, Question, css, heading, paragraph, table

if TYPE_CHECKING:
    from ...reproductions import Contender, Item, Paper
    from ...reproductions.items import Case, Claim

SCALES = {UnitRows: "unit", MeanRowNormOne: "mean"}
NAMED = 3  # contenders that are left out are named, and the others counted
PICTURES = Path(__file__).parents[3] / "docs" / "reproductions"  # only a checkout has them


class Refused(ValueError):
    """Why a case cannot be opened, in a few words."""


def view(session: Any) -> pn.viewable.Viewable:
    from ...reproductions import PAPERS

    papers = {f"{paper.id}: {paper.title}": paper for paper in PAPERS}
    paper = pn.widgets.Select(
        label="Paper", options=papers, max_width=420, sizing_mode="stretch_width", margin=(4, 0), stylesheets=[css()]
    )
    item = pn.widgets.Select(label="Item", options=_items(PAPERS[0]), max_width=420, sizing_mode="stretch_width")
    paper.param.watch(lambda event: item.param.update(options=_items(event.new), value=event.new.items[0]), "value")

    def follow(*_: Any) -> None:
        """Show the item that the address has asked for."""
        found = [(each, asked) for each in PAPERS for asked in each.items if asked.id == session.paper]
        for each, asked in found:
            paper.value = each
            item.value = asked

    follow()
    session.param.watch(follow, "paper")

    def work(asked: Question, item: Item) -> list[Block]:
        return item_blocks(item, session.choose)

    part = Part(session, "Papers", work, {"item": item}, follows=[])
    return pn.Column(paper, part.view, **WIDE)


def _items(paper: Paper) -> dict[str, Item]:
    return {f"{item.id}: {item.place}": item for item in paper.items}


# ------------------------------------------------------------ an item in words
def item_blocks(item: Item, choose: Callable[[dict[str, Any]], None]) -> list[Block]:
    """What the paper shows, its claims with verdicts, the committed picture, and the problems to open."""
    from ...reproductions import PAPERS
    from ...reproductions.shipped import shipped_verdicts

    paper, verdicts = next(each for each in PAPERS if item in each.items), shipped_verdicts()
    quick, full = (f"{max(1, round(each / 60))} min" for each in item.seconds)
    notes = {
        "For a reader of the paper": item.notes,
        "Not experiments": [f"{words}: {why}" for words, why in paper.untested],
        "Differences between the paper and what is computed here": paper.notes,
    }
    return [
        paragraph(f"{paper.source} Claims: {claim_counts(paper, verdicts)}."),
        heading(f"{item.id}: {item.place}", f"The paper shows: {item.shows}"),
        paragraph(f"Here: {item.setup}"),
        claims_table(item, verdicts.get(item.id, {})),
        *_pictures(item),
        *_cases(item, choose),
        paragraph(f"Run it: cdlab reproduce {item.id}, {quick}; with --full, for the verdict, {full}."),
        *(_notes(title, each) for title, each in notes.items() if each),
    ]


def _notes(title: str, notes: Sequence[str]) -> str:
    points = "".join(f"<li>{escape(each)}</li>" for each in notes)
    return f"<details><summary>{escape(title)}</summary><ul>{points}</ul></details>"


def claim_counts(paper: Paper, verdicts: Mapping[str, Any]) -> str:
    """How many of a paper's claims hold, in words."""
    from ...reproductions.verdicts import NOT_TESTABLE, count_text, count_verdicts

    words = [_verdict(claim, verdicts.get(item.id, {})) for item in paper.items for claim in item.claims]
    words += [NOT_TESTABLE] * len(paper.untested)
    counts = count_verdicts(word.partition(" (")[0] for word in words)
    return ", ".join(
        count_text(name, count)
        for name, count in (*counts.items(), ("not run", len(words) - sum(counts.values()))) if count
    )  # fmt: skip


def claims_table(item: Item, known: Mapping[str, Any]) -> str:
    """The claims of an item with their verdicts, what decides them, and why, as HTML."""
    from ...reproductions.verdicts import DIFFERS, reason_for

    rows = []
    for claim in item.claims:
        found, verdict = known.get(claim.id, {}), _verdict(claim, known)
        why = reason_for(claim.current_rule, verdict.partition(" (")[0])
        if why and verdict.startswith(DIFFERS):
            why = f"Why it differs: {why}"
        preview = claim.testable and verdict != claim.absent_verdict and not found.get("full")
        words = verdict + (" in a preview on less" if preview else "")
        words += f", on {found['on']}" if found.get("on") else ""
        decides = " ".join(sentence(each) for each in (found.get("number"), why) if each)
        rows.append([claim.id, claim.text, words, decides, sentence(claim.current_rule.text)])
    return table("Claims", ["", "claim", "verdict", "what decides", "rule"], rows) if rows else ""


def _verdict(claim: Claim, known: Mapping[str, Any]) -> str:
    """That of the full run, else of the quick one; what cannot be tested needs no run."""
    from ...reproductions.verdicts import NOT_TESTABLE

    found = known.get(claim.id, {})
    return found.get("full") or found.get("quick") or (claim.absent_verdict if claim.testable else NOT_TESTABLE)


def _pictures(item: Item) -> list[Block]:
    """The committed pictures, of the full run where there is one, and only in a checkout."""
    from ...reproductions.pages import picture_files

    shape = {"sizing_mode": "scale_width", "max_width": 900, "margin": 0, "stylesheets": [css()]}
    found: list[Block] = []
    for picture, *names in zip(item.pictures, picture_files(item, "full"), picture_files(item, "quick"), strict=True):
        path = next(filter(Path.is_file, (PICTURES / f"{name}.png" for name in names)), None)
        if path is not None:
            found.append(pn.pane.PNG(path, alt_text=picture.caption or f"{item.id}: {item.place}", **shape))
    return found


def _cases(item: Item, choose: Callable[[dict[str, Any]], None]) -> list[Block]:
    """The problems of an item, each with a button that opens it, or why there is none."""
    rows, buttons = [], []
    for case in item.cases:
        try:
            values, notes = opening(item, case)
        except Refused as why:
            notes = [f"not here: {why}"]
        else:
            button = pn.widgets.Button(label=f"Open {case.name}", margin=(4, 0), stylesheets=[css()])
            button.on_click(lambda _, values=values: choose(values))
            buttons.append(button)
        weights = {"l2": case.l2, "l1": case.l1}
        told = [f"{name} = {each if isinstance(each, str) else number(each)}" for name, each in weights.items() if each]
        about = ", ".join([str(case.loss), *told])
        rows.append([case.name, case.data_text, about, ", ".join(case.modes), "; ".join(notes)])
    if not rows:
        return []
    words = "A button sets the page's choices and races them." if buttons else "None of them can be raced on this page."
    head = ["problem", "data", "loss and weights", "quick, full", "on this page"]
    row = pn.FlexBox(*buttons, gap="8px", **WIDE)
    return [heading("Problems of this item", words), row, table("Problems", head, rows)]


# ------------------------------------------------------------ a case as choices
def opening(item: Item, case: Case) -> tuple[dict[str, Any], list[str]]:
    """The choices that open a case, and what differs from the item's own runs.

    Raises
    ------
    Refused
        Why it cannot be opened.
    """
    values = _data(case)
    n = datasets.describe(values["data"]).n
    values |= _loss(case) | {"l1": parse_weight(str(case.l1))(n)}
    values |= {"l2": parse_weight(str(case.l2))(1), "l2_over_n": isinstance(case.l2, str) and "/" in case.l2}
    mode = "full" if "full" in case.modes else case.modes[0]
    contenders, notes = item.contenders_in(mode, case), ["it has no runs; see Face-off"]
    if contenders:
        methods, notes = entries(contenders)
        passes = max(1, math.ceil(item.limit(mode, case)))
        values |= {
            "methods": methods,
            "against": "none",
            "batch": 1,
            "passes": passes,
            "tol": item.tol,
            "seed": item.seeds[0],
        }
    try:
        racing(Choices(**values))
    except ValueError as why:
        raise Refused(str(why).rstrip(".")) from None
    return values, notes


def entries(contenders: Sequence[Contender]) -> tuple[list[str], list[str]]:
    """Contenders as the page writes entries, and notes on what differs.

    Raises
    ------
    Refused
        If the page has none of them.
    """
    found = {contender.label: _entry(contender) for contender in contenders}
    known = {label: entry for label, entry in found.items() if entry is not None}
    if not known:
        raise Refused("its methods, or where they start, are not on this page")
    methods = list(dict.fromkeys(entry for entry, _ in known.values()))[:MOST_ENTRIES]
    notes = [f"“{label}” has default parameters, there {other}" for label, (entry, other) in known.items()
             if other and entry in methods]  # fmt: skip
    left = [f"“{label}”" for label in found if label not in known or known[label][0] not in methods]
    if len(left) > NAMED + 1:
        left[NAMED:] = [f"{len(left) - NAMED} others"]
    return methods, [*notes, *([f"without {listed(left)}"] if left else [])]


def _entry(contender: Contender) -> tuple[str, str] | None:
    """An entry such as "quartz(32)@uniform", and the parameters that the page does not set; None if it has no such."""
    given = {} if callable(contender.settings) else dict(contender.settings)
    if "start" in given:
        return None
    parameters = {name: value for name, value in given.items() if name not in FIELDS}
    method, sampling = entrant(contender.method, contender.sampling, **parameters)
    if METHODS.get(method.name) is not type(method.unwrapped):
        return None
    name = method.name
    batch = method.parameters.get("batch_size") or 1
    if batch > 1 and takes_batches(name):
        if batch > Choices.param.batch.bounds[1]:
            return None
        name = f"{name}({batch})"
    if draws_coordinates(method):
        if sampling.name not in SAMPLINGS or to_plain(sampling_named(sampling.name)) != to_plain(sampling):
            return None
        name = f"{name}@{sampling.name}"
    changed = [
        f"{key} = {getattr(value, 'name', value)}" for key, value in method.changed.items() if key != "batch_size"
    ]
    return name, "others that depend on the data" if callable(contender.settings) else ", ".join(changed)


def _data(case: Case) -> dict[str, Any]:
    """A known set and its scaling."""
    if not isinstance(case.data, str | Derived):
        raise Refused("data made for it")
    steps = [] if isinstance(case.data, str) else [step for step in case.data.steps if not isinstance(step, Permute)]
    if len(steps) > 1 or any(type(step) not in SCALES for step in steps):
        raise Refused("data derived from another set")
    name = str(case.data.source) if isinstance(case.data, Derived) else case.data
    if name not in at_hand():
        raise Refused(f"{name} is not on this machine")
    split = case.data.split if isinstance(case.data, Derived) else "train" if case.test else "all"
    if split == "all" and datasets.describe(name).test:
        raise Refused("train and test rows together")
    return {"data": name, "sample": 0, "scale": SCALES[type(steps[0])] if steps else "none"}


def _loss(case: Case) -> dict[str, Any]:
    wanted = losses.resolve(case.loss)
    low, high = Choices.param.gamma.bounds
    for name, make in losses.LOSSES.items():
        gamma = {"gamma": wanted.gamma} if name in WITH_GAMMA and low <= wanted.gamma <= high else {}
        made = make(**gamma)
        if type(made) is type(wanted) and made == wanted:
            return {"loss": name, **gamma}
    raise Refused("a loss that is not on this page")
