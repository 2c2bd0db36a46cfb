"""Sentences of docs/faceoff.md that follow from its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from faceoff_counts import Case, MeasuredRuns, cases, count, over_sets

from cdlab.faceoffs import TIE_FACTOR, winner
from cdlab.faceoffs.result import MANY_EXAMPLES_PER_FEATURE


def number(value: float) -> str:
    """Three significant digits, without exponents for the sizes that occur here."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


# ---------------------------------------------------------------- how often predictions are right
def counts(first: list[dict], weak: list[dict], fine: str) -> str:
    """Table of how often bounds and baseline named the winner."""
    rows, every, contradicted = [], [], []
    for l2, found in (("1/n", first), ("0.01/n", weak)):
        for sampling in ("importance", "uniform"):
            some = cases(found, sampling, fine, predicted)
            every += some
            rows.append((f"l2 = {l2}, {sampling}", len(found), some))
            wrong = [case.name for case in some if case.bounds not in (None, case.won)]
            contradicted += [f"{'; '.join(wrong)} (l2 = {l2}, {sampling})"] if wrong else []
    total = sum(row[1] for row in rows)
    lines = [
        "| races | decided | bounds clear | bounds right | baseline right there | baseline right in all decided |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    whole = [case for case in every if case.name == case.source]
    size_of_whole = sum(each["name"] == each["name"].split(", ")[0] for each in (*first, *weak)) * 2
    for name, size, some in [*rows, ("together", total, every), ("whole sets alone", size_of_whole, whole)]:
        lines.append(_counted(f"{name} ({size})", some))
    split = [case for case in every if case.bounds not in (None, case.baseline)]
    few = [each["name"].split(", ")[0] for each in first]
    lines += [
        "",
        f"Over data sets ({len(dict.fromkeys(few))}; parts go with their set) the shares have these 95% bootstrap "
        f"intervals: {_interval(over_sets(every, 'bounds'))} for the bounds where they are clear, "
        f"{_interval(over_sets(every, 'baseline'))} for the baseline in all decided races.",
        "",
        f"Outcomes that contradict a clear bound: {'; '.join(contradicted)}.",
        "",
        f"Where the two name different sides ({len(split)} decided races, on "
        f"{', '.join(dict.fromkeys(case.source for case in split)) or 'no set'}), the bounds are right in "
        f"{count(split, 'bounds').right} and the baseline in {count(split, 'baseline').right}.",
    ]
    return "\n".join(lines)


def predicted(each: dict, sampling: str) -> str | None:
    face = each["face"]
    return winner(face.ratio if sampling == "importance" else face.uniform.ratio)


def _counted(name: str, some: list[Case]) -> str:
    clear = [case for case in some if case.bounds is not None]
    mine, same, every = count(clear, "bounds"), count(clear, "baseline"), count(some, "baseline")
    cells = [name, str(len(some)), str(mine.said)]
    cells += [f"{found.right} of {found.said} ({_interval(found.wilson())})" if found.said else "-"
              for found in (mine, same, every)]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _interval(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.0%} to {ends[1]:.0%}"


def crowded(first: list[dict], weak: list[dict]) -> list[tuple[str, dict]]:
    """The sets with many examples a feature, by l2."""
    found = [(l2, each) for l2, some in (("1/n", first), ("0.01/n", weak)) for each in some]
    return [(l2, each) for l2, each in found if is_crowded(each)]


def is_crowded(each: dict) -> bool:
    return each["face"].n_nonempty >= MANY_EXAMPLES_PER_FEATURE * each["face"].d_nonempty


def many_examples(first: list[dict], weak: list[dict], fine: str) -> str:
    """Sentence on the dual's lead where there are many examples a feature."""
    ratios = [(l2, each["name"], each["face"].ratio, MeasuredRuns(each["races"]["importance"]).ratio(fine))
              for l2, each in crowded(first, weak)]  # fmt: skip
    words = []
    for l2 in ("1/n", "0.01/n"):
        over = [predicted_ / found.value for at, _, predicted_, found in ratios if at == l2 and not found.sign]
        words.append(f"{number(min(over))} to {number(max(over))} times smaller at l2 = {l2}")
    won = [f"{name} at l2 = {l2}" for l2, name, _, found in ratios if found.side == "primal"]
    return f"{' and '.join(words)}; the primal won on {', '.join(won) or 'none'}"


def leu(first: list[dict], fine: str, coarse: str) -> str:
    """Lines on leu, the one set where the sampling decides the winner."""
    (each,) = (each for each in first if each["name"] == "leu")
    lines = []
    for sampling in ("importance", "uniform"):
        race, words = MeasuredRuns(each["races"][sampling]), []
        for level in (fine, coarse):
            ratio = race.ratio(level)
            words.append(f"{number(ratio.value)} ({number(ratio.low)} to {number(ratio.high)}) to {level}")
        runs = len(race("rcd"))
        lines.append(f"* **{sampling}**: rcd/quartz = {', '.join(words)}; {runs} seeds, 90% intervals.")
    return "\n".join(lines)


# ---------------------------------------------------------------- which predictions failed, and why
def verdicts(data: list[dict], levels: Sequence[str]) -> str:
    """Lines on each set whose outcome is not the predicted one: what differs, to the fine level."""
    fine, coarse = levels
    lines = []
    for each in data:
        name, ratio, race = each["name"], each["face"].ratio, MeasuredRuns(each["races"]["importance"])
        found, early = race.ratio(fine), race.ratio(coarse)
        if found.sign == ">":
            lines.append(f"* **{name}**: the right side, by an unknown factor. {unfinished(each, fine)}")
        elif (ratio > 1) != (found.value > 1):
            lines.append(
                f"* **{name}**: predicted {number(ratio)} ({winner(ratio) or 'tie'}), measured {number(found.value)} "
                f"to {fine} and {number(early.value)} to {coarse}. {reason(each, fine)}"
            )
        elif not 1 / TIE_FACTOR < found.value / ratio < TIE_FACTOR:
            lines.append(f"* **{name}**: the right side, by another factor. {difference(each, fine)}")
    return "\n".join(lines)


def looseness(race: MeasuredRuns, method: str, passes: float, fine: str) -> float:
    """Promised over measured passes; of a run that did not get there, as far as it came."""
    if math.isfinite(reached := race.reached(method, fine).median[1]):
        return passes * math.log(1 / float(fine)) / reached
    run = race(method)[0]
    return passes * math.log(1 / run["error"]) / run["passes"]


def _loose(each: dict, fine: str) -> tuple[MeasuredRuns, list[float]]:
    face, race = each["face"], MeasuredRuns(each["races"]["importance"])
    return race, [looseness(race, m, T / face.nnz, fine) for m, T in (("rcd", face.T_P), ("quartz", face.T_D))]


def unfinished(each: dict, fine: str) -> str:
    """Sentences on a race whose primal side did not reach the level."""
    race, loose = _loose(each, fine)
    run = race("rcd")[0]
    parts = [
        f"{number(x)} ({number(race(m)[0]['excess'])} of it from the strong convexity along the path)"
        for x, m in zip(loose, ("rcd", "quartz"), strict=True)
    ]
    return (
        f"rcd did not reach {fine}: after {number(run['passes'])} passes, where its run ended, its error was "
        f"{run['error']:.1g}. So the ratio is above {number(race.ratio(fine).value)}; predicted are "
        f"{number(each['face'].ratio)}. As far as they came, the primal's bound is loose by {parts[0]}, the dual's by "
        f"{parts[1]}: the outcome should be {'below' if loose[0] > loose[1] else 'above'} the prediction."
    )


def difference(each: dict, fine: str) -> str:
    """Sentence on the factor between prediction and outcome: the parts of the table below, side against side."""
    race, loose = _loose(each, fine)
    convexity = race("rcd")[0]["excess"] / race("quartz")[0]["excess"]
    return (
        f"The primal's bound is {number(loose[0] / loose[1])} times as loose as the dual's: {number(convexity)} from "
        f"the strong convexity along the path, {number(loose[0] / loose[1] / convexity)} from the rest."
    )


def reason(each: dict, fine: str) -> str:
    """Sentences on a near tie that fell to the other side: how long it takes until the last coordinate is drawn."""
    face, (race, loose) = each["face"], _loose(each, fine)
    alone = MeasuredRuns(each["controls"][0][1]).ratio(fine)
    rcd, quartz = (number(race.reached(method, fine).median[1]) for method in ("rcd", "quartz"))
    return (
        f"Both bounds are near one pass a factor e (T_P/nnz = {number(face.T_P / face.nnz)}, T_D/nnz = "
        f"{number(face.T_D / face.nnz)}). Drawing with replacement leaves coordinates untouched, and until the last "
        f"one has been drawn, after about log(d) = {number(math.log(face.d_nonempty))} passes of rcd and log(n) = "
        f"{number(math.log(face.n_nonempty))} of quartz (d and n not empty), the error hardly falls faster than that; "
        f"afterwards it does. The bounds do not know of that end: rcd needed {rcd} passes, quartz {quartz} (the "
        f"primal's bound is loose by {number(loose[0])}, the dual's by {number(loose[1])}). Without replacement the "
        f"ratio is {number(alone.value)} ({number(alone.low)} to {number(alone.high)})."
    )
