"""``cdlab solve FILE``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..methods import Method
from ..problems.problem import Problem
from ..runs import solving
from ..runs.driving import drive
from ..runs.endings import check_limits
from ..runs.entries import label_of
from ..runs.records import Record, relative_gap
from ..runs.running import Run
from ..runs.solution import Solution, solution_of
from ..runs.statuses import Status
from ..runs.trace import Trace
from ..samplings import Sampling
from .one_method import add_method, entrant
from .options import (
    Parser,
    add_limits,
    add_output,
    add_problem,
    check_target,
    described,
    headline,
    load_problem,
    load_test,
    written,
)
from .printing import number, table, to_json
from .watching import Interruption, Progress, exit_code

ROWS = 20  # of the table; --json and --save have every record

COLUMNS = """columns
  iteration     coordinate updates so far
  passes        nonzeros visited / nnz: the work, alike for every method
  seconds       solver time, without measuring and compiling
  primal, dual  P(w) and D(alpha)
  gap           P(w) - D(alpha), which is at least P(w) - P(w*)
  relative_gap  gap / (P(0) - D(alpha)), which --tol limits
  test_error    with --test: share of wrong classes (regression: mean loss)
  test_loss     with --test: mean loss
  examples      examples processed, as papers count them: n for a full gradient
  active        with screening: the coordinates that are still visited
"""


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "solve",
        "FILE [options]",
        description="""Minimise

    P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

by one method, until the duality gap P(w) - D(alpha) proves that w is good
enough.""",
        epilog=COLUMNS
        + """
exit codes
  0    tolerance reached or gradient small (with --tol 0: a limit)
  1    a limit came first, or the run diverged
  2    bad input, or --save or --solution could not be written
  130  interrupted: Ctrl-C stops after the current epoch and prints the table

examples
  cdlab solve mushrooms --l2 1/n --tol 1e-8
  cdlab solve mushrooms --l2 1/n --method sdca --sampling importance
  cdlab solve a9a --loss hinge --l2 1/n --method sdca:screening=gap_safe
  cdlab solve a9a --loss squared_hinge:c=1 --test a9a --json""",
    )
    add_problem(parser)
    add_method(parser)
    add_limits(parser, solving.solve)
    output = add_output(parser)
    output.add_argument("--save", metavar="TRACE.json", help="write the trace, for cdlab.Trace.load")
    output.add_argument(
        "--solution", metavar="OUT.npz", help="write the solution, for cdlab predict and cdlab.load_solution"
    )
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    check_target(args.save)
    check_target(args.solution)
    method, sampling = entrant(args)
    with Progress(args.quiet) as progress:
        problem = load_problem(args, progress)
        test = load_test(args, problem)
        solution = _solution(args, problem, method, sampling, test, progress)
    saved = args.save is None or written(args.save, lambda: solution.trace.save(args.save))
    saved &= args.solution is None or written(args.solution, lambda: solution.save(args.solution))
    code = exit_code([solution.status], args.tol) if saved else 2
    if args.json:
        return code, to_json({"verb": "solve", "problem": described(args, problem), **outcome(solution.trace)})
    return code, f"{headline(args, problem)}\n{_report(solution.trace)}"


def _solution(
    args: argparse.Namespace, problem: Problem, method: Method, sampling: Sampling, test: Any, progress: Progress
) -> Solution:
    with Interruption() as ctrl_c:
        label = label_of(method, sampling)
        progress.starting(label)

        def watch(record: Record) -> bool:
            progress.record(label, args.seed, record)
            return ctrl_c.asked

        check_limits(args.tol, args.max_passes, args.max_seconds)
        run = Run(problem, method.aimed(args.tol), sampling, args.seed, args.every, test)
        drive(
            run, tol=args.tol, max_passes=args.max_passes, max_seconds=args.max_seconds, stop=watch,
            cut=lambda: ctrl_c.asked,
        )  # fmt: skip
        return solution_of(run)


def outcome(trace: Trace) -> dict[str, Any]:
    """A run as JSON: how to repeat it, its last values, and all its records."""
    columns = {name: trace.column(name) for name in (*trace.names, "relative_gap")}
    return {"run": trace.meta, "result": {name: values[-1] for name, values in columns.items()}, "trace": columns}


def _report(trace: Trace) -> str:
    records, meta = trace.records, trace.meta
    m = len(records)
    chosen = sorted({round(k * (m - 1) / (ROWS - 1)) for k in range(ROWS)})  # the first and the last are among them
    rows = [{**records[k]._asdict(), "relative_gap": relative_gap(records[k], trace.at_zero)} for k in chosen]
    last = rows[-1]
    names = [*(name for name in trace.names if name != "rounding"), "relative_gap"]
    status = "interrupted" if meta["status"] == Status.STOPPED else meta["status"]
    verdict = f"{status} after {number(last['passes'])} passes and {number(last['seconds'])} s: "
    verdict += f"P(w) = {number(last['primal'])}"
    if np.isfinite(last["gap"]):
        verdict += f", at most {number(last['gap'])} above the optimum (relative gap {number(last['relative_gap'])})"
    how = meta.get("chosen", f"{meta['sampling']} sampling")
    head = f"{meta['method']}, {how}, seed {meta['seed']}"
    return "\n".join([head, "", table(names, rows), "", verdict])
