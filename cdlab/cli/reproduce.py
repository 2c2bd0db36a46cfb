"""``cdlab reproduce --list``, ``cdlab reproduce ID...``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..datasets import Derived
from ..datasets.catalogue import catalogue, where
from ..reproductions import pages, registry, running
from ..reproductions.items import MODES, Case, Item
from ..reproductions.recording import is_changed
from ..reproductions.verdicts import count_text, count_verdicts
from . import specs
from .options import Parser, add_output
from .printing import table, to_json
from .watching import Progress

COLUMNS = ("claim", "verdict", "what decides", "data")
LISTED = ("item", "what", "data", "quick s", "full s", "curves", "verdicts")
KEYS = ("item", "case", "run", "seed", "key", "there")


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "reproduce",
        "--list | ID... [options]",
        description="""Reproduce figures, tables and claims of papers: run what is missing, judge each
claim by a rule that was fixed before, and write a page for each paper. Each
finished run is kept in the cache and never computed again: the same command
goes on where it was interrupted.""",
        epilog=f"""ID
  an item (faceoff-fig2a), a paper ({", ".join(paper.id for paper in registry.PAPERS)}), or all

the folder
  index.md      all claims
  PAPER.md      claims and verdicts, pictures, tables, conditions
  ITEM.svg      the pictures, also as PNG; of quick runs ITEM-quick.svg
  results.json  every number of the pages

columns
  quick s       of the runs, on one thread with kernels compiled; the first
                command on a machine compiles, too, and all read and draw
  verdict       reproduced, differs, not testable; depends on the reading,
                where the text leaves a choice open; undecided: the runs do
                not decide; not run: a run or its data are missing

exit codes
  0    all verdicts are computed (one that differs is no error)
  1    a run is missing or failed, or a claim is undecided in all its panels
  2    bad input, or a page could not be written
  130  interrupted: finished runs are kept, and on the pages if all was planned

examples
  cdlab reproduce --list
  cdlab reproduce faceoff-fig1 faceoff-fig2a
  cdlab reproduce faceoff --full --out docs/reproductions --jobs 2""",
    )
    what = parser.add_argument_group("what is reproduced")
    what.add_argument("ids", nargs="*", type=specs.nonempty, metavar="ID", help="items, papers, or all")
    what.add_argument("--list", action="store_true", help="all items: their data, costs, and verdicts so far")
    mode = what.add_mutually_exclusive_group()
    mode.add_argument("--quick", dest="mode", action="store_const", const="quick", help="a preview (the default)")
    mode.add_argument("--full", dest="mode", action="store_const", const="full", help="the verdict")
    how = parser.add_argument_group("how")
    how.add_argument("--jobs", type=specs.whole, metavar="N", help="processes (default: one for each core)")
    how.add_argument("--seeds", type=specs.seeds, metavar="LIST", help="in place of each item's, as 0,1 or 0-4")
    how.add_argument("--fresh", action="store_true", help="compute all runs of these items anew")
    how.add_argument("--dry-run", action="store_true", help="only the keys of the runs, and which are there")
    output = add_output(parser)
    output.add_argument("--out", default=running.OUT, metavar="DIR", help="folder of the pages (default: %(default)s)")
    parser.set_defaults(mode="quick")
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    if args.list:
        rows = _listed(registry.select_items(args.ids or [registry.ALL_ITEMS]), Path(args.out))
        return 0, to_json({"verb": "reproduce", "items": rows}) if args.json else table(LISTED, rows)
    if not args.ids:
        raise ValueError("name what to reproduce: items, papers or all; cdlab reproduce --list shows them")
    items = registry.select_items(args.ids)
    if args.dry_run:
        keys = running.planned_runs(items, args.mode, seeds=args.seeds)
        rows = [{**row, "there": "yes" if row["there"] else "no"} for row in keys]
        return 0, to_json({"verb": "reproduce", "runs": keys}) if args.json else table(KEYS, rows)
    with Progress(args.quiet) as progress:
        how = {name: getattr(args, name) for name in ("out", "jobs", "seeds", "fresh")}
        try:
            done = running.reproduce(items, args.mode, **how, progress=progress.now_and_then)
        except ImportError as error:
            raise ValueError(str(error)) from None
    code = 130 if done.interrupted else 0 if done.complete else 1
    found = {each.item.id: done.found[each.item.id][args.mode] for each in done.results}
    if args.json:
        return code, to_json({"verb": "reproduce", "mode": args.mode, "items": found, "out": args.out})
    return code, _told([each.item for each in done.results], args.mode, found, args.out, done.interrupted)


def _told(items: list[Item], mode: str, found: dict[str, Any], out: str, interrupted: bool) -> str:
    claims = [row for item in items for row in pages.claim_rows(item, {mode: found[item.id]}) if row["best"]["verdict"]]
    rows = [_row(row) for row in claims]
    told = count_verdicts(row["best"]["verdict"] for row in claims)
    lines = [table(COLUMNS, rows), ""]
    lines.append(", ".join(count_text(*each) for each in told.items() if each[1]))
    lines += [f"not run here: {sentence}" for each in found.values() for sentence in each["missing"]]
    there, wanted = (sum(each["curves"][k] for each in found.values()) for k in (0, 1))
    if is_changed():
        lines.append(
            "the pages name a commit with changes (-dirty), which nobody can go back to: commit, then run again"
        )
    lines.append(f"{Path(out) / pages.INDEX_FILE} shows it, from {there} of {wanted} curves")
    if interrupted:
        lines.append("interrupted: the same command goes on from here")
    return "\n".join(lines)


def _row(row: dict[str, Any]) -> dict[str, str]:
    found = row["best"]
    word = found["verdict"] + " so far" if found["state"] == "so far" else found["state"] or found["verdict"]
    on = f"on {'; '.join(found['on'])}" if found["on"] else ""
    return dict(zip(COLUMNS, (f"{row['item']} {row['claim'].id}", word, found["number"] or "-", on), strict=True))


def _listed(items: list[Item], folder: Path) -> list[dict[str, Any]]:
    known = pages.read_results(folder)
    rows = []
    for item in items:
        found = known.get(item.id, {})
        latest = next((found[mode] for mode in reversed(MODES) if mode in found), None)
        words = count_verdicts(
            row["best"]["verdict"] for row in pages.claim_rows(item, found) if row["best"]["verdict"]
        )
        told = ", ".join(count_text(word, count) for word, count in words.items() if count)
        curves = "{} of {}".format(*latest["curves"]) if latest else "-"
        values = (item.id, item.place, _data_of(item), *item.seconds, curves, told or "-")
        rows.append(dict(zip(LISTED, values, strict=True)))
    return rows


def _data_of(item: Item) -> str:
    """Whether the data are here, stand in for others, or are missing."""
    missing = sorted({name for case in item.cases if (name := _absent(case))})
    if missing:
        return f"missing: {', '.join(missing)}"
    return "stand-in" if any(case.stands_for for case in item.cases) else "here"


def _absent(case: Case) -> str:
    name = case.data.source if isinstance(case.data, Derived) else case.data if isinstance(case.data, str) else ""
    return str(name) if name in catalogue() and where(str(name)) == "unavailable" else ""
