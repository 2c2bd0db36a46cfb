"""The options of ``python -m benchmarks.peers``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cdlab.cli import values
from cdlab.cli.options import OutputOptions
from cdlab.cli.output import VerbProgress, number, table, to_json
from cdlab.cli.values import Integer, Number
from cdlab.sweeps.result_store import store_folder

from . import adapters
from .adapters import ours
from .cells import FULL_CELLS, NUM_DRAWN, QUICK_CELLS, drawn_cells, select_cells
from .comparing import Comparison
from .page import PAGE, write
from .results import PeerStore, TimingSettings, check_targets

COMMAND = "python -m benchmarks.peers"
COLUMNS = ("cell", "ours", "in a row", "first", "best peer", "seconds", "ratio", "from", "to", "default", "reaches")
OUR_METHODS = " ".join(ours.DEFAULT_METHODS)


def _several(metavar: str) -> Parameter:
    """An option that takes words up to the next option."""
    return Parameter(metavar=f"{metavar} ...", consume_multiple=(1, None))


def compare(
    *,
    list_: Annotated[bool, Parameter(name="--list")] = False,
    quick: bool = False,
    draw: Integer | None = None,
    problems: Integer = NUM_DRAWN,
    cells: Annotated[list[str] | None, _several("CELL")] = None,
    peers: Annotated[list[str] | None, _several("PEER")] = None,
    methods: Annotated[list[str] | None, _several("METHOD[@SAMPLING]")] = None,
    targets: Annotated[list[float] | None, _several("EPS")] = None,
    repeats: Integer | None = None,
    max_seconds: Number = 60.0,
    out: values.Folder = "cdlab-peers",
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Compare cdlab with other packages, from (X, y) to a given accuracy.

    The accuracy is a relative suboptimality (P(w) - P*)/(P(0) - P*), and all run on
    one thread. Each package gets the same arrays, and its cheapest setting that
    reaches the target as P(w) says from outside; cdlab stops by its own
    certificate. What is measured is kept in a folder, with a report, cell by cell.
    The same command goes on where it was interrupted, and measures again what is
    out of date: because of other data, another version of a package, or changed
    code of cdlab. Several commands can share the folder.

    Parameters
    ----------
    list_
        Which packages are here, and how to get the others.
    quick
        Few small cells (or --cells), 3 calls: a minute or two.
    draw
        Also cells that are drawn from this seed, data and problem: drawn:SEED:0/... and so on.
        Nobody can have tuned on those of a new seed; --cells 'drawn*' takes them alone.
    problems
        How many it draws.
    cells
        Cells or patterns: DATA/LOSS/C with l2 = C/n, DATA/LOSS/C/l1=SHARE, with /b for an
        intercept, DATA/LOSS/path of 50 weights l1, DATA/LOSS/cv by ten folds (default: all).
    peers
        Names or patterns (default: all).
    methods
        Ours; the first one is reported first (default: {OUR_METHODS}).
    targets
        Relative suboptimalities (default: 1e-3 1e-6 1e-9).
    repeats
        Timed calls (default: 5, --quick 3).
    max_seconds
        CPU seconds per call.
    out
        Folder of the results.
    output
        What is shown, and where.

    The folder
    ----------
    benchmark.md   tables and conditions
    benchmark.svg  performance profile
    store.sqlite   what was measured

    Columns
    -------
    ours, seconds  median CPU seconds of ours and of the best peer, in turn with all
    in a row       those of ours with nothing between the calls
    first          those of ours in a new process that has imported cdlab
    ratio          median of ours / best peer within a round; from, to: extremes
    default        CPU seconds of the best peer with its default tolerance
    reaches        the relative suboptimality that this gives
    -              the target was not reached, or no peer takes the problem

    Exit codes
    ----------
    0    everything asked for is in the folder
    1    a cell was left out (its data are not here, say)
    2    bad input
    130  interrupted: what is finished is kept

    Examples
    --------
    {COMMAND} --list
    {COMMAND} --quick
    {COMMAND} --cells mushrooms/logistic/0.1 --peers 'sklearn-*' --out mushrooms
    {COMMAND} --cells 'leu/*' '*/logistic/0.1' --peers 'liblinear-*' --out leu
    {COMMAND} --cells '*/path' '*/cv' --methods auto --out paths
    {COMMAND} --draw 20261128 --cells 'drawn*' --methods auto --targets 1e-6 --out drawn
    benchopt run benchmarks/peers/benchopt
    """
    if list_:
        return 0, _packages(output.json)
    repeats = (3 if quick else 5) if repeats is None else repeats
    if repeats < 1 or problems < 1 or not max_seconds > 0:
        raise ValueError("--repeats must be at least 1, --problems as well, and --max-seconds more than 0")
    settings = TimingSettings(check_targets(targets or ours.TARGETS), repeats, float(max_seconds))
    drawn = [] if draw is None else drawn_cells(draw, problems)
    if cells:
        selected = select_cells(cells, [*FULL_CELLS, *drawn, *QUICK_CELLS])
    else:
        selected = [*(QUICK_CELLS if quick else FULL_CELLS), *drawn]
    solvers = [ours.ours(entry).name for entry in methods or ours.DEFAULT_METHODS]
    solvers += [peer.name for peer in adapters.installed(peers or ["*"])]
    interrupted = False
    with VerbProgress(output.quiet) as progress:
        comparison = Comparison(selected, solvers, PeerStore(store_folder(out)), settings, progress)
        try:
            comparison.run()
        except KeyboardInterrupt:
            interrupted = True
    report = write(comparison.results(), settings, Path(out))
    code = 130 if interrupted else 0 if comparison.is_complete() else 1
    return code, to_json(report) if output.json else _report(report, out, interrupted)


def _report(report: dict, out: str, interrupted: bool) -> str:
    lines = []
    for part in report["methods"]:
        for each in part["targets"]:
            lines += [f"{part['method']} to {number(each['target'])}: {each['sentence']}"]
            lines += [f"called in a row: {each['in_a_row']}", f"ours: {each['apart']}", ""]
            if each["rows"]:
                lines += [table(COLUMNS, [_row(row) for row in each["rows"]]), ""]
    lines.append(f"{Path(out) / PAGE} shows it, with conditions and who was left out")
    if interrupted:
        lines.append("interrupted: the same command goes on from here")
    return "\n".join(lines)


def _row(row: dict) -> dict:
    names = ("ours", "in_a_row", "first", "theirs", "ratio", "low", "high", "default", "accuracy")
    values = [float(f"{row[name]:.3g}") for name in names]
    return dict(zip(COLUMNS, (row["cell"], *values[:3], row["peer"] or "none", *values[3:]), strict=True))


def _packages(as_json: bool) -> str:
    known = adapters.all_peers().values()
    rows = [
        {
            "package": package.name,
            "version": package.version or "missing",
            "solvers": ", ".join(peer.name for peer in known if peer.package == package),
            "install": package.install,
        }
        for package in adapters.packages()
    ]
    if as_json:
        return to_json({"packages": rows})
    found = table(("package", "version", "solvers"), [row for row in rows if row["version"] != "missing"])
    missing = [f"  {row['package']}: {row['install']}" for row in rows if row["version"] == "missing"]
    missing += [f"  {peer.name}: {peer.missing}" for peer in known if peer.package.version and peer.missing]
    return "\n".join([found, *(["", "missing", *missing] if missing else [])])
