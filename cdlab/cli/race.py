"""``cdlab race FILE [ENTRY ...]``."""

from __future__ import annotations

import argparse
import re
from functools import partial
from typing import Any

import numpy as np

from .. import sweeps
from ..methods import METHODS, Method
from ..problems.problem import Problem
from ..runs.entries import check
from ..runs.race_result import Race, check_eps
from ..runs.statuses import Status
from ..samplings import Sampling
from ..sweeps import files, racing
from . import checking, specs
from .options import (
    Parser,
    add_limits,
    add_output,
    add_problem,
    default,
    described,
    headline,
    load_problem,
    load_test,
    target_folder,
    written,
)
from .printing import number, table, to_json
from .solve import outcome
from .watching import Interruption, Progress, exit_code

Entrant = tuple[Method, Sampling]

FIELD = ("rcd", "rcd@importance", "quartz", "quartz@importance", "sdca", "sdca@importance")


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "race",
        "FILE [ENTRY ...] [options]",
        description="""Run several methods on

    P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

one after another, each from w = 0, and compare how many passes over the data
each needs until P(w) - P* <= eps (P(0) - P*). P* is the smallest P(w) of the
race; a winner is named only if the dual values prove it to be near enough.
Without a regulariser there are none: the winner is then called uncertified.""",
        epilog="""columns
  passes        nonzeros visited / nnz until then; "-": not reached
  seconds       solver time until then, without measuring and compiling;
                with --store CPU time
  relative_gap  (P(w) - D(alpha)) / max(P(0) - D(alpha), 1e-6 P(0)) at the end
  test_error    with --test: share of wrong classes (regression: mean loss)
  test_loss     with --test: mean loss
  status        how the runs ended
all but the last are medians over the seeds

exit codes
  0    every run reached --tol (with --tol 0: its limit)
  1    some run stopped at a limit before that, or diverged
  2    bad input, or a trace could not be written
  130  interrupted: Ctrl-C stops after the current epoch, and what was reached
       so far is printed

examples
  cdlab race mushrooms --l2 1/n
  cdlab race mushrooms --check-advice
  cdlab race mushrooms rcd quartz:averaged=true@importance --seeds 0-4
  cdlab race a9a --l2 1/n --seeds 0-9 --max-passes 500 --store races""",
    )
    add_problem(parser)
    group = parser.add_argument_group("the race")
    group.add_argument(
        "entries", type=specs.entry, nargs="*", default=[], metavar="ENTRY",
        help=f"METHOD[:k=v][@SAMPLING[:k=v]], methods {', '.join(METHODS)}, samplings {specs.SAMPLINGS_HELP} "
        f"(default: those that fit the problem of {' '.join(FIELD)})",
    )  # fmt: skip
    group.add_argument(
        "--seeds", type=specs.seeds, default=default(racing.race, "seeds"), metavar="LIST",
        help="each entry runs once with each: 0,1,7 or 0-4 (default: 0)",
    )  # fmt: skip
    group.add_argument(
        "--eps", type=specs.number, default=1e-6, metavar="E", help="the finish line, see above (default: %(default)s)"
    )
    group.add_argument(
        "--by",
        choices=("passes", "seconds", "iteration"),
        default="passes",
        help="the least wins (default: %(default)s)",
    )
    group.add_argument(
        "--check-advice", action="store_true",
        help="race the three best choices of cdlab advise against a control, and compare with the predictions; "
        "unless given, --tol is eps/10 and --max-passes three times the prediction",
    )  # fmt: skip
    add_limits(parser, racing.race)
    output = add_output(parser)
    output.add_argument("--save", metavar="FOLDER", help="write each run's trace there, for cdlab.Trace.load")
    output.add_argument(
        "--store", metavar="DIR",
        help="keep every finished run there, as cdlab sweep does: the same command goes on where it was interrupted "
        "(not with --max-seconds)",
    )  # fmt: skip
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    check_eps(args.eps)
    if args.check_advice and args.entries:
        raise ValueError("--check-advice chooses the entries itself: leave out the ENTRY arguments, or the option")
    folder = target_folder(args.save)
    if args.store is not None:
        files.folder(args.store)
        if args.max_seconds is not None or args.max_passes is None:
            raise ValueError(
                "--max-seconds does not go with --store, since the machine then decides where a run ends: "
                "give --max-passes"
            )
    limits = {"tol": args.tol, "max_passes": args.max_passes, "max_seconds": args.max_seconds, "every": args.every}
    with Progress(args.quiet) as progress:
        problem = load_problem(args, progress)
        limits["test"] = load_test(args, problem)
        if args.check_advice:
            progress.starting("advice")
            advice, choices = checking.advised(problem, args)
            limits |= checking.limits(choices, args)
            args.entries = [specs.entry(choice.label) for choice in choices]
        entrants = _field(problem, args.entries, progress)
        progress.starting(f"a race of {len(entrants)}")
        reached: list[sweeps.Progress] = []
        with Interruption() as ctrl_c:
            race = racing.race(
                problem,
                [(method, {"sampling": sampling}) for method, sampling in entrants],
                seeds=args.seeds,
                on_record=progress.record,
                stop=lambda _: ctrl_c.asked,
                store=args.store,
                progress=reached.append,
                **limits,
            )
        traces = race.traces + race.incomplete
        if reached and reached[-1].found:
            progress.say(f"{reached[-1].found} of {reached[-1].total} runs were in {args.store}")
    saved = True
    if folder:
        for k, trace in enumerate(traces):
            words = f"{k:02d} {trace.meta['method']} {trace.meta['sampling']} seed{trace.meta['seed']}"
            path = folder / f"{re.sub('[^A-Za-z0-9_.]+', '-', words)}.json"
            saved &= written(path, partial(trace.save, path))
    code = exit_code([trace.meta["status"] for trace in traces], limits["tol"]) if saved else 2
    winner, summary = race.winner(args.eps, args.by), _summary(race, args)
    if args.json:
        found = {"verb": "race", "problem": described(args, problem), "eps": args.eps, "by": args.by, "winner": winner}
        found |= {"optimum": race.optimum, "certificate": race.certificate, "certified": race.certified}
        found |= {"summary": summary}
        if args.check_advice:
            found |= {"checked": checking.compared(race, choices, args.eps), "advice": advice.to_dict()}
        return code, to_json(found | {"runs": [outcome(trace) for trace in traces]})
    if args.check_advice:
        checked = checking.told(race, checking.compared(race, choices, args.eps), args.eps)
        return code, f"{headline(args, problem)}\n\n{checked}"
    rows = table(list(summary[0]), summary)
    lines = [headline(args, problem), "", rows, "", *([] if race.certified else [checking.UNCERTIFIED, ""])]
    lines.append(_verdict(race, winner, args))
    if args.store is not None and code == 130:
        finished = sum(trace.meta["status"] != Status.STOPPED for trace in traces)
        wanted = len(entrants) * len(args.seeds)
        lines.append(f"{args.store} holds {finished} of {wanted} runs: the same command goes on from there")
    return code, "\n".join(lines)


def _field(problem: Problem, chosen: list[Entrant], progress: Progress) -> list[Entrant]:
    """The entries asked for, all checked before the first runs; by default those of FIELD that fit."""
    if chosen:
        for entrant in chosen:
            check(problem, *entrant)
        return chosen
    fitting: list[Entrant] = []
    left_out: dict[str, list[str]] = {}
    for method, sampling in map(specs.entry, FIELD):
        try:
            check(problem, method, sampling)
            fitting.append((method, sampling))
        except ValueError as error:
            left_out.setdefault(str(error), []).append(f"{method.label}@{sampling.name}")
    if not fitting:
        raise ValueError(f"no entry of the default field fits this problem: {next(iter(left_out))}")
    for reason, entries in left_out.items():
        progress.say(f"left out {', '.join(entries)}: {reason}")
    return fitting


def _summary(race: Race, args: argparse.Namespace) -> list[dict[str, Any]]:
    rows = race.summary(args.eps).to_dict("records")
    for k, row in enumerate(rows):
        if args.test is not None:
            for name in ("test_error", "test_loss"):
                row[name] = float(np.median([getattr(trace.records[-1], name) for trace in race[k]]))
    return rows


def _verdict(race: Race, winner: str | None, args: argparse.Namespace) -> str:
    eps, over = number(args.eps), f" over {len(race.seeds)} seeds" if len(race.seeds) > 1 else ""
    if winner:
        word = "winner" if race.certified else "uncertified winner"
        return f"{word}: {winner}, the smallest median{over} of {args.by} to relative suboptimality {eps}"
    if together := race.first(args.eps, args.by):
        return f"no winner: {' and '.join(together)} took the same {args.by}{over} to relative suboptimality {eps}"
    if race.not_run:
        return f"no winner: interrupted before {'; '.join(race.not_run)} had run"
    if any(trace.meta["status"] == Status.STOPPED for trace in race.traces):
        return "no winner: interrupted before all had ended their run with the first seed"
    if not race.decides(args.eps):
        return (
            f"no winner at {eps}: the smallest P(w), {number(race.optimum)}, is only known to be within "
            f"{number(race.certificate)} of the optimum; raise --max-passes or --eps"
        )
    if np.isfinite(np.median(race.reached(args.eps, args.by), axis=1)).any():
        return (
            f"no winner by {args.by}: another entry ended before relative suboptimality {eps} with less work done, "
            "and could still have been first; raise its limit"
        )
    return f"no winner: no entry reached relative suboptimality {eps}; raise --max-passes or --eps"
