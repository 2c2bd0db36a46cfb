"""``cdlab bench``."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..bench import benchopt, page, peers
from ..bench.cells import FULL, QUICK, chosen
from ..bench.peers import ours
from ..bench.planning import planned
from ..bench.results import Folder, Settings, falling
from ..bench.running import Progress as Steps
from ..bench.running import run as measure
from . import specs
from .options import Parser, add_output
from .printing import number, table, to_json
from .watching import Progress

OUT = "cdlab-bench"
COLUMNS = ("cell", "ours", "best peer", "seconds", "ratio", "from", "to")


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "bench",
        "[options]",
        description="""Compare cdlab with other packages, from (X, y) to a relative suboptimality
(P(w) - P*)/(P(0) - P*), on one thread. Each package gets the same arrays, and
its cheapest setting that reaches the target as P(w) says from outside; cdlab
stops by its own certificate. What is measured is kept in a folder, with a
report, cell by cell. The same command goes on where it was interrupted, and
measures again what is out of date: because of other data, another version of a
package, or changed code of cdlab. Several commands can share the folder.""",
        epilog="""the folder
  report.html   tables, performance profiles, conditions
  report.json   the same for programs
  CELL/*.json   what was measured, one file for each solver

columns
  ours, seconds  median CPU seconds of ours and of the best peer
  ratio          median of ours / best peer within a round; from, to: extremes
  -              the target was not reached, or no peer takes the problem

exit codes
  0    everything asked for is in the folder
  1    a cell was left out (its data are not here, say)
  2    bad input
  130  interrupted: what is finished is kept

examples
  cdlab bench --list
  cdlab bench --quick
  cdlab bench --cells mushrooms/logistic/0.1 --peers 'sklearn-*' --out mushrooms
  cdlab bench --cells 'leu/*' '*/logistic/0.1' --peers 'liblinear-*' --out leu
  cdlab bench --benchopt benchmark_cdlab && benchopt run benchmark_cdlab""",
    )
    what = parser.add_argument_group("what is compared")
    what.add_argument("--list", action="store_true", help="which packages are here, and how to get the others")
    what.add_argument("--quick", action="store_true", help="few small cells (or --cells), 3 calls: a minute or two")
    what.add_argument(
        "--cells", nargs="+", metavar="CELL",
        help="cells or patterns: DATA/LOSS/C with l2 = C/n, DATA/LOSS/C/l1=SHARE (default: all)",
    )  # fmt: skip
    what.add_argument("--peers", nargs="+", default=["*"], metavar="PEER", help="names or patterns (default: all)")
    what.add_argument(
        "--methods", nargs="+", metavar="METHOD[@SAMPLING]",
        help=f"ours; the first one is reported first (default: {' '.join(ours.USUAL)})",
    )  # fmt: skip
    how = parser.add_argument_group("how")
    how.add_argument(
        "--targets", nargs="+", type=specs.number, default=list(ours.TARGETS), metavar="EPS",
        help="relative suboptimalities (default: 1e-3 1e-6 1e-9)",
    )  # fmt: skip
    how.add_argument("--repeats", type=specs.whole, metavar="K", help="timed calls (default: 5, --quick 3)")
    how.add_argument(
        "--max-seconds", type=specs.number, default=60.0, metavar="S", help="per call (default: %(default)s)"
    )
    output = add_output(parser)
    output.add_argument("--out", default=OUT, metavar="DIR", help="folder of the results (default: %(default)s)")
    output.add_argument(
        "--benchopt", metavar="DIR", help="write cdlab's methods as a benchmark for benchopt into a new folder"
    )
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    if args.benchopt is not None:
        return 0, "\n".join(benchopt.write(args.benchopt))
    if args.list:
        return 0, _listed(args.json)
    repeats = (3 if args.quick else 5) if args.repeats is None else args.repeats
    if repeats < 1 or not args.max_seconds > 0:
        raise ValueError("--repeats must be at least 1, and --max-seconds more than 0")
    settings = Settings(falling(args.targets), repeats, float(args.max_seconds))
    cells = chosen(args.cells, [*FULL, *QUICK]) if args.cells else QUICK if args.quick else FULL
    methods = [ours.ours(entry).name for entry in args.methods or ours.USUAL]
    names = [*methods, *(peer.name for peer in peers.installed(args.peers))]
    folder = Folder(args.out, settings)
    interrupted = False
    with Progress(args.quiet) as progress:
        plan = planned(cells, names, folder, settings, progress.now_and_then)
        try:
            measure(plan, folder, settings, Steps(progress.say, progress.now_and_then))
        except KeyboardInterrupt:
            interrupted = True
    report = page.write(plan.results(folder), settings, Path(args.out))
    code = 130 if interrupted else 0 if plan.complete(folder) else 1
    return code, to_json(report) if args.json else _told(report, args.out, interrupted)


def _told(report: dict, out: str, interrupted: bool) -> str:
    lines = []
    for part in report["methods"]:
        for each in part["targets"]:
            lines += [f"{part['method']} to {number(each['target'])}: {each['sentence']}", ""]
            if each["rows"]:
                lines += [table(COLUMNS, [_row(row) for row in each["rows"]]), ""]
    lines.append(f"{Path(out) / page.PAGE} shows it, with conditions and who was left out")
    if interrupted:
        lines.append("interrupted: the same command goes on from here")
    return "\n".join(lines)


def _row(row: dict) -> dict:
    values = (row["ours"], row["theirs"], row["ratio"], row["low"], row["high"])
    mine, theirs, *ratios = (float(f"{value:.3g}") for value in values)
    return dict(zip(COLUMNS, (row["cell"], mine, row["peer"] or "none", theirs, *ratios), strict=True))


def _listed(as_json: bool) -> str:
    known = peers.known().values()
    rows = [
        {
            "package": package.name,
            "version": package.version or "missing",
            "solvers": ", ".join(peer.name for peer in known if peer.package == package),
            "install": package.install,
        }
        for package in peers.packages()
    ]
    if as_json:
        return to_json({"verb": "bench", "packages": rows})
    found = table(("package", "version", "solvers"), [row for row in rows if row["version"] != "missing"])
    missing = [f"  {row['package']}: {row['install']}" for row in rows if row["version"] == "missing"]
    return "\n".join([found, *(["", "missing", *missing] if missing else [])])
