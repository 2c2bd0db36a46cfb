"""docs/faceoff.md from the results of faceoff.py: tables, and sentences that follow from their numbers."""

from __future__ import annotations

import math
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
from faceoff_text import CONTROLS, DATA, FAMILIES, INTRO, LOOSE, PASSES, SECONDS, WRONG

import cdlab
from cdlab.facing import TOO_CLOSE

PAGE = Path(__file__).parent.parent / "docs" / "faceoff.md"


def write(data: list[dict], families: list[dict], levels: Sequence[float], limit: float) -> None:
    """Write docs/faceoff.md. `levels` are the coarse and the fine relative suboptimality, `limit` seconds of a run."""
    coarse, fine = levels
    facts = {
        "today": date.today().isoformat(),
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        ).stdout.strip(),
        "version": cdlab.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "fine": fine,
        "coarse": coarse,
        "close": TOO_CLOSE,
        "limit": limit,
    }
    f, c = f"{fine:g}", f"{coarse:g}"
    sides = [(each["face"].seconds_P > each["face"].seconds_D, measured(each, f, 1)[0] > 1) for each in data]
    facts |= {"agree": sum(said == was for said, was in sides), "all": len(data)}
    parts = [
        INTRO,
        DATA,
        table(
            ("data", "n", "d", "nnz", "C_P/C_D", "position", "T_P/T_D", "Table 1", "uniform", "accelerated"),
            [of_data(each) for each in data],
        ),
        PASSES,
        table(
            ("data", "rcd", "quartz", "measured", "predicted", "off", "predicted winner", "measured winner", f"at {c}"),
            [of_passes(each, f, c) for each in data],
        ),
        WRONG.format(verdicts=verdicts(data, (f, c), limit)),
        LOOSE,
        table(
            ("data", "rcd loose", "convexity", "rest", "quartz loose", "convexity", "rest", "phi''/beta", "H/l2"),
            [of_looseness(each, fine) for each in data],
        ),
        CONTROLS,
        table(
            ("data", "as above", "permutation", "squared loss", "l2 = 100/n"),
            [of_controls(each, f) for each in data if each["controls"]],
        ),
        SECONDS,
        table(
            ("data", "rcd", "predicted", "quartz", "predicted", "measured ratio", "predicted ratio"),
            [of_seconds(each, fine) for each in data],
        ),
        FAMILIES,
        table(
            ("matrix", "measured", "predicted", "off"),
            [(each["name"], *triple(measured(each, c), each["face"].ratio)) for each in families],
        ),
    ]
    PAGE.write_text("".join("\n" + part if part.startswith("|") else part.format(**facts) for part in parts))


# ---------------------------------------------------------------- numbers
def measured(each: dict, level: str, what: int = 0) -> tuple[float, bool]:
    """rcd over quartz in passes (0) or seconds (1), and whether that is only a lower bound."""
    rcd, quartz = each["race"]["rcd"], each["race"]["quartz"]
    reached = rcd[level][what]
    if math.isfinite(reached):
        return reached / quartz[level][what], False
    return rcd[("passes", "seconds")[what]] / quartz[level][what], True


def triple(found: tuple[float, bool], predicted: float) -> tuple[str, str, str]:
    ratio, least = found
    more = "> " if least else ""
    return f"{more}{number(ratio)}", number(predicted), f"{more}{number(ratio / predicted)}"


def winner(ratio: float) -> str:
    if max(ratio, 1 / ratio) < TOO_CLOSE:
        return "tie"
    return "dual" if ratio > 1 else "primal"


# ---------------------------------------------------------------- rows
def of_data(each: dict) -> tuple[str, ...]:
    face = each["face"]
    ratios = (face.ratio, face.ratio_table, face.uniform.ratio, face.ratio_acc)
    sizes = (f"{face.n:,}", f"{face.d:,}", f"{face.nnz:,}", number(face.theorem3.ratio))
    return (each["name"], *sizes, f"{face.theorem3.position:.0%}", *map(number, ratios))


def of_passes(each: dict, fine: str, coarse: str) -> tuple[str, ...]:
    race, predicted = each["race"], each["face"].ratio
    rcd, quartz = race["rcd"], race["quartz"]
    found, least = measured(each, fine)
    passes = number(rcd[fine][0]) if not least else f"> {number(rcd['passes'])} (error {rcd['error']:.1g})"
    early, early_least = measured(each, coarse)
    return (
        each["name"], passes, number(quartz[fine][0]), *triple((found, least), predicted), winner(predicted),
        winner(found), ("> " if early_least else "") + number(early),
    )  # fmt: skip


def of_looseness(each: dict, fine: float) -> tuple[str, ...]:
    face, cells = each["face"], []
    for method, T in (("rcd", face.T_P), ("quartz", face.T_D)):
        loose = looseness(each, method, T / face.nnz, fine)
        excess = each["race"][method]["excess"]
        cells += [number(loose), number(excess), number(loose / excess)]
    strong = "-" if each["strong"] is None else number(each["strong"])
    return (each["name"], *cells, number(each["share"]), strong)


def looseness(each: dict, method: str, passes: float, fine: float) -> float:
    """Promised over measured passes; of a run that did not get there, as far as it came."""
    run = each["race"][method]
    reached = run[f"{fine:g}"][0]
    done, error = (reached, fine) if math.isfinite(reached) else (run["passes"], run["error"])
    return passes * math.log(1 / error) / done


def of_controls(each: dict, fine: str) -> tuple[str, ...]:
    cells = [(each["face"].ratio, each["race"]), *each["controls"]]
    words = []
    for k, (predicted, race) in enumerate(cells):
        ratio, least = measured({"race": race}, fine)
        bound = "" if k == 1 else f" ({number(predicted)})"
        words.append(f"{'> ' if least else ''}{number(ratio)}{bound}")
    return (each["name"], *words)


def of_seconds(each: dict, fine: float) -> tuple[str, ...]:
    face, race, level = each["face"], each["race"], f"{fine:g}"
    folds = math.log(1 / fine)
    ratio, least = measured(each, level, 1)
    more = "> " if least else ""
    rcd = race["rcd"]["seconds"] if least else race["rcd"][level][1]
    return (
        each["name"], more + number(rcd), number(face.seconds_P * folds), number(race["quartz"][level][1]),
        number(face.seconds_D * folds), more + number(ratio), number(face.seconds_P / face.seconds_D),
    )  # fmt: skip


# ---------------------------------------------------------------- sentences
def verdicts(data: list[dict], levels: Sequence[str], limit: float) -> str:
    """What went wrong where, to the fine level and to the coarse one."""
    fine, coarse = levels
    right, contradicted, open_, lines = [], [], [], []
    for each in data:
        name, predicted = each["name"], each["face"].ratio
        said, found = winner(predicted), [measured(each, level)[0] for level in levels]
        if said != "tie" and all(winner(ratio) == said for ratio in found):
            right.append(name)
        elif said != "tie" and any(winner(ratio) not in (said, "tie") for ratio in found):
            contradicted.append(name)
        else:
            outcome = ", ".join(f"{winner(r)} to {level}" for r, level in zip(found, levels, strict=True))
            open_.append(f"For {name} they say {said}; measured: {outcome}")
        if (predicted > 1) != (found[0] > 1):
            lines.append(
                f"* **{name}**: predicted {number(predicted)} ({said}), measured {number(found[0])} "
                f"({winner(found[0])}) to {fine} and {number(found[1])} ({winner(found[1])}) to {coarse}. "
                + reason(each, fine)
            )
        elif measured(each, fine)[1]:
            lines.append(
                f"* **{name}**: the right side, by a factor that is not known. {unfinished(each, fine, limit)}"
            )
        elif not 1 / TOO_CLOSE < found[0] / predicted < TOO_CLOSE:
            lines.append(f"* **{name}**: the right side, by another factor. {difference(each, float(fine))}")
    said = f"The bounds name the winner on {len(right)} of {len(data)} data sets, to {fine} and to {coarse}: "
    said += f"{', '.join(right)}. The outcome contradicts them on {', '.join(contradicted) or 'none'}."
    return "\n".join([" ".join([said, *(f"{each}." for each in open_)]), "", *lines])


def unfinished(each: dict, fine: str, limit: float) -> str:
    """What is known of a race whose primal side did not get there."""
    face, race = each["face"], each["race"]
    primal, dual = (looseness(each, m, T / face.nnz, float(fine)) for m, T in (("rcd", face.T_P), ("quartz", face.T_D)))
    convexity = [
        f"{number(race[m]['excess'])} of it from the strong convexity along the path" for m in ("rcd", "quartz")
    ]
    return (
        f"rcd did not reach {fine} in {limit:.0f} seconds: after {number(race['rcd']['passes'])} passes its error was "
        f"{race['rcd']['error']:.1g}. So the ratio is above {number(measured(each, fine)[0])}, and may be anything "
        f"from there to the predicted {number(face.ratio)}, or beyond. As far as they came, the primal's bound is "
        f"loose by {number(primal)} ({convexity[0]}), the dual's by {number(dual)} ({convexity[1]}): the outcome "
        f"should be {'below' if primal > dual else 'above'} the prediction."
    )


def difference(each: dict, fine: float) -> str:
    """Where a factor between prediction and outcome comes from: the parts of `of_looseness`, side against side."""
    face, race = each["face"], each["race"]
    loose = [looseness(each, m, T / face.nnz, fine) for m, T in (("rcd", face.T_P), ("quartz", face.T_D))]
    convexity = race["rcd"]["excess"] / race["quartz"]["excess"]
    rest = loose[0] / loose[1] / convexity
    return (
        f"The primal's bound is {number(loose[0] / loose[1])} times as loose as the dual's: {number(convexity)} from "
        f"the strong convexity along the path, {number(rest)} from the rest."
    )


def reason(each: dict, fine: str) -> str:
    """Why a near tie fell to the other side: how long it takes until the last coordinate has been drawn."""
    face, race = each["face"], each["race"]
    alone = measured({"race": each["controls"][0][1]}, fine)[0]
    rcd, quartz = (number(race[method][fine][0]) for method in ("rcd", "quartz"))
    loose = [
        number(looseness(each, method, T / face.nnz, float(fine)))
        for method, T in (("rcd", face.T_P), ("quartz", face.T_D))
    ]
    words = (
        f"Both bounds are near one pass a factor e (T_P/nnz = {number(face.T_P / face.nnz)}, T_D/nnz = "
        f"{number(face.T_D / face.nnz)}). Drawing with replacement leaves coordinates untouched, and until the last "
        f"one has been drawn, after about log(d) = {number(math.log(face.d))} passes of rcd and log(n) = "
        f"{number(math.log(face.n))} of quartz, the error hardly falls faster than that; afterwards it does. The "
        f"bounds do not know of that end, and the side with fewer coordinates is there first: rcd needed {rcd} passes, "
        f"quartz {quartz} (the primal's bound is loose by {loose[0]}, the dual's by {loose[1]}). Without replacement "
        f"the ratio is {number(alone)}"
    )
    if (alone > 1) == (face.ratio > 1):
        return f"{words}: there the predicted side wins."
    return f"{words}: that is not the whole reason; the dual's bound has more of the other slack, too."


# ---------------------------------------------------------------- text
def number(value: float) -> str:
    """Three significant digits, without exponents for the sizes that occur here."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
