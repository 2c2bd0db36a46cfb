"""``cdlab path FILE``."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from ..numerics.files import atomic_write
from ..problems.problem import Problem
from ..runs import paths
from ..runs.records import Record
from ..runs.statuses import Status
from . import specs
from .one_method import add_method, entrant
from .options import (
    Parser,
    add_limits,
    add_output,
    add_problem,
    check_target,
    described,
    headline,
    load_data,
    load_test,
    written,
)
from .printing import table, to_json
from .watching import Interruption, Progress, exit_code

SHARES = "numbers with commas, all divided by n if /n is at the end, as in 1,0.1,0.01/n"


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "path",
        "FILE [options]",
        description="""Minimise

    P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

for several weights l2 and l1 (of both: all pairs), from the strongest to the
weakest, each from the solution before and each with its own certificate.""",
        epilog="""columns
  l2, l1        the weights
  method        what was asked for; below the table: what auto chose
  primal        P(w)
  gap           P(w) - D(alpha), which is at least P(w) - P(w*)
  relative_gap  gap / (P(0) - D(alpha)), which --tol limits
  nonzeros      of w
  active        with screening: the coordinates visited in the end
  passes        nonzeros visited / nnz
  seconds       solver time, without measuring and compiling
  test_error    with --test: share of wrong classes (regression: mean loss)
  status        how the run ended

exit codes
  0    every run reached its tolerance (with --tol 0: its limit)
  1    a limit came first, or a run diverged
  2    bad input, or --save could not be written
  130  interrupted: Ctrl-C prints and saves the solutions that are done

examples
  cdlab path mushrooms --l2 10,1,0.1/n --intercept
  cdlab path mushrooms --l2 1e-4 --l1 0.1,0.03,0.01 --save path.csv""",
    )
    add_problem(parser, specs.weights, "C,...", SHARES)
    add_method(parser)
    add_limits(parser, paths.path)
    add_output(parser).add_argument("--save", metavar="OUT.csv", help="write the table as CSV, with all digits")
    return parser


def _save(frame: Any, path: str) -> None:
    with atomic_write(path) as file:
        frame.to_csv(file, index=False, mode="wb")


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    check_target(args.save)
    method, sampling = entrant(args)
    with Progress(args.quiet) as progress:
        X, y = load_data(args, progress)
        l2, l1 = args.l2(len(y)), args.l1(len(y))
        problem = Problem(X, y, args.loss, max(l2), max(l1), intercept=args.intercept)
        asked = len(l2) * len(l1)
        done: list[Any] = []
        with Interruption() as ctrl_c:

            def watch(record: Record) -> bool:
                reached = f"{record.passes:.1f} passes, gap {record.gap:.2e}"
                progress.now_and_then(f"solution {len(done) + 1} of {asked}: {reached}")
                return ctrl_c.asked

            progress.starting(f"a path of {asked}")
            found = paths.path(
                problem, method, l2=l2, l1=l1, sampling=sampling, tol=args.tol, max_passes=args.max_passes,
                max_seconds=args.max_seconds, test=load_test(args, problem), seed=args.seed,
                on_solution=lambda *solved: done.append(solved), stop=watch,
            )  # fmt: skip
    frame = found.to_frame()
    saved = args.save is None or written(args.save, lambda: _save(frame, args.save))
    cut = [] if len(found) == asked else [Status.STOPPED]
    code = exit_code([*(s.status for s in found), *cut], args.tol) if saved else 2
    rows, chosen = frame.to_dict("records"), [s.trace.meta.get("chosen") for s in found]
    if args.json:
        rows = [row | {"chosen": words} for row, words in zip(rows, chosen, strict=True)]
        return code, to_json({"verb": "path", "problem": described(args, problem) | {"l2": l2, "l1": l1}, "path": rows})
    lines = [headline(args, problem, f"{asked} pairs of l2 and l1"), "", table(list(frame.columns), rows)]
    if any(chosen):
        lines += ["", *(f"{words}: {times} of {len(found)}" for words, times in Counter(chosen).items())]
    if cut:
        lines += ["", f"interrupted after {len(found)} of {asked} solution{'' if asked == 1 else 's'}"]
    return code, "\n".join(lines)
