"""``cdlab race FILE [ENTRY ...]``, and with --check-advice the predictions of `cdlab.advise` beside measurements."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from .. import explanations, sweeps
from ..advice import Advice, Choice, advise
from ..problems.problem import Problem
from ..runs.entries import MethodAndSampling, check_entry
from ..runs.limits import Status
from ..runs.race_result import Race, check_eps
from ..runs.trace import Trace
from ..sweeps import racing
from ..sweeps.result_store import store_folder
from . import values
from .options import LimitOptions, OutputOptions, ProblemOptions, default
from .output import Interruption, VerbProgress, exit_code, number, table, to_json, try_to_save
from .solve import run_to_dict
from .values import Entry, Folder, Integer, Limit, Number, Seeds

DEFAULT_ENTRIES = ("rcd", "rcd@importance", "quartz", "quartz@importance", "sdca", "sdca@importance")
DEFAULT_NAMES = " ".join(DEFAULT_ENTRIES)
SENTENCE_WIDTH = 100  # characters
MAX_CHOICES = 3  # So many of the best choices run.
# The first of these that is not among the best choices is what one would take unadvised.
CONTROLS = ("sdca@permutation", "lbfgs", "sdca@uniform")
MAX_TIMES_PREDICTED_PASSES = 3.0  # A run may take so many times the predicted passes.
UNCERTIFIED = (
    "uncertified: without a regulariser (l2 = l1 = 0) there is no dual certificate, so the smallest P(w) of the race\n"
    "replaces P*; with a larger --max-passes P(w) may fall further, and then these figures change"
)
WORDS = {  # what a run was judged by, in a sentence
    "best_gap": "a relative best gap of",
    "gap": "a relative gap of",
    "primal": "relative suboptimality",
}
SUMMARY_COLUMNS = ("method", "sampling", "passes", "seconds", "relative_gap", "relative_best_gap", "status")
CHECK_COLUMNS = ("entry", "role", "predicted passes", "measured passes", "predicted seconds", "measured seconds")


@dataclass(frozen=True)
class RaceLimits(LimitOptions):
    """The limits of each run, with the defaults of a race."""

    tol: Number = default(racing.race, "tol")
    max_passes: Limit = default(racing.race, "max_passes")


def race(
    problem: ProblemOptions,
    *entries: Entry,
    seeds: Seeds = default(racing.race, "seeds"),
    eps: Number = 1e-6,
    by: Literal["passes", "seconds", "iteration"] = "passes",
    judge: Literal["best_gap", "gap", "primal"] | None = None,
    check_advice: bool = False,
    explain: bool = False,
    every: Integer = default(racing.race, "every"),
    records: Literal["epochs", "log"] = "epochs",
    save: Folder | None = None,
    store: Folder | None = None,
    limits: RaceLimits = RaceLimits(),
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Run several methods on one problem, and compare what each needs.

        P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

    They run one after another, each from w = 0, and compared is how many passes
    over the data each needs until the relative gap of its best points so far, the
    least P(w) and the largest D(alpha), is eps: what it can prove by itself.
    Without a regulariser there is no dual value; then it is P(w) - P* to
    eps (P(0) - P*) with the smallest P(w) of the race for P*, and the winner is
    uncertified.

    Parameters
    ----------
    entries
        METHOD[:k=v][@SAMPLING[:k=v]], methods {values.METHOD_NAMES}, samplings {values.SAMPLING_NAMES} (default: those
        that fit the problem of {DEFAULT_NAMES}).
    seeds
        As `race`: 0,1,7 or 0-4 (default: 0).
    eps
        The finish line, see above.
    by
        The least wins.
    judge
        What must fall to eps: the best gap so far, the gap of the points at hand (which --tol limits), or P(w) - P*
        (default: best_gap; primal without a regulariser).
    check_advice
        Race the three best choices of cdlab advise against a control, and compare with the predictions; unless given,
        --tol is eps/10 and --max-passes three times the prediction.
    explain
        Say why the first entry came before the fastest of the other side (or the second), and why not as their bounds
        predict. It runs races without the supposed causes, which takes about as long as this one.
    every
        As `race`.
    records
        As `race`.
    save
        Write each run's trace there, for cdlab.Trace.load.
    store
        Keep every finished run there, as cdlab sweep does: the same command goes on where it was interrupted (not with
        --max-seconds).

    Columns
    -------
    passes        nonzeros visited / nnz until then; "-": not reached
    seconds       solver time until then, without measuring and compiling;
                  with --store CPU time
    relative_gap  gap / max(P(0) - D(alpha), 1e-6 P(0)) at the end, which --tol
                  limits; with an intercept P(0) is that of the best constant
    relative_best_gap
                  that of the best points of the run
    test_error    with --test: share of wrong classes (regression: mean loss)
    test_loss     with --test: mean loss
    status        how the runs ended
    all but the last are medians over the seeds

    Exit codes
    ----------
    0    there is a winner or a tie; or every run reached --tol (0: its limit)
    1    nobody came to --eps, or a run diverged
    2    bad input, or a trace could not be written
    130  interrupted: Ctrl-C stops after the current epoch, and what was reached
         so far is printed

    Examples
    --------
    cdlab race mushrooms --l2 1/n
    cdlab race mushrooms --check-advice
    cdlab race mushrooms rcd sdca --l2 1/n --seeds 0-2 --explain
    cdlab race mushrooms rcd quartz:averaged_primal=true@importance --seeds 0-4
    cdlab race a9a --l2 1/n --seeds 0-9 --max-passes 500 --store races
    """
    check_eps(eps)
    if check_advice and entries:
        raise ValueError("--check-advice chooses the entries itself: leave out the ENTRY arguments, or the option")
    if check_advice and explain:
        raise ValueError("--check-advice has a report of its own: leave out --explain, or race without --check-advice")
    if save is not None:
        Path(save).mkdir(parents=True, exist_ok=True)
    if store is not None:
        store_folder(store)
        if limits.max_seconds is not None or limits.max_passes is None:
            raise ValueError(
                "--max-seconds does not go with --store, since the machine then decides where a run ends: "
                "give --max-passes"
            )
    with VerbProgress(output.quiet) as progress:
        problem, P = problem.load(progress)
        test = problem.load_test(limits.test, P)
        if check_advice:
            progress.starting("advice")
            advice, choices = _choices_to_check(P, eps, seeds[0])
            limits = _far_enough(limits, eps, choices)
            entries = tuple(values.entry(choice.label) for choice in choices)
        contestants = _fitting(P, entries) or _default_contestants(P, progress)
        progress.starting(f"a race of {len(contestants)}")
        reports: list[sweeps.Progress] = []
        with Interruption() as ctrl_c:
            result = racing.race(
                P,
                [(method, {"sampling": sampling}) for method, sampling in contestants],
                seeds=seeds,
                every=every,
                records=records,
                test=test,
                store=store,
                on_record=progress.record,
                stop=lambda _: ctrl_c.requested,
                progress=reports.append,
                **limits.as_arguments(),
            )
        if reports and reports[-1].found:
            progress.say(f"{reports[-1].found} of {reports[-1].total} runs were in {store}")
        judged_by = judge or result.quantity
        if explain:
            progress.starting("an explanation")
        explanation, unexplained = _explanation(result) if explain else (None, "")
    traces = result.traces + result.incomplete
    winner, summary = result.winner(eps, by, judged_by), _summary(result, eps, judged_by, tested=test is not None)
    statuses = {trace.meta["status"] for trace in traces}
    code = exit_code(statuses, limits.tol)
    if code == 1 and Status.DIVERGED not in statuses and result.first(eps, by, judged_by):
        code = 0
    if save is not None and not _save(save, traces):
        code = 2
    checks = _comparison(result, choices, eps, judged_by) if check_advice else []
    if output.json:
        facts = {name: getattr(result, name) for name in ("optimum", "certificate", "certified")}
        if explain:
            facts["explanation"] = None if explanation is None else explanation.to_dict()
            facts["unexplained"] = unexplained or None
        if check_advice:
            facts |= {"checked": checks, "advice": advice.to_dict()}
        race_to_dict = {"verb": "race", "problem": problem.to_dict(P), "eps": eps, "by": by}
        race_to_dict |= {"judged_by": judged_by, "winner": winner}
        return code, to_json(race_to_dict | facts | {"summary": summary, "runs": list(map(run_to_dict, traces))})
    if check_advice:
        return code, f"{problem.headline(P)}\n\n{_check_report(result, checks, eps, judged_by)}"
    lines = [problem.headline(P), "", table(list(summary[0]), summary), ""]
    lines += [*([] if result.certified else [UNCERTIFIED, ""]), _verdict(result, winner, eps, by, judged_by)]
    if explain:
        sentences = [f"no explanation: {unexplained}"] if unexplained else str(explanation).split("\n")
        lines += ["", *(textwrap.fill(each, SENTENCE_WIDTH, subsequent_indent="  ") for each in sentences)]
    if store is not None and code == 130:
        finished = sum(trace.meta["status"] != Status.STOPPED for trace in traces)
        lines.append(
            f"{store} holds {finished} of {len(contestants) * len(seeds)} runs: the same command goes on from there"
        )
    return code, "\n".join(lines)


def _fitting(problem: Problem, contestants: tuple[MethodAndSampling, ...]) -> list[MethodAndSampling]:
    """The entries asked for, none of which runs before all are known to fit."""
    for each in contestants:
        check_entry(problem, *each)
    return list(contestants)


def _default_contestants(problem: Problem, progress: VerbProgress) -> list[MethodAndSampling]:
    """Entries of DEFAULT_ENTRIES that fit the problem."""
    fitting: list[MethodAndSampling] = []
    left_out: dict[str, list[str]] = {}
    for method, sampling in map(values.entry, DEFAULT_ENTRIES):
        try:
            check_entry(problem, method, sampling)
            fitting.append((method, sampling))
        except ValueError as error:
            left_out.setdefault(str(error), []).append(f"{method.label}@{sampling.name}")
    if not fitting:
        raise ValueError(f"no entry of the default field fits this problem: {next(iter(left_out))}")
    for reason, entries in left_out.items():
        progress.say(f"left out {', '.join(entries)}: {reason}")
    return fitting


def _save(folder: str, traces: list[Trace]) -> bool:
    """Tell whether every run's trace could be written."""
    written = True
    for k, trace in enumerate(traces):
        words = f"{k:02d} {trace.meta['method']} {trace.meta['sampling']} seed{trace.meta['seed']}"
        path = Path(folder) / f"{re.sub('[^A-Za-z0-9_.]+', '-', words)}.json"
        written &= try_to_save(path, trace.save)
    return written


def _summary(race: Race, eps: float, judged_by: str, tested: bool) -> list[dict[str, Any]]:
    frame = race.summary(eps, judged_by)[list(SUMMARY_COLUMNS)]
    tests = {name: race.at_end(name) for name in ("test_error", "test_loss")} if tested else {}
    return frame.assign(**tests).to_dict("records")


def _verdict(race: Race, winner: str | None, eps: float, by: str, judged_by: str) -> str:
    goal, over = f"{WORDS[judged_by]} {number(eps)}", f" over {len(race.seeds)} seeds" if len(race.seeds) > 1 else ""
    if winner:
        word = "winner" if race.certified else "uncertified winner"
        return f"{word}: {winner}, the smallest median{over} of {by} to {goal}"
    if together := race.first(eps, by, judged_by):
        return f"no winner: {' and '.join(together)} took the same {by}{over} to {goal}"
    if race.not_run:
        return f"no winner: interrupted before {'; '.join(race.not_run)} had run"
    if any(trace.meta["status"] == Status.STOPPED for trace in race.traces):
        return "no winner: interrupted before all had ended their run with the first seed"
    if not race.decides(eps, judged_by):
        return (
            f"no winner at {goal}: the smallest P(w), {number(race.optimum)}, is only known to be within "
            f"{number(race.certificate)} of the optimum; raise --max-passes or --eps"
        )
    if any(each.reached for each in race.crossings(eps, by, judged_by)):
        return (
            f"no winner by {by}: another entry ended before {goal} with less work done, "
            "and could still have been first; raise its limit"
        )
    return f"no winner: no entry reached {goal}; raise --max-passes or --eps"


def _explanation(race: Race) -> tuple[explanations.Explanation | None, str]:
    """Why the race came out as it did, or why that cannot be said: its results are shown all the same."""
    try:
        return explanations.explain(race), ""
    except ValueError as error:
        return None, str(error)


# ---------------------------------------------------------------- --check-advice
def _choices_to_check(problem: Problem, eps: float, seed: int) -> tuple[Advice, list[Choice]]:
    """The advice, and the choices that run: the best ones, and a control."""
    advice = advise(problem, eps, seed=seed)
    known = [choice for choice in advice.distinct if choice.passes is not None]
    if not known:
        raise ValueError("there is no advice to check: no prediction can be made for this problem")
    best, others = known[:MAX_CHOICES], {choice.label: choice for choice in known[MAX_CHOICES:]}
    control = next((others[label] for label in CONTROLS if label in others), next(reversed(others.values()), None))
    return advice, best + ([control] if control else [])


def _far_enough(limits: RaceLimits, eps: float, choices: list[Choice]) -> RaceLimits:
    """tol and max_passes as asked for; where they have their defaults, far enough for the predictions."""
    if limits.tol == RaceLimits.tol:
        limits = replace(limits, tol=eps / 10)  # so that the dual values prove who is within eps of the optimum
    if limits.max_passes == RaceLimits.max_passes:
        predicted = MAX_TIMES_PREDICTED_PASSES * max(choice.passes or 0.0 for choice in choices)
        limits = replace(limits, max_passes=max(limits.max_passes or 0.0, predicted))
    return limits


def _comparison(race: Race, choices: list[Choice], eps: float, judged_by: str) -> list[dict[str, Any]]:
    """A row for each entry: predicted and measured passes and seconds."""
    costs = race.summary(eps, judged_by)[["passes", "seconds"]].to_numpy().tolist()
    rows = []
    for k, (choice, (passes, seconds)) in enumerate(zip(choices, costs, strict=False), start=1):
        role = f"choice {k}" if k <= MAX_CHOICES else "control"
        row = (choice.label, role, choice.passes, passes, choice.seconds, seconds)
        rows.append(dict(zip(CHECK_COLUMNS, row, strict=True)))
    return rows


def _check_report(race: Race, rows: list[dict[str, Any]], eps: float, judged_by: str) -> str:
    """The table of `_comparison`, and how the first choice did in the race's own seconds."""
    rounded = [{key: float(f"{v:.3g}") if isinstance(v, float) else v for key, v in row.items()} for row in rows]
    lines = [f"to {WORDS[judged_by]} {number(eps)}", "", table(CHECK_COLUMNS, rounded), ""]
    fastest = min(rows, key=lambda row: row["measured seconds"])
    first = rows[0]
    if not race.certified:
        lines += [UNCERTIFIED, ""]
    if not race.decides(eps, judged_by):
        lines.append(f"nothing is decided: P* is only known to within {number(race.certificate)}; raise --max-passes")
    elif not math.isfinite(fastest["measured seconds"]):
        lines.append(f"no entry reached {WORDS[judged_by]} {number(eps)}; raise --max-passes")
    elif not math.isfinite(first["measured seconds"]):
        lines.append(f"the first choice did not get there; the fastest was {fastest['entry']}")
    elif fastest is first:
        lines.append("the first choice was the fastest of these")
    else:
        ratio = first["measured seconds"] / max(fastest["measured seconds"], 1e-12)
        lines.append(f"the first choice took {ratio:.3g} times the seconds of the fastest, {fastest['entry']}")
    return "\n".join(lines)
