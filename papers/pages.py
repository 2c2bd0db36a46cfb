"""The pages: an index, one page for each paper, and results.json, from which all of them are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from .items import Item, Paper
from .number_text import short_number
from .registry import PAPERS
from .verdicts import NOT_TESTABLE, count_verdicts, counts_text, distance_text, reason_for

RESULTS_FILE, INDEX_FILE = "results.json", "index.md"
NO_VERDICT: dict[str, Any] = {"verdict": "", "state": "", "number": "", "on": [], "panels": []}
RecordedResults = dict[str, dict[str, Any]]  # by item, then by mode


def read_results(folder: Path) -> RecordedResults:
    """The results of earlier commands; none in a new folder.

    Raises
    ------
    ValueError
        If the file there was not written by these commands.
    """
    try:
        result = json.loads((folder / RESULTS_FILE).read_text(encoding="utf-8"))
        return dict(result["items"])
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{folder / RESULTS_FILE} is no file of python -m papers: move it, or choose another --out"
        ) from None


def write_pages(folder: Path, recorded: RecordedResults, papers: Sequence[Paper] = PAPERS) -> None:
    """Write results.json, the page of each paper of which there is an item, and the index.

    Pages are written from what results.json says, so that they are the same when they are written again from it.

    Raises
    ------
    OSError
        If a file cannot be written.
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
    """Each claim of an item with its verdict, from the full run where there is one, else from the quick one.

    Words come from the declarations, numbers from what was recorded.

    Returns
    -------
    list of dict
        claim, item, the id of it; verdict, in words, "not run" where there is none; found, what was found.
    """
    mode = "full" if "full" in by_mode else "quick"
    recorded = {each["id"]: each for each in by_mode.get(mode, {"claims": []})["claims"]}
    rows = []
    for claim in item.claims:
        found = NO_VERDICT | recorded.get(claim.id, {})
        if not claim.testable:
            found = NO_VERDICT | {"verdict": NOT_TESTABLE}
        marks = [found["state"], "quick" if mode == "quick" and claim.testable and found["verdict"] else ""]
        text = f"{found['verdict'] or 'not run'} ({', '.join(filter(None, marks))})".removesuffix(" ()")
        found |= {"why": reason_for(claim, found["verdict"]), "near": distance_text(found)}
        rows.append({"claim": claim, "item": item.id, "verdict": text, "found": found})
    return rows


def _summary(paper: Paper, recorded: RecordedResults) -> dict[str, Any]:
    recorded_items = [(item, recorded[item.id]) for item in paper.items if item.id in recorded]
    latest = [by_mode.get("full") or by_mode["quick"] for _, by_mode in recorded_items]
    rows = [
        {**row, "reduction": item.reduction} for item, by_mode in recorded_items for row in claim_rows(item, by_mode)
    ]
    verdicts = [row["found"]["verdict"] for row in rows] + [NOT_TESTABLE for _ in paper.untested]
    return {
        "paper": paper,
        "rows": rows,
        "counts": count_verdicts(verdicts),
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
        "counts_text": counts_text,
    }
    return environment.from_string(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _cell(value: Any) -> str:
    """A value in a cell of a table of Markdown."""
    text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _write_text(path: Path, text: str) -> None:
    unfinished = path.with_suffix(".part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
