"""``cdlab advise FILE``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Literal

from .. import advice
from ..advice import Advice
from ..advice.playoffs import MAX_FINAL_PASSES
from ..advice.probing import describe_probes
from ..advice.ranking import describe_omitted, table_lines
from .options import OutputOptions, ProblemOptions, default
from .output import VerbProgress, to_json, versions
from .values import Integer, Number

NOTE_WIDTH = 100  # characters
PROBES = describe_probes()
PLAYOFF_PASSES = f"{MAX_FINAL_PASSES:g}"


def advise(
    problem: ProblemOptions,
    *,
    eps: Number = default(advice.advise, "eps"),
    by: Literal["seconds", "passes"] | None = None,
    no_probe: bool = False,
    max_seconds: Number = default(advice.advise, "max_seconds"),
    seed: Integer = default(advice.advise, "seed"),
    top: Integer = 10,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Rank the methods and samplings that fit this problem by predicted work.

    Work is what brings the relative gap of the best points so far, the least P(w)
    and the largest D(alpha), to eps; without a regulariser, which certifies
    nothing, P(w) - P* to eps (P(0) - P*). Short runs, at most
    {PROBES},
    measure how fast the problem contracts and how long a pass takes; these and the
    constants of the problem go into each method's bound, and a table of measured
    problems says how tight that bound typically is. In a ranking by seconds, a
    choice that leads without having run is then run, for at most {PLAYOFF_PASSES}
    passes; and where a whole run takes a moment, those nearly as fast run to the
    end.

    Parameters
    ----------
    eps, by, max_seconds, seed
        As `advise`.
    no_probe
        No short runs, only theory and the table.
    top
        Choices to show; 0: all.

    Columns
    -------
    passes   expected passes over the nonzeros
    spread   in two cases out of three, passes were within this factor
    seconds  expected solver time; "-" without a probe
    worst    passes that the bound guarantees
    sharp    the same with measured constants: the smoothness of the mean loss,
             and the effective l2 of the short runs
    basis    the source of the passes: an own run, a probe (a short run of a
             method that walks along X alike), the bound, a count of operations
    below them: how these were put together, the bound behind each choice, and
    what theory does not cover. Other names for the same run have no row: what
    draws by importance draws uniformly where all norms are equal.

    Exit codes
    ----------
    0 done, 2 bad input, 130 interrupted

    Examples
    --------
    cdlab advise mushrooms --scale mean --l2 1/n
    cdlab advise mushrooms --no-probe --top 5
    cdlab race mushrooms --check-advice              how good was the advice?
    """
    with VerbProgress(output.quiet) as progress:
        problem, P = problem.load(progress)
        progress.starting("advice")
        found = advice.advise(P, eps, by=by, probe=not no_probe, max_seconds=max_seconds, seed=seed)
    if output.json:
        result = {"verb": "advise", "problem": problem.to_dict(P), "advice": found.to_dict()}
        return 0, to_json(result | {"versions": versions()})
    return 0, "\n".join([problem.headline(P), "", *report(found, top or len(found))])


def report(found: Advice, top: int) -> list[str]:
    """The lines below the headline: a table of the first `top` choices, and what is behind them."""
    shown = found.distinct[:top]
    lines = [f"to {found.goal}, best {found.by} first", "", *table_lines(shown)]
    if left := describe_omitted(found.choices, shown, "--top 0 shows every run, --json every name"):
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
    covered = {choice.bound: choice.label for choice in reversed(shown) if choice.bound and not choice.outside}
    reasons: dict[str, list[str]] = {}
    for refusal in found.refused:
        name = refusal.method if refusal.sampling == "any" else f"{refusal.method}@{refusal.sampling}"
        reasons.setdefault(refusal.reason.removeprefix(f"{refusal.method} "), []).append(name)
    return [
        *lines,
        *_notes("basis", (f"{choice.label}: {choice.basis}" for choice in shown)),
        *_notes("bounds", (f"{label}: {bound}" for bound, label in reversed(covered.items()))),
        *_notes(
            "outside what theory covers",
            (f"{choice.label}: {_for_terminals(choice.outside)}" for choice in shown if choice.outside),
        ),
        *_notes("cannot run here", (f"{', '.join(names)}: {reason}" for reason, names in reasons.items())),
    ]


def _for_terminals(reason: str) -> str:
    """Without the advice for Python at its end, such as ": pass w2=...": it cannot be followed here."""
    return re.sub(r"(: pass \w+=\S.*|; bound\(.*\) covers it)$", "", reason)


def _notes(title: str, notes: Iterable[str]) -> Iterator[str]:
    """The lines of notes below a title, each with its own begin; none without notes."""
    for k, note in enumerate(notes):
        yield from () if k else ("", title)
        yield from textwrap.wrap(
            note, NOTE_WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False
        )
