"""docs/faceoff.md from the results of faceoff.py: its tables."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
from faceoff_counts import MeasuredRuns, Ratio
from faceoff_runs import Effort
from faceoff_text import (
    CONTROLS,
    CROWDED,
    DATA,
    FAMILIES,
    INTRO,
    LOOSE,
    OFTEN,
    PASSES,
    SAMPLING,
    SECONDS,
    UNIFORM,
    WEAK,
    WRONG,
)
from faceoff_words import counts, crowded, leu, looseness, many_examples, number, verdicts

import cdlab
from cdlab.faceoffs import TIE_FACTOR, winner

PAGE = Path(__file__).parent.parent / "docs" / "faceoff.md"


def write(
    first: list[dict], weak: list[dict], families: list[dict], levels: Sequence[float], effort: Effort, many: int
) -> None:
    """Write docs/faceoff.md: races at l2 = 1/n and at 0.01/n, and the paper's families.

    `levels` are the coarse and the fine relative suboptimality.
    """
    c, f = (f"{level:g}" for level in levels)
    caused = [each for each in first if "controls" in each]
    head = (
        "data", "rcd", "quartz", "rcd/quartz", "90%", "predicted", "off", "predicted winner", "winner", f"at {c}",
        "sdca", "rcd/sdca",
    )  # fmt: skip
    seconds = [winner_in_seconds(each, f) for each in caused]
    facts = versions() | {
        "fine": f,
        "coarse": c,
        "close": TIE_FACTOR,
        "visits": f"{effort.visits:g}",
        "seeds": effort.seeds,
        "many": many,
        "agree": sum(seconds),
        "all": len(seconds),
        "leu": leu(first, f, c),
        "counts": counts(first, weak, f),
        "crowded": many_examples(first, weak, f),
        "verdicts": verdicts(caused, (f, c)),
    }
    parts = [
        INTRO,
        DATA,
        table(
            (
                "data",
                "n",
                "d",
                "not empty",
                "nnz",
                "C_P/C_D",
                "position",
                "T_P/T_D",
                "Table 1",
                "uniform",
                "accelerated",
            ),  # fmt: skip
            [of_data(each) for each in first],
        ),
        PASSES,
        table(head, [of_passes(each, "importance", f, c) for each in first]),
        UNIFORM,
        table(head, [of_passes(each, "uniform", f, c) for each in first]),
        WEAK,
        table(head, [of_passes(each, "importance", f, c) for each in weak]),
        "\nWith uniform sampling:\n",
        table(head, [of_passes(each, "uniform", f, c) for each in weak]),
        OFTEN,
        CROWDED,
        table(
            ("data", "l2", "n/d", "predicted", "measured", "H/l2", "predicted l2/H", "convexity, rcd", "quartz"),
            [of_crowded(l2, each, f) for l2, each in crowded(first, weak)],
        ),
        SAMPLING,
        WRONG,
        LOOSE,
        table(
            ("data", "rcd loose", "convexity", "rest", "quartz loose", "convexity", "rest", "phi''/beta", "H/l2"),
            [of_looseness(each, f) for each in caused],
        ),
        CONTROLS,
        table(
            ("data", "as above", "permutation", "squared loss", "l2 = 100/n"),
            [of_controls(each, f) for each in caused if each["controls"]],
        ),
        SECONDS,
        table(
            ("data", "rcd", "predicted", "quartz", "predicted", "measured ratio", "predicted ratio"),
            [of_seconds(each, f) for each in caused],
        ),
        FAMILIES,
        table(
            ("matrix", "measured", "90%", "predicted", "off"),
            [(each["name"], *of_ratio(each, "importance", c)) for each in families],
        ),
    ]
    PAGE.write_text("".join("\n" + part if part.startswith("|") else part.format(**facts) for part in parts))


def versions() -> dict:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {
        "today": date.today().isoformat(),
        "commit": commit,
        "version": cdlab.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


# ---------------------------------------------------------------- rows
def of_data(each: dict) -> tuple[str, ...]:
    face = each["face"]
    ratios = (face.ratio, face.ratio_table, face.uniform.ratio, face.ratio_acc)
    full = (face.n, face.d) == (face.n_nonempty, face.d_nonempty)
    live = "all" if full else f"{face.n_nonempty:,} x {face.d_nonempty:,}"
    sizes = (f"{face.n:,}", f"{face.d:,}", live, f"{face.nnz:,}", number(face.theorem3.ratio))
    return (each["name"], *sizes, f"{face.theorem3.position:.0%}", *map(number, ratios))


def of_passes(each: dict, sampling: str, fine: str, coarse: str) -> tuple[str, ...]:
    race, predicted = MeasuredRuns(each["races"][sampling]), predicted_ratio(each, sampling)
    ratio = race.ratio(fine)
    return (
        each["name"], *(passes(race, method, fine) for method in ("rcd", "quartz")),
        *of_ratio(each, sampling, fine), winner(predicted) or "tie", ratio.side or "open",
        signed(race.ratio(coarse)), passes(race, "sdca", fine), signed(race.ratio(fine, "sdca")),
    )  # fmt: skip


def of_ratio(each: dict, sampling: str, level: str) -> tuple[str, str, str, str]:
    ratio, predicted = MeasuredRuns(each["races"][sampling]).ratio(level), predicted_ratio(each, sampling)
    spread = "-" if ratio.sign else f"{number(ratio.low)}-{number(ratio.high)}"
    sign = f"{ratio.sign} " if ratio.sign else ""
    return signed(ratio), spread, number(predicted), f"{sign}{number(ratio.value / predicted)}"


def predicted_ratio(each: dict, sampling: str) -> float:
    face = each["face"]
    return face.ratio if sampling == "importance" else face.uniform.ratio


def passes(race: MeasuredRuns, method: str, level: str) -> str:
    found, run = race.reached(method, level).median[1], race(method)[0]
    return number(found) if np.isfinite(found) else f"> {number(run['passes'])} (error {run['error']:.1g})"


def signed(ratio: Ratio) -> str:
    return f"{ratio.sign} {number(ratio.value)}" if ratio.sign else number(ratio.value)


def of_looseness(each: dict, fine: str) -> tuple[str, ...]:
    face, race, cells = each["face"], MeasuredRuns(each["races"]["importance"]), []
    for method, T in (("rcd", face.T_P), ("quartz", face.T_D)):
        loose, excess = looseness(race, method, T / face.nnz, fine), race(method)[0]["excess"]
        cells += [number(loose), number(excess), number(loose / excess)]
    strong = "-" if each["strong"] is None else number(each["strong"])
    return (each["name"], *cells, number(each["share"]), strong)


def of_crowded(l2: str, each: dict, fine: str) -> tuple[str, ...]:
    face, race = each["face"], MeasuredRuns(each["races"]["importance"])
    convexity = (number(race(method)[0]["excess"]) for method in ("rcd", "quartz"))
    per = number(face.n_nonempty / face.d_nonempty)
    bounds = (number(each["strong"]), number(face.ratio / each["strong"]))
    return (each["name"], l2, per, number(face.ratio), signed(race.ratio(fine)), *bounds, *convexity)


def of_controls(each: dict, fine: str) -> tuple[str, ...]:
    cells = [(each["face"].ratio, each["races"]["importance"]), *each["controls"]]
    words = []
    for k, (predicted, race) in enumerate(cells):
        bound = "" if k == 1 else f" ({number(predicted)})"
        words.append(f"{signed(MeasuredRuns(race).ratio(fine))}{bound}")
    return (each["name"], *words)


def of_seconds(each: dict, fine: str) -> tuple[str, ...]:
    face, race = each["seconds"], MeasuredRuns(each["races"]["importance"])
    folds = -np.log(float(fine))
    ratio = race.ratio(fine, what=1)
    rcd, quartz = (number(race.reached(method, fine, 1).cost) for method in ("rcd", "quartz"))
    return (
        each["name"], f"> {rcd}" if ratio.sign == ">" else rcd, number(face.seconds_P * folds), quartz,
        number(face.seconds_D * folds), signed(ratio), number(face.seconds_P / face.seconds_D),
    )  # fmt: skip


def winner_in_seconds(each: dict, fine: str) -> bool:
    """Whether the predicted seconds name the side that was first."""
    ratio = MeasuredRuns(each["races"]["importance"]).ratio(fine, what=1)
    return (each["seconds"].seconds_P > each["seconds"].seconds_D) == (ratio.value > 1)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
