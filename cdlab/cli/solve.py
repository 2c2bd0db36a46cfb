"""``cdlab solve FILE`` and ``cdlab path FILE``: one method, for one weight or several."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..datasets.parts import Loaded
from ..estimators import CDClassifierCV, CDRegressorCV
from ..losses import is_vector
from ..numerics.files import atomic_write
from ..runs import paths, solving
from ..runs.entries import label_of, with_aim
from ..runs.limits import Limits, Status, drive
from ..runs.running import Run
from ..runs.solution import Solution, solution_of
from ..runs.trace import Record, Trace, relative_gap
from . import values
from .options import FEATURES, LimitOptions, MethodOptions, OutputOptions, ProblemOptions, default
from .output import Interruption, VerbProgress, exit_code, number, table, to_json, try_to_save
from .values import Engine, Folder, Integer, Number, OutFile, WeightList

# These columns are of a run, not of its point.
OF_WORK = ("iteration", "passes", "seconds", "ideal_passes", "examples", "active")
MAX_ROWS = 20  # The table has so many rows; --json and --save have every record.


def solve(
    problem: ProblemOptions,
    *,
    method: MethodOptions = MethodOptions(),
    limits: LimitOptions = LimitOptions(),
    every: Integer | None = default(solving.solve, "every"),
    cv: Integer | None = None,
    l1_ratio: Number = 0.0,
    engine: Engine | None = None,
    checkpoint: Folder | None = None,
    save: OutFile | None = None,
    solution: OutFile | None = None,
    certificate: OutFile | None = None,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Minimise P(w) by one method, until the duality gap proves w good enough.

        P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

    Parameters
    ----------
    every
        Measure every so many epochs (default: as seldom as finds --tol in time).
    cv
        Choose the weights by cross-validation with so many folds, drawn by --seed, instead of --l2 and --l1: those of
        best accuracy, or least squared error (of other losses: least mean loss).
    l1_ratio
        With --cv: the share of l1 in the weight, from 0 (l2 alone) to 1 (l1 alone).
    engine
        FILE is a folder or a pattern of shards, NPZ or Parquet: solve it in parts by CoCoA+, or L-BFGS with --method
        lbfgs, --intercept or softmax, for --max-passes rounds at most. alone: here, reading one shard at a time; mpi: a
        part in each process of mpirun; dask, or the address of a scheduler, as tcp://host:8786: a part at each worker.
    checkpoint
        With --engine: keep where the run is in this folder after each round; the same command goes on from there.
    save
        Write the trace as JSON, for cdlab.Trace.load.
    solution
        Write the solution as NPZ, for cdlab predict and cdlab.load_solution.
    certificate
        Write a file that proves the distance from the optimum, for cdlab check; with --engine one more for each shard.

    Columns
    -------
    iteration     coordinate updates so far
    passes        nonzeros visited / nnz: the work, alike for every method
    seconds       solver time, without measuring and compiling
    primal, dual  P(w) and D(alpha)
    gap           P(w) - D(alpha), which is at least P(w) - P(w*)
    relative_gap  gap / max(P(0) - D(alpha), 1e-6 P(0)), which --tol limits;
                  with an intercept P(0) is that of the best constant
    test_error    with --test: share of wrong classes (regression: mean loss)
    test_loss     with --test: mean loss
    examples      examples processed, as papers count them: n for a full gradient
    active        with screening: the coordinates that are still visited

    Exit codes
    ----------
    0    tolerance reached, gradient small, rounding limit (--tol 0: a limit)
    1    a limit came first, or the run diverged
    2    bad input, or --save, --solution or --certificate could not be written
    130  interrupted: Ctrl-C stops after the current epoch and prints the table

    Examples
    --------
    cdlab solve mushrooms --l2 1/n --tol 1e-8
    cdlab solve mushrooms --l2 1/n --method sdca --sampling importance
    cdlab solve a9a --loss hinge --l2 1/n --method sdca:screening=gap_safe
    cdlab solve a9a --loss squared_hinge:c=1 --test a9a --json
    cdlab solve mushrooms --cv 5 --intercept
    mpirun -n 4 cdlab solve FOLDER --l2 1/n --engine mpi --checkpoint DIR
    """
    if engine is not None:
        result = _in_parts(problem, method, limits, engine, checkpoint, certificate, cv is not None, output.quiet)
        head = f"{problem.file}, {result.trace.label}: {result.trace.meta['problem']}\n"
        return _reported(result, limits, (save, solution, None), {}, output, {"problem": asdict(problem)}, head)
    if checkpoint is not None:
        raise ValueError("--checkpoint is of a run in parts: give --engine, too")
    chosen, sampling = method.resolve()
    found: dict[str, Any] = {}
    with VerbProgress(output.quiet) as progress:
        problem, data = problem.load_data(progress)
        if cv is not None:
            progress.show(f"cross-validation with {cv} folds")
            problem, found = _cross_validated(problem, data, cv, l1_ratio, method.seed)
        P = problem.problem(data)
        description = problem.description() if certificate is not None else {}
        test = problem.load_test(limits.test, P)
        with Interruption() as ctrl_c:
            label = label_of(chosen, sampling)
            progress.starting(label)

            def watch(record: Record) -> bool:
                progress.record(label, method.seed, record)
                return ctrl_c.requested

            ends = Limits(**limits.as_arguments())
            run = Run(P, with_aim(chosen, limits.tol), sampling, method.seed, every, test)
            drive(run, ends, stop=watch, measure_now=lambda: ctrl_c.requested)
            result = replace(solution_of(run), feature_names=problem.feature_names(), zero_based=problem.zero_based)
    by_folds = f"cross-validation: {', '.join(f'{k} {number(v)}' for k, v in found.items())}\n" if found else ""
    facts = {"problem": problem.to_dict(P), **({"cv": found} if found else {})}
    head = f"{problem.headline(P)}\n{by_folds}"
    return _reported(result, limits, (save, solution, certificate), description, output, facts, head)


def _reported(
    result: Solution,
    limits: LimitOptions,
    files: tuple[str | None, str | None, str | None],
    description: dict[str, Any],
    output: OutputOptions,
    facts: dict[str, Any],
    head: str,
) -> tuple[int, str]:
    """The exit code and the text of a solution; its trace, itself and its certificate are saved where that is asked."""
    save, solution, certificate = files
    all_saved = try_to_save(save, result.trace.save) & try_to_save(solution, result.save)
    all_saved &= try_to_save(certificate, partial(result.save_certificate, **description))
    code = exit_code([result.status], limits.tol) if all_saved else 2
    if output.json:
        return code, to_json({"verb": "solve", **facts, **solution_to_dict(result)})
    return code, f"{head}{_report(result)}{_settled(result)}"


def _in_parts(
    problem: ProblemOptions,
    method: MethodOptions,
    limits: LimitOptions,
    engine: str,
    checkpoint: str | None,
    certificate: str | None,
    by_folds: bool,
    quiet: bool,
) -> Solution:
    """The solution of a folder of shards."""
    from .. import distributed
    from ..distributed.teams import quiet_others

    plain = ProblemOptions(problem.file)
    unfit = [f"--{name}" for name in ("label", "split", "dense", "drop", "offset", "zero_based", *FEATURES, "positive")
             if getattr(problem, name) != getattr(plain, name)]  # fmt: skip
    unfit += ["--test"] * (limits.test is not None) + ["--cv"] * by_folds + ["--sampling"] * bool(method.sampling)
    if unfit:
        raise ValueError(f"{unfit[0].replace('_', '-')} is not for --engine, which takes shards: leave it out")
    if method.method not in ("auto", "lbfgs"):
        raise ValueError(f"--engine runs auto, or lbfgs, not {method.method}")
    quiet_others(engine)
    with VerbProgress(quiet) as progress, Interruption() as ctrl_c:
        progress.show(f"reading {problem.file}")
        return distributed.solve(
            problem.file, loss=values.loss(problem.loss), l2=problem.l2, l1=problem.l1, intercept=problem.intercept,
            scale=problem.scale, n_features=problem.n_features, method=method.method, engine=engine,
            in_memory=engine != "alone", checkpoint=checkpoint, certificate=certificate, seed=method.seed,
            tol=limits.tol, max_seconds=limits.max_seconds,
            max_rounds=sys.maxsize if limits.max_passes is None else max(1, int(limits.max_passes)),
            progress=lambda record: progress.record(method.method, method.seed, record),
            stop=lambda _: ctrl_c.requested,
        )  # fmt: skip


def _cross_validated(
    problem: ProblemOptions, data: Loaded, folds: int, l1_ratio: float, seed: int
) -> tuple[ProblemOptions, dict[str, Any]]:
    """The options with the weights that predict held-out folds best, and how well they do."""
    from sklearn.model_selection import KFold, StratifiedKFold

    if (problem.l2, problem.l1) != (ProblemOptions.l2, ProblemOptions.l1):
        raise ValueError("--cv chooses the weights: leave out --l2 and --l1")
    loss = values.loss(problem.loss)
    cls, split, what = (CDRegressorCV, KFold, "error")
    if loss.classification:
        cls, split, what = (CDClassifierCV, StratifiedKFold, "accuracy")
    drawn = split(folds, shuffle=True, random_state=seed)
    known = {"l1_ratio": l1_ratio, "cv": drawn, "fit_intercept": problem.intercept, "random_state": seed}
    known |= problem.features
    model = cls("logistic" if is_vector(loss) else loss, **known)  # logistic: softmax of several classes
    model.fit(*data, offset=data.offset)
    found = {"folds": folds, "l1_ratio": l1_ratio, "l2": model.l2_, "l1": model.l1_, "weights": model.weights_.size}
    found[what] = abs(float(model.scores_[model.weights_ == model.weight_].mean()))
    return replace(problem, l2=repr(model.l2_), l1=repr(model.l1_)), found


def run_to_dict(trace: Trace) -> dict[str, Any]:
    """A run as JSON: how to repeat it, its last values, and all its records."""
    columns = {name: trace.column(name) for name in (*trace.names, "relative_gap")}
    return {"run": trace.meta, "result": {name: values[-1] for name, values in columns.items()}, "trace": columns}


def solution_to_dict(s: Solution) -> dict[str, Any]:
    """As `run_to_dict`; the result is the whole work, and what was measured of the point that is returned."""
    run, at = run_to_dict(s.trace), s.record or s.trace.records[-1]
    found = at._asdict() | {"relative_gap": s.relative_gap}
    return run | {"result": {name: value if name in OF_WORK else found[name] for name, value in run["result"].items()}}


def _settled(s: Solution) -> str:
    """A line of what is certain at the optimum, if a value is."""
    return f"\n{s.certified}" if s.certified is not None and s.certified.values else ""


def _report(s: Solution) -> str:
    trace, records, meta = s.trace, s.trace.records, s.trace.meta
    chosen = {round(k) for k in np.linspace(0, len(records) - 1, MAX_ROWS)}  # the first and the last are among them
    rows = [{**records[k]._asdict(), "relative_gap": relative_gap(records[k], trace.at_zero)} for k in sorted(chosen)]
    last, at = rows[-1], s.record or records[-1]
    names = [*(name for name in trace.names if name != "rounding"), "relative_gap"]
    status = "interrupted" if meta["status"] == Status.STOPPED else meta["status"]
    verdict = f"{status} after {number(last['passes'])} passes and {number(last['seconds'])} s: "
    verdict += f"P(w) = {number(at.primal)}"
    verdict += f" after {number(at.passes)} of them" if at is not records[-1] else ""
    if np.isfinite(s.gap):
        verdict += f", at most {number(s.gap)} above the optimum (relative gap {number(s.relative_gap)})"
    how = meta.get("chosen", f"{meta['sampling']} sampling")
    return "\n".join([f"{meta['method']}, {how}, seed {meta['seed']}", "", table(names, rows), "", verdict])


@dataclass(frozen=True)
class PathProblem(ProblemOptions):
    """A problem for several weights.

    Attributes
    ----------
    l2
        Weights of (1/2) ||w||^2: numbers with commas, all divided by n if /n is at the end, as in 1,0.1,0.01/n.
    l1
        Weights of ||w||_1, in the same form.
    """

    l2: WeightList = ProblemOptions.l2
    l1: WeightList = ProblemOptions.l1


def path(
    problem: PathProblem,
    *,
    method: MethodOptions = MethodOptions(),
    limits: LimitOptions = LimitOptions(),
    save: OutFile | None = None,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Minimise P(w) for several weights, each from the solution before.

        P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

    The weights go from the strongest to the weakest, of several l2 and l1 all
    pairs, and each solution has its own certificate.

    Parameters
    ----------
    save
        Write the table as CSV, with all digits.

    Columns
    -------
    l2, l1        the weights
    method        what was asked for; below the table: what auto chose
    primal        P(w)
    gap           P(w) - D(alpha), which is at least P(w) - P(w*)
    relative_gap  gap / max(P(0) - D(alpha), 1e-6 P(0)), which --tol limits;
                  with an intercept P(0) is that of the best constant
    nonzeros      of w
    active        with screening: the coordinates visited in the end
    passes        nonzeros visited / nnz
    seconds       solver time, without measuring and compiling
    test_error    with --test: share of wrong classes (regression: mean loss)
    status        how the run ended

    Exit codes
    ----------
    0    every run reached its tolerance (with --tol 0: its limit)
    1    a limit came first, or a run diverged
    2    bad input, or --save could not be written
    130  interrupted: Ctrl-C prints and saves the solutions that are done

    Examples
    --------
    cdlab path mushrooms --l2 10,1,0.1/n --intercept
    cdlab path mushrooms --l2 1e-4 --l1 0.1,0.03,0.01 --save path.csv
    """
    chosen, sampling = method.resolve()
    with VerbProgress(output.quiet) as progress:
        problem, data = problem.load_data(progress)
        l2, l1 = (values.weights(texts)(len(data.y)) for texts in (problem.l2, problem.l1))
        P = replace(problem, l2=str(max(l2)), l1=str(max(l1))).problem(data)
        test = problem.load_test(limits.test, P)
        pairs = len(l2) * len(l1)
        solved = 0
        with Interruption() as ctrl_c:

            def count(*_: Any) -> None:
                nonlocal solved
                solved += 1

            def watch(record: Record) -> bool:
                progress.now_and_then(
                    f"solution {solved + 1} of {pairs}: {record.passes:.1f} passes, gap {record.gap:.2e}"
                )
                return ctrl_c.requested

            progress.starting(f"a path of {pairs}")
            settings = {"sampling": sampling, "test": test, "seed": method.seed, **limits.as_arguments()}
            result = paths.path(P, chosen, l2=l2, l1=l1, on_solution=count, stop=watch, **settings)
    frame = result.to_frame()
    interrupted = len(result) < pairs
    statuses = [s.status for s in result] + [Status.STOPPED] * interrupted
    code = exit_code(statuses, limits.tol) if try_to_save(save, partial(_write_csv, frame)) else 2
    rows, choices = frame.to_dict("records"), [s.trace.meta.get("chosen") for s in result]
    if output.json:
        rows = [row | {"chosen": words} for row, words in zip(rows, choices, strict=True)]
        return code, to_json({"verb": "path", "problem": problem.to_dict(P) | {"l2": l2, "l1": l1}, "path": rows})
    headline = problem.headline(P, f"{pairs} pair{'' if pairs == 1 else 's'} of l2 and l1")
    lines = [headline, "", table(list(frame.columns), rows)]
    if any(choices):
        lines += ["", *(f"{words}: {times} of {len(result)}" for words, times in Counter(choices).items())]
    if interrupted:
        lines += ["", f"interrupted after {len(result)} of {pairs} solution{'' if pairs == 1 else 's'}"]
    return code, "\n".join(lines)


def _write_csv(frame: Any, path: str) -> None:
    with atomic_write(path) as file:
        frame.to_csv(file, index=False, mode="wb")
