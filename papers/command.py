"""``cdlab reproduce --list``, ``cdlab reproduce ID...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..datasets import Derived
from ..datasets.catalogue import catalogue, where
from ..reproductions import pages, registry, running
from ..reproductions.items import MODES, Case, Item
from ..reproductions.recording import is_changed
from ..reproductions.verdicts import count_text, count_verdicts
from .options import OutputOptions
from .output import Progress, table, to_json
from .values import Folder, Seeds, Whole, nonempty, read_by

COLUMNS = ("claim", "verdict", "what decides", "data")
LIST_COLUMNS = ("item", "what", "data", "quick s", "full s", "curves", "verdicts")
RUN_COLUMNS = ("item", "case", "run", "seed", "key", "there")
PAPERS = ", ".join(paper.id for paper in registry.PAPERS)


def reproduce(
    *ids: Annotated[str, read_by(nonempty, "ID")],
    list_: Annotated[bool, Parameter(name="--list")] = False,
    full: Annotated[bool, Parameter(negative="--quick", allow_repeating=False)] = False,
    jobs: Whole | None = None,
    seeds: Seeds | None = None,
    fresh: bool = False,
    dry_run: bool = False,
    out: Folder = running.OUT,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Reproduce figures, tables and claims of papers.

    What is missing is run, each claim judged by a rule that was fixed before, and a
    page written for each paper. Each finished run is kept in the cache and never
    computed again: the same command goes on where it was interrupted.

    Parameters
    ----------
    ids
        Items (faceoff-fig2a), papers ({PAPERS}), or all.
    list_
        All items: their data, costs, and verdicts so far.
    full
        The verdict, or (quick, the default) a preview.
    jobs, fresh, out
        As `reproductions.running.reproduce`.
    seeds
        As `reproductions.running.reproduce`: 0,1 or 0-4.
    dry_run
        Only the keys of the runs, and which are there.

    The folder
    ----------
    index.md      all claims
    PAPER.md      claims and verdicts, pictures, tables, conditions
    ITEM.svg      the pictures, also as PNG; of quick runs ITEM-quick.svg
    results.json  every number of the pages

    Columns
    -------
    quick s       of the runs, on one thread with kernels compiled; the first
                  command on a machine compiles, too, and all read and draw
    verdict       reproduced, differs, not testable; depends on the reading,
                  where the text leaves a choice open; undecided: the runs do
                  not decide; not run: a run or its data are missing

    Exit codes
    ----------
    0    all verdicts are computed (one that differs is no error)
    1    a run is missing or failed, or a claim is undecided in all its panels
    2    bad input, or a page could not be written
    130  interrupted: finished runs are kept, and on the pages if all was planned

    Examples
    --------
    cdlab reproduce --list
    cdlab reproduce faceoff-fig1 faceoff-fig2a
    cdlab reproduce faceoff --full --out docs/reproductions --jobs 2
    """
    if list_:
        rows = _list(registry.select_items(list(ids) or [registry.ALL_ITEMS]), Path(out))
        return 0, to_json({"verb": "reproduce", "items": rows}) if output.json else table(LIST_COLUMNS, rows)
    if not ids:
        raise ValueError("name what to reproduce: items, papers or all; cdlab reproduce --list shows them")
    items = registry.select_items(list(ids))
    mode = "full" if full else "quick"
    if dry_run:
        runs = running.planned_runs(items, mode, seeds=seeds)
        rows = [{**row, "there": "yes" if row["there"] else "no"} for row in runs]
        return 0, to_json({"verb": "reproduce", "runs": runs}) if output.json else table(RUN_COLUMNS, rows)
    with Progress(output.quiet) as progress:
        try:
            done = running.reproduce(
                items, mode, out=out, jobs=jobs, seeds=seeds, fresh=fresh, progress=progress.now_and_then
            )
        except ImportError as error:
            raise ValueError(str(error)) from None
    code = 130 if done.interrupted else 0 if done.complete else 1
    found = {each.item.id: done.found[each.item.id][mode] for each in done.results}
    if output.json:
        return code, to_json({"verb": "reproduce", "mode": mode, "items": found, "out": out})
    return code, _report([each.item for each in done.results], mode, found, out, done.interrupted)


def _report(items: list[Item], mode: str, found: dict[str, Any], out: str, interrupted: bool) -> str:
    claims = [row for item in items for row in pages.claim_rows(item, {mode: found[item.id]}) if row["best"]["verdict"]]
    rows = [_row(row) for row in claims]
    verdicts = count_verdicts(row["best"]["verdict"] for row in claims)
    lines = [table(COLUMNS, rows), ""]
    lines.append(", ".join(count_text(*each) for each in verdicts.items() if each[1]))
    lines += [f"not run here: {sentence}" for each in found.values() for sentence in each["missing"]]
    present, wanted = (sum(each["curves"][k] for each in found.values()) for k in (0, 1))
    if is_changed():
        lines.append(
            "the pages name a commit with changes (-dirty), which nobody can go back to: commit, then run again"
        )
    lines.append(f"{Path(out) / pages.INDEX_FILE} shows it, from {present} of {wanted} curves")
    if interrupted:
        lines.append("interrupted: the same command goes on from here")
    return "\n".join(lines)


def _row(row: dict[str, Any]) -> dict[str, str]:
    found = row["best"]
    word = found["verdict"] + " so far" if found["state"] == "so far" else found["state"] or found["verdict"]
    on = f"on {'; '.join(found['on'])}" if found["on"] else ""
    return dict(zip(COLUMNS, (f"{row['item']} {row['claim'].id}", word, found["number"] or "-", on), strict=True))


def _list(items: list[Item], folder: Path) -> list[dict[str, Any]]:
    known = pages.read_results(folder)
    rows = []
    for item in items:
        found = known.get(item.id, {})
        latest = next((found[mode] for mode in reversed(MODES) if mode in found), None)
        words = count_verdicts(
            row["best"]["verdict"] for row in pages.claim_rows(item, found) if row["best"]["verdict"]
        )
        verdicts = ", ".join(count_text(word, count) for word, count in words.items() if count)
        curves = "{} of {}".format(*latest["curves"]) if latest else "-"
        values = (item.id, item.place, _data_of(item), *item.seconds, curves, verdicts or "-")
        rows.append(dict(zip(LIST_COLUMNS, values, strict=True)))
    return rows


def _data_of(item: Item) -> str:
    """Whether the data are here, stand in for others, or are missing."""
    missing = sorted({name for case in item.cases if (name := _missing_data(case))})
    if missing:
        return f"missing: {', '.join(missing)}"
    return "stand-in" if any(case.stands_for for case in item.cases) else "here"


def _missing_data(case: Case) -> str:
    name = case.data.source if isinstance(case.data, Derived) else case.data if isinstance(case.data, str) else ""
    return str(name) if name in catalogue() and where(str(name)) == "unavailable" else ""
