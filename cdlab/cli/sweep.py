"""``cdlab sweep FILE.toml``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import sweeps
from ..numerics.checks import short_repr
from ..sweeps.files import FAILURE
from ..sweeps.outlook import outlook
from . import specs, sweep_file
from .options import Parser, add_output, written
from .printing import table, to_json
from .watching import Progress

STORE = "cdlab-sweep"
BY = ("data", "loss", "l2", "l1", "method", "sampling")


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "sweep",
        "FILE.toml [options]",
        description="""Carry out many runs: all of a grid of data, losses, weights, methods, samplings
and seeds. Each finished run is a file in a folder, the store. What is there is
not computed again: the same command goes on where it was interrupted, and a
longer grid computes what is new.""",
        epilog="""the file
  store = "results"          the folder (default: cdlab-sweep)
  executor = "processes"     serial, processes (the default) or dask
  jobs = 2                   processes (default: one for each core)
  time_limit = 60            seconds of a run; longer ones count as failed
  memory_limit = 2e9         bytes of a run beside its data (Linux)

  [grid]                     or several [[grid]]: lists, whose product runs
  data = ["mushrooms", "a9a"]
  scale = "unit"             also split, dense, n_features, test
  loss = "logistic"          also "huber:gamma=0.5"
  l2 = ["1/n", "0.1/n"]      numbers, or "c/n"; also l1, intercept
  method = ["sdca", "quartz:averaged=true@importance"]
  sampling = "uniform"       of methods that name none
  seed = "0-4"               or 0, or [0, 1, 7]
  tol = 1e-6                 also max_passes, divergence_tol, every

columns
  runs, failed     how many are finished, and how many failed
  reached          how many reached their tolerance
  passes, seconds  medians over the finished runs

exit codes
  0    all runs are in the store
  1    some failed: to_frame() of cdlab.Store says why
  2    bad input, or --export could not be written
  130  interrupted: what is finished is in the store

examples
  cdlab sweep grid.toml --dry-run
  cdlab sweep grid.toml --store results --jobs 4 --export runs.csv""",
    )
    group = parser.add_argument_group("the sweep")
    group.add_argument("file", type=specs.nonempty, metavar="FILE.toml", help="what is to be run, see below")
    group.add_argument("--store", metavar="DIR", help=f"folder of the results (default: FILE's, or {STORE})")
    group.add_argument("--jobs", type=specs.whole, metavar="N", help="processes (default: FILE's, or one a core)")
    group.add_argument("--dry-run", action="store_true", help="check FILE, and count what is there and what is left")
    group.add_argument("--retry", action="store_true", help="carry out again what failed")
    add_output(parser).add_argument(
        "--export", metavar="OUT", help="write a row for each run to OUT.csv or OUT.parquet"
    )
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    grid, options = sweep_file.read(args.file)
    given = {name: getattr(args, name) for name in ("store", "jobs") if getattr(args, name) is not None}
    options = {"store": STORE, "executor": "processes", **options, **given}
    if args.export is not None and Path(args.export).suffix not in sweeps.store.WRITTEN:
        raise ValueError(f"--export writes a file that ends in .csv or .parquet, not {short_repr(args.export)}")
    if args.dry_run:
        found = outlook(grid, options["store"])
        left = found.total - found.found - (0 if args.retry else found.failed)
        counts = {"runs": found.total, "finished": found.found, "failed": found.failed, "to do": left}
        return 0, to_json({"verb": "sweep", **counts}) if args.json else table(list(counts), [counts])
    reached: list[sweeps.Progress] = []
    interrupted = False
    with Progress(args.quiet) as progress:

        def watch(now: sweeps.Progress) -> None:
            reached.append(now)
            progress.now_and_then(str(now))

        progress.show(f"reading {args.file} and its data")
        try:
            store = sweeps.sweep(grid, retry=args.retry, progress=watch, **options)
        except KeyboardInterrupt:
            if not reached:  # nothing has begun
                raise
            interrupted, store = True, sweeps.Store(options["store"])
    frame = store.to_frame()
    if interrupted:  # the order of the grid is not known then
        frame = frame.sort_values([*BY, "seed"], ignore_index=True)
    saved = args.export is None or written(args.export, lambda: store.export(args.export))
    failed = int((frame["status"] == FAILURE).sum())
    code = 130 if interrupted else 2 if not saved else 1 if failed else 0
    rows = _summary(frame)
    if args.json:
        return code, to_json({"verb": "sweep", "store": str(store.path), "interrupted": interrupted, "runs": rows})
    lines = [table(list(rows[0]), rows)] if rows else []
    lines += [
        "",
        f"{store.path} holds {len(store)} finished run{'' if len(store) == 1 else 's'}"
        + (f", and {failed} that failed" if failed else ""),
    ]
    if failed:
        lines.append(f"the first of these: {frame.loc[frame['status'] == FAILURE, 'failure'].iloc[0]}")
    if interrupted:
        lines.append(f"interrupted after {reached[-1]}: the same command goes on from here")
    return code, "\n".join(lines)


def _summary(frame: Any) -> list[dict[str, Any]]:
    """A row for each problem and method, over its seeds and limits."""
    rows = []
    for values, group in frame.groupby(list(BY), sort=False):
        done = group[group["status"] != FAILURE]
        medians = {name: float(f"{done[name].median():.4g}") for name in ("passes", "seconds")}
        counts = {"runs": len(done), "failed": len(group) - len(done)}
        reached = int(done["status"].isin(["tolerance reached", "gradient small"]).sum())
        rows.append(dict(zip(BY, values, strict=True)) | counts | {"reached": reached} | medians)
    return rows
