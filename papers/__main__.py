"""``python -m papers --list``, ``python -m papers ID...``: what `reproduce` does, from the command line."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cdlab import datasets
from cdlab.datasets import Derived

from . import pages, registry, running
from .items import MODES, Item
from .recording import is_changed
from .verdicts import count_verdicts, counts_text

COLUMNS = ("claim", "verdict", "what decides", "data")
LIST_COLUMNS = ("item", "what", "data", "quick s", "full s", "curves", "verdicts")
RUN_COLUMNS = ("item", "case", "run", "seed", "key", "there")
# So many seconds lie between two lines of progress, on a terminal and elsewhere.
PROGRESS_SECONDS = {True: 0.1, False: 5.0}
DESCRIPTION = """\
Reproduce figures, tables and claims of papers. What is missing is run, each claim
judged by its rule, and a page written for each paper. Each finished run is kept in
the cache and never computed again: the same command goes on where it was interrupted.
"""
EPILOG = """\
the folder:
  index.md      all claims
  PAPER.md      claims and verdicts, pictures, tables, conditions
  ITEM.svg      the pictures, also as PNG; of quick runs ITEM-quick.svg
  results.json  every number of the pages

columns:
  quick s       of the runs, on one thread with kernels compiled; the first
                command on a machine compiles, too, and all read and draw
  verdict       reproduced, differs, not testable; undecided: the runs do not
                decide; not run: a run or its data are missing

exit codes:
  0    all verdicts are computed (one that differs is no error)
  1    a run is missing or failed, or a claim is undecided in all its panels
  2    bad input, or a page could not be written
  130  interrupted: finished runs are kept, and on the pages if all was planned

examples:
  python -m papers --list
  python -m papers faceoff-fig1 faceoff-fig2a
  python -m papers faceoff --full --out docs/reproductions --jobs 2
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, with these words or those of the process, and return its exit code."""
    options = _parser().parse_args(argv)
    try:
        code, text = _reproduce(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"papers: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("papers: interrupted", file=sys.stderr)
        return 130
    print(text)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m papers",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    papers = ", ".join(paper.id for paper in registry.PAPERS)
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"items (faceoff-fig2a), papers ({papers}), or all")
    parser.add_argument("--list", action="store_true", help="all items: their data, costs, and verdicts so far")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--full", action="store_true", help="the verdict")
    mode.add_argument("--quick", action="store_true", help="a preview, the default")
    parser.add_argument("--jobs", type=_jobs, metavar="N", help="processes; by default one for each core")
    parser.add_argument("--seeds", type=_seeds, metavar="LIST", help="in place of each item's: 0,1 or 0-4")
    parser.add_argument("--fresh", action="store_true", help="compute all runs of these items anew")
    parser.add_argument("--dry-run", action="store_true", help="only the keys of the runs, and which are there")
    parser.add_argument(
        "--rewrite", action="store_true", help="only write DIR's pages anew, with the words as they are now"
    )
    parser.add_argument(
        "--out", default=running.DEFAULT_FOLDER, metavar="DIR", help="the folder of the pages (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout instead of the table")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return parser


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number >= 1")
    return int(text)


def _seeds(text: str) -> list[int]:
    parts = [re.fullmatch(r"(\d+)(?:-(\d+))?", part) for part in text.split(",")]
    found = [seed for ends in parts if ends for seed in range(int(ends[1]), int(ends[2] or ends[1]) + 1)]
    if None in parts or not found or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"seeds are different whole numbers and ranges, as 0,1,7 or 0-4, not {text!r}")
    return found


def _reproduce(options: argparse.Namespace) -> tuple[int, str]:
    """The exit code, and the text for stdout."""
    if options.list:
        rows = _list(registry.select_items(options.ids or [registry.ALL_ITEMS]), Path(options.out))
        return 0, json.dumps({"items": rows}) if options.json else table(LIST_COLUMNS, rows)
    if options.rewrite:
        pages.write_pages(Path(options.out), pages.read_results(Path(options.out)))
        return 0, f"{Path(options.out) / pages.INDEX_FILE} and the pages beside it are written"
    if not options.ids:
        raise ValueError("name what to reproduce: items, papers or all; python -m papers --list shows them")
    items, mode = registry.select_items(options.ids), "full" if options.full else "quick"
    if options.dry_run:
        runs = running.planned_runs(items, mode, seeds=options.seeds)
        shown = [{**row, "there": "yes" if row["there"] else "no"} for row in runs]
        return 0, json.dumps({"runs": runs}) if options.json else table(RUN_COLUMNS, shown)
    with Progress(options.quiet) as progress:
        done = running.reproduce(
            items,
            mode,
            out=options.out,
            jobs=options.jobs,
            seeds=options.seeds,
            fresh=options.fresh,
            progress=progress.show,
        )
    code = 130 if done.interrupted else 0 if done.complete else 1
    found = {each.item.id: done.found[each.item.id][mode] for each in done.results}
    if options.json:
        return code, json.dumps({"mode": mode, "items": found, "out": options.out})
    return code, _report([each.item for each in done.results], mode, found, options.out, done.interrupted)


def _report(items: list[Item], mode: str, found: dict[str, Any], out: str, interrupted: bool) -> str:
    claims = [row for item in items for row in pages.claim_rows(item, {mode: found[item.id]})]
    verdicts = count_verdicts(row["found"]["verdict"] for row in claims)
    lines = [table(COLUMNS, map(_row, claims)), ""]
    lines.append(counts_text(verdicts))
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
    found = row["found"]
    word = found["verdict"] + " so far" if found["state"] == "so far" else found["state"] or found["verdict"]
    on = f"on {'; '.join(found['on'])}" if found["on"] else ""
    return dict(zip(COLUMNS, (f"{row['item']} {row['claim'].id}", word, found["number"] or "-", on), strict=True))


def _list(items: list[Item], folder: Path) -> list[dict[str, Any]]:
    known = pages.read_results(folder)
    unavailable = {each.name for each in datasets.names() if each.where == "unavailable"}
    rows = []
    for item in items:
        found = known.get(item.id, {})
        latest = next((found[mode] for mode in reversed(MODES) if mode in found), None)
        counts = count_verdicts(row["found"]["verdict"] for row in pages.claim_rows(item, found))
        curves = "{} of {}".format(*latest["curves"]) if latest else "-"
        verdicts = counts_text(counts) if found else "-"
        values = (item.id, item.place, _data_of(item, unavailable), *item.seconds, curves, verdicts)
        rows.append(dict(zip(LIST_COLUMNS, values, strict=True)))
    return rows


def _data_of(item: Item, unavailable: set[str]) -> str:
    """Whether the data are here, stand in for others, or are missing."""
    sources = {str(case.data.source if isinstance(case.data, Derived) else case.data) for case in item.cases}
    if missing := sorted(sources & unavailable):
        return f"missing: {', '.join(missing)}"
    return "stand-in" if any(case.stands_for for case in item.cases) else "here"


def table(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table as text: the columns `names` of `rows` under their names."""
    texts = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in texts)


class Progress:
    """A line on stderr: on a terminal it is rewritten and at last wiped out, elsewhere there are some now and then."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._live, self._due = quiet, sys.stderr.isatty(), 0.0

    def show(self, text: str) -> None:
        """Show a sentence, unless the last one is too recent."""
        if not self._quiet and time.monotonic() >= self._due:
            self._due = time.monotonic() + PROGRESS_SECONDS[self._live]
            print(f"\r\x1b[K{text[:79]}" if self._live else f"{text}\n", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
