"""``cdlab advise FILE``."""

from __future__ import annotations

import argparse
import platform
import re
import textwrap
from collections.abc import Iterable, Iterator

import numpy as np

from .. import __version__
from ..advice import ORDERS, Advice, advise, table
from ..advice.playoffs import MAX_PASSES
from ..advice.predictions import probing_in_words
from . import specs
from .options import Parser, add_output, add_problem, default, described, headline, load_problem
from .printing import number, to_json
from .watching import Progress

WIDTH = 100  # of notes below the table


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "advise",
        "FILE [options]",
        description=f"""Which method and sampling should be fastest on this problem? Every one that fits
is ranked by the work to P(w) - P* <= eps (P(0) - P*). Short runs, at most
{probing_in_words()},
measure how fast the problem contracts and how long a pass takes; these and the
constants of the problem go into each method's bound, and a table of measured
problems says how tight that bound typically is. In a ranking by seconds, a
choice that leads without having run is then run, for at most {MAX_PASSES:g} passes; and
where a whole run takes a moment, those nearly as fast run to the end.""",
        epilog="""columns
  passes   expected passes over the nonzeros
  spread   in two cases out of three, passes were within this factor
  seconds  expected solver time; "-" without a probe
  worst    passes that the bound guarantees
  sharp    the same with measured constants: the smoothness of the mean loss,
           and the effective l2 of the short runs
  basis    the source of the passes: an own run, a probe (a short run of a
           method that walks along X alike), the bound, a count of operations
below them: how these were put together, the bound behind each choice, and what
theory does not cover. Other names for the same run have no row: what draws by
importance draws uniformly where all norms are equal.

exit codes
  0 done, 2 bad input, 130 interrupted

examples
  cdlab advise mushrooms --scale mean --l2 1/n
  cdlab advise mushrooms --no-probe --top 5
  cdlab race mushrooms --check-advice              how good was the advice?""",
    )
    add_problem(parser)
    group = parser.add_argument_group("the advice")
    group.add_argument(
        "--eps", type=specs.number, default=default(advise, "eps"), metavar="E",
        help="the accuracy, see above (default: %(default)s)",
    )  # fmt: skip
    group.add_argument("--by", choices=ORDERS, help="the ranking (default: seconds; passes with --no-probe)")
    group.add_argument("--no-probe", action="store_true", help="no short runs, only theory and the table")
    group.add_argument(
        "--max-seconds", type=specs.number, default=default(advise, "max_seconds"), metavar="S",
        help="time that the short runs may take together (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=specs.whole, default=default(advise, "seed"), metavar="N",
        help="the same seed gives the same passes (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--top", type=specs.whole, default=10, metavar="K", help="choices to show; 0: all (default: %(default)s)"
    )
    add_output(parser)
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    with Progress(args.quiet) as progress:
        problem = load_problem(args, progress)
        progress.starting("advice")
        found = advise(
            problem, args.eps, by=args.by, probe=not args.no_probe, max_seconds=args.max_seconds, seed=args.seed
        )
    if args.json:
        versions = {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()}
        return 0, to_json(
            {"verb": "advise", "problem": described(args, problem), "advice": found.to_dict(), "versions": versions}
        )
    return 0, "\n".join([headline(args, problem), "", *_told(found, args.top or len(found))])


def _told(found: Advice, top: int) -> list[str]:
    shown = found.distinct[:top]
    lines = [f"to relative suboptimality {number(found.eps)}, best {found.by} first", "", *table.lines(shown)]
    if left := table.rest(found.choices, shown, "--top 0 shows every run, --json every name"):
        lines.append(left)
    if found.note:
        lines += ["", found.note]
    if len(found) and all(choice.passes is None for choice in found):
        entries = " ".join(choice.label for choice in found[:3])
        lines += [
            "",
            "nothing can be predicted here: no bound is known in numbers, and no short run measured how fast the",
            f"problem contracts. What fits can be raced: cdlab race FILE {entries}",
        ]
    if shown:
        lines += ["", "basis", *_wrapped(f"{choice.label}: {choice.basis}" for choice in shown)]
    covered = {choice.bound: choice.label for choice in reversed(shown) if choice.bound and not choice.outside}
    if covered:
        lines += ["", "bounds", *_wrapped(f"{label}: {bound}" for bound, label in reversed(covered.items()))]
    outside = [f"{choice.label}: {_typable(choice.outside)}" for choice in shown if choice.outside]
    if outside:
        lines += ["", "outside what theory covers", *_wrapped(outside)]
    if found.refused:
        reasons: dict[str, list[str]] = {}
        for refusal in found.refused:
            name = refusal.method if refusal.sampling == "any" else f"{refusal.method}@{refusal.sampling}"
            reasons.setdefault(refusal.reason.removeprefix(f"{refusal.method} "), []).append(name)
        lines += [
            "",
            "cannot run here",
            *_wrapped(f"{', '.join(names)}: {reason}" for reason, names in reasons.items()),
        ]
    return lines


def _typable(reason: str) -> str:
    """Without the advice for Python at its end, such as ": pass w2=...": it cannot be followed here."""
    return re.sub(r"(: pass \w+=\S.*|; bound\(.*\) covers it)$", "", reason)


def _wrapped(notes: Iterable[str]) -> Iterator[str]:
    """The lines of notes, each with its own begin."""
    for note in notes:
        yield from textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False)
