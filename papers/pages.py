"""The pages: an index, one page for each paper, and results.json, from which all of them are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from ..numerics.files import atomic_write
from .items import MODES, Addition, Claim, Item, NewRule, Paper, Removal
from .number_text import integer_ranges, short_number
from .registry import PAPERS
from .verdicts import FIRST_RULE_VERDICTS, NOT_TESTABLE, count_text, count_verdicts, distance_text, reason_for

RESULTS_FILE, INDEX_FILE = "results.json", "index.md"
DASHBOARD_URL = "http://localhost:5006/faceoff"  # of `cdlab serve`, and of `panel serve apps/faceoff.py`
NO_VERDICT: Mapping[str, Any] = {
    "verdict": "",
    "state": "",
    "number": "",
    "near": "",
    "on": [],
    "panels": [],
    "why": "",
}
RecordedResults = dict[str, dict[str, Any]]  # by item, then by mode


def read_results(folder: Path, name: str = RESULTS_FILE) -> RecordedResults:
    """What earlier commands found; nothing in a new folder.

    Raises
    ------
    ValueError
        If the file there is another one.
    """
    try:
        result = json.loads((folder / name).read_text(encoding="utf-8"))
        return dict(result["items"])
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{folder / name} is no file of cdlab reproduce: move it, or choose another --out") from None


def write_pages(folder: Path, recorded: RecordedResults, papers: Sequence[Paper] = PAPERS) -> None:
    """Write results.json, the page of each paper of which there is an item, and the index.

    Pages are written from what results.json says, so that they are the same when they are written again from it.

    Raises
    ------
    OSError
        If one cannot be written.
    """
    text = json.dumps({"items": recorded}, indent=1, sort_keys=True, allow_nan=False)
    _write_text(folder / RESULTS_FILE, f"{text}\n")
    recorded = json.loads(text)["items"]
    shown = [paper for paper in papers if any(item.id in recorded for item in paper.items)]
    for paper in shown:
        _write_text(folder / f"{paper.id}.md", paper_page(paper, recorded, folder))
    index = _template("index.md.jinja").render(papers=[_summary(paper, recorded) for paper in shown])
    _write_text(folder / INDEX_FILE, index)


def paper_page(paper: Paper, recorded: RecordedResults, folder: Path) -> str:
    """The page of one paper, as Markdown."""
    items = [_section(item, recorded[item.id], folder) for item in paper.items if item.id in recorded]
    return _template("page.md.jinja").render(
        items=items,
        absent=[item.id for item in paper.items if item.id not in recorded],
        dashboard=DASHBOARD_URL,
        **_summary(paper, recorded),
    )


def picture_files(item: Item, mode: str) -> list[str]:
    """The names of an item's pictures, without their ending: those of the full run keep the shortest."""
    return [
        item.id + (f"-{each.suffix}" if each.suffix else "") + ("-quick" if mode == "quick" else "")
        for each in item.pictures
    ]


def _section(item: Item, by_mode: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    mode = "full" if "full" in by_mode else "quick"
    pictures = [
        {"file": f"{name}.svg", "caption": picture.caption}
        for picture, name in zip(item.pictures, picture_files(item, mode), strict=True)
        if (folder / f"{name}.svg").is_file()
    ]
    return {"item": item, "mode": mode, "of": by_mode[mode], "claims": claim_rows(item, by_mode), "pictures": pictures}


def claim_rows(item: Item, by_mode: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each claim of an item with its verdict in both modes; full is the verdict, and quick a preview.

    Words are those of the declarations, numbers those that were recorded.

    Returns
    -------
    list of dict
        claim, item, the id of it; quick and full, the verdicts in words, by the rule of today; best, what was found by
        it in the better mode; first, the verdict in words by the first rule, and first_found, what was found by it.
    """
    rows = []
    for claim in item.claims:
        each = {mode: _recorded_claim(by_mode.get(mode), claim) for mode in MODES}
        now = {mode: _current_verdict(claim, result) for mode, result in each.items()}
        first = None if isinstance(claim.amendment, Addition) else each["full"] or each["quick"]
        rows.append(
            {
                "claim": claim,
                "item": item.id,
                **{m: _verdict_text(now[m]) for m in MODES},
                "best": now["full" if each["full"] else "quick"] or NO_VERDICT,
                "first": _verdict_text(first),
                "first_found": first,
            }
        )
    return rows


def _recorded_claim(of: Mapping[str, Any] | None, claim: Claim) -> dict[str, Any] | None:
    return None if of is None else next((each for each in of["claims"] if each["id"] == claim.id), None)


def _current_verdict(claim: Claim, result: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What was found by the rule of today: None where it was not asked."""
    if result is None or isinstance(claim.amendment, Removal):
        return None
    if isinstance(claim.amendment, NewRule):
        if claim.amendment.rule.judge is None:
            result = {"verdict": NOT_TESTABLE, "state": "", "number": "", "on": [], "panels": []}
        elif "amended" not in result:
            return None
        else:
            result = result["amended"]
    return {**result, "why": reason_for(claim.current_rule, result["verdict"]), "near": distance_text(result)}


def _verdict_text(result: Mapping[str, Any] | None) -> str:
    if result is None:
        return ""
    return f"{result['verdict']} ({result['state']})" if result["state"] else result["verdict"]


def _summary(paper: Paper, recorded: RecordedResults) -> dict[str, Any]:
    recorded_items = [(item, recorded[item.id]) for item in paper.items if item.id in recorded]
    latest = [by_mode.get("full") or by_mode["quick"] for _, by_mode in recorded_items]
    rows = [
        {**row, "reduction": item.reduction} for item, by_mode in recorded_items for row in claim_rows(item, by_mode)
    ]
    untested = ["not testable" for _ in paper.untested]
    return {
        "paper": paper,
        "rows": rows,
        "first": count_verdicts(
            [*(row["first_found"]["verdict"] for row in rows if row["first_found"]), *untested], FIRST_RULE_VERDICTS
        ),
        "counts": count_verdicts([*(row["best"]["verdict"] for row in rows if row["best"]["verdict"]), *untested]),
        "ours": sum("(ours)" in row["claim"].text for row in rows),
        "curves": [sum(each["curves"][k] for each in latest) for k in (0, 1)],
        "minutes": round(sum(each["minutes"] for each in latest), 1),
        "date": max((each["date"] for each in latest), default=""),
        "modes": sorted({each["mode"] for each in latest}),
        "by": sorted({each["by"] for each in latest}),
        "machines": sorted({each["machine"] for each in latest}),
    }


def _template(name: str) -> Any:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {
        "cell": _cell,
        "short_number": short_number,
        "integer_ranges": integer_ranges,
        "counts_text": _counts_text,
    }
    return environment.from_string(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _cell(value: Any) -> str:
    """A value in a cell of a table of Markdown."""
    text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _counts_text(counts: Mapping[str, int]) -> str:
    """How many of each verdict there are, in words."""
    return ", ".join(count_text(word, count) for word, count in counts.items() if count) or "nothing judged"


def _write_text(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text.encode())
