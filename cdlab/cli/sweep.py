"""``cdlab sweep FILE.toml``, and the file: TOML, with the words of the command line for methods, samplings, losses."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from .. import regularizers, sweeps
from ..datasets.loading import check_label, check_zero_based
from ..datasets.scaling import check_scale
from ..numerics import checks
from ..numerics.files import check_is_file
from ..runs.limits import SOLVED
from ..runs.running import RECORDS
from ..sweeps.executors import EXECUTORS
from ..sweeps.settings import expand_grid
from ..sweeps.store import EXPORT_SUFFIXES
from ..sweeps.stored_runs import FAILURE
from ..sweeps.sweeping import dry_run as count_runs
from . import values
from .options import OutputOptions
from .output import VerbProgress, table, to_json, try_to_save
from .values import Folder, Integer, OutFile, nonempty, read_by

DEFAULT_STORE = "cdlab-sweep"
GROUPED_BY = ("data", "loss", "l2", "l1", "method", "sampling")


def sweep(
    file: Annotated[str, read_by(nonempty, "FILE.toml")],
    /,
    *,
    store: Folder | None = None,
    jobs: Integer | None = None,
    dry_run: bool = False,
    retry: bool = False,
    export: OutFile | None = None,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Carry out many runs, and keep each in a folder, the store.

    They are all of a grid of data, losses, weights, methods, samplings and seeds.
    What is in the store is not computed again: the same command goes on where it
    was interrupted, and a longer grid computes what is new.

    Parameters
    ----------
    file
        What is to be run, see below.
    store
        Folder of the results (default: FILE's, or {DEFAULT_STORE}).
    jobs
        Processes (default: FILE's, or one a core).
    dry_run
        Check FILE, and count what is there and what is left.
    retry
        As `sweep`.
    export
        Write a row for each run to OUT.csv or OUT.parquet.

    The file
    --------
    store = "results"          the folder (default: {DEFAULT_STORE})
    executor = "processes"     serial, processes (the default) or dask
    jobs = 2                   processes (default: one for each core)
    time_limit = 60            seconds of a run; longer ones count as failed
    memory_limit = 2e9         bytes of a run beside its data (Linux)

    [grid]                     or several [[grid]]: lists, whose product runs
    data = ["mushrooms", "a9a"]
    scale = "unit"             also split, dense, n_features, label, drop,
                           zero_based, test
    loss = "logistic"          also "huber:gamma=0.5"
    l2 = ["1/n", "0.1/n"]      numbers, or "c/n"; also l1, intercept
    method = ["sdca", "quartz:averaged_primal=true@importance"]
    sampling = "uniform"       of methods that name none
    seed = "0-4"               or 0, or [0, 1, 7]
    tol = 1e-6                 also max_passes, divergence_tol, every, records

    Columns
    -------
    runs, failed     how many are finished, and how many failed
    reached          how many reached their tolerance
    passes, seconds  medians over the finished runs

    Exit codes
    ----------
    0    all runs are in the store
    1    some failed: to_frame() of cdlab.Store says why
    2    bad input, or --export could not be written
    130  interrupted: what is finished is in the store

    Examples
    --------
    cdlab sweep grid.toml --dry-run
    cdlab sweep grid.toml --store results --jobs 4 --export runs.csv
    """
    grid, options = read(file)
    options = {"store": DEFAULT_STORE, "executor": "processes", **options}
    options |= {name: value for name, value in (("store", store), ("jobs", jobs)) if value is not None}
    if export is not None and Path(export).suffix not in EXPORT_SUFFIXES:
        raise ValueError(f"--export writes a file that ends in .csv or .parquet, not {checks.short_repr(export)}")
    if dry_run:
        found = count_runs(grid, options["store"])
        left = found.total - found.found - (0 if retry else found.failed)
        counts = {"runs": found.total, "finished": found.found, "failed": found.failed, "to do": left}
        return 0, to_json({"verb": "sweep", **counts}) if output.json else table(list(counts), [counts])
    reached: list[sweeps.Progress] = []
    interrupted = False
    with VerbProgress(output.quiet) as progress:

        def watch(now: sweeps.Progress) -> None:
            reached.append(now)
            progress.now_and_then(str(now))

        progress.show(f"reading {file} and its data")
        try:
            results = sweeps.sweep(grid, retry=retry, progress=watch, **options)
        except KeyboardInterrupt:
            if not reached:  # nothing has begun
                raise
            interrupted, results = True, sweeps.Store(options["store"])
    frame = results.to_frame()
    if interrupted:  # the order of the grid is not known then
        frame = frame.sort_values([*GROUPED_BY, "seed"], ignore_index=True)
    written = try_to_save(export, results.export)
    failures = frame.loc[frame["status"] == FAILURE, "failure"]
    code = 130 if interrupted else 2 if not written else 1 if len(failures) else 0
    rows = _summary(frame)
    if output.json:
        return code, to_json({"verb": "sweep", "store": str(results.path), "interrupted": interrupted, "runs": rows})
    lines = [table(list(rows[0]), rows)] if rows else []
    count = f"{len(results)} finished run{'' if len(results) == 1 else 's'}"
    lines += ["", f"{results.path} holds {count}" + (f", and {len(failures)} that failed" if len(failures) else "")]
    if len(failures):
        lines.append(f"the first of these: {failures.iloc[0]}")
    if interrupted:
        lines.append(f"interrupted after {reached[-1]}: the same command goes on from here")
    return code, "\n".join(lines)


def _summary(frame: Any) -> list[dict[str, Any]]:
    """A row for each problem and method, over its seeds and limits."""
    rows = []
    for names, group in frame.groupby(list(GROUPED_BY), sort=False):
        finished = group[group["status"] != FAILURE]
        medians = {name: float(f"{finished[name].median():.4g}") for name in ("passes", "seconds")}
        counts = {"runs": len(finished), "failed": len(group) - len(finished)}
        reached = int(finished["status"].isin(SOLVED).sum())
        rows.append(dict(zip(GROUPED_BY, names, strict=True)) | counts | {"reached": reached} | medians)
    return rows


# ---------------------------------------------------------------- the file
def read(path: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The grid that a file describes, as `cdlab.sweep` takes it, and the other arguments that it gives.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        Which key of which table is wrong, and what would be right.
    """
    check_is_file(Path(path), "a sweep")
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {checks.error_message(error)}") from None
    tables = content.pop("grid", None)
    if tables is None:
        raise ValueError(f"{path} has no table [grid], which says what is to be run: data, method, l2, ...")
    if isinstance(tables, dict):
        named = {"[grid]": tables}
    elif isinstance(tables, list) and tables and all(isinstance(each, dict) for each in tables):
        named = {f"[[grid]] number {k}": each for k, each in enumerate(tables, 1)}
    else:
        raise ValueError(f"{path}: grid must be a table [grid] or several [[grid]], not {checks.short_repr(tables)}")
    options = _converted(path, "the top of the file", content, OPTIONS)
    runs = [run for where, each in named.items() for run in expand_grid(_converted(path, where, each, SETTINGS))]
    for run in runs:
        if isinstance(run.get("method"), tuple):  # it names its sampling
            run.pop("sampling", None)
    return runs, options


def _converted(path: str, where: str, table: dict[str, Any], known: Mapping[str, Callable[[Any], Any]]) -> dict:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            hint = checks.did_you_mean(key, known)
            raise ValueError(f"{path}: {where} has no key {checks.short_repr(key)}{hint} (keys: {', '.join(known)})")
        convert = known[key]
        try:
            several = isinstance(value, list) and key != "seed"
            found[key] = [convert(each) for each in value] if several else convert(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, {key} in {where}: {checks.error_message(error)}") from None
    return found


def _text(convert: Callable[[str], Any], value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"it must be a text in quotes, not {checks.short_repr(value)}")
    return convert(value)


def _entry(text: str) -> Any:
    method, sampling = values.method_at_sampling(text)
    return method if sampling is None else (method, {"sampling": sampling})


def _seeds(value: Any) -> list[int]:
    if isinstance(value, str):
        return values.seeds(value)
    wanted = 'a whole number >= 0 (ranges are texts, as in "0-4")'
    return [checks.integer("a seed", seed, wanted, low=0) for seed in (value if isinstance(value, list) else [value])]


def _weight(value: Any) -> Any:
    if isinstance(value, str):
        regularizers.parse_weight(value)
        return value
    return regularizers.checked_weight("the weight", value)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"it must be true or false, not {checks.short_repr(value)}")


def _checked_value(check: Callable[[Any], None], value: Any) -> Any:
    check(value)
    return value


def _word(words: tuple[str, ...], value: Any) -> str:
    checks.one_of("it", value, words)
    return value


_name = partial(_text, nonempty)
_not_negative = partial(checks.number, "it", wanted="a number >= 0", ends="[)")
_positive = partial(checks.number, "it", wanted="a number > 0")
_whole = partial(checks.integer, "it", wanted="a whole number >= 1")

OPTIONS: dict[str, Callable[[Any], Any]] = {
    "store": _name,
    "executor": partial(_word, tuple(EXECUTORS)),
    "jobs": _whole,
    "time_limit": _positive,
    "memory_limit": _positive,
}
SETTINGS: dict[str, Callable[[Any], Any]] = {
    "data": _name,
    "test": _name,
    "scale": partial(_checked_value, check_scale),
    "split": partial(_word, ("train", "test", "all")),
    "dense": _flag,
    "n_features": _whole,
    "label": partial(_checked_value, check_label),
    "drop": partial(_checked_value, check_label),
    "zero_based": partial(_checked_value, check_zero_based),
    "loss": partial(_text, values.loss),
    "l2": _weight,
    "l1": _weight,
    "intercept": _flag,
    "method": partial(_text, _entry),
    "sampling": partial(_text, values.sampling),
    "seed": _seeds,
    "tol": _not_negative,
    "max_passes": _not_negative,
    "divergence_tol": _positive,
    "every": _whole,
    "records": partial(_word, RECORDS),
    "strong_convexity": lambda value: value if value == "compute" else _positive(value),
}
