"""A page for each theorem of `cdlab.theory`: statement, assumptions, symbols, an example with its picture, source.

The site's build writes them; docs/theorems.md has all statements on one page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from methods import table
from theorems import methods_in_order, says, statement

import cdlab
from cdlab import methods, plots, samplings, theory
from cdlab.runs.entries import sampling_for
from cdlab.testing.bound_runs import (
    Optimum,
    find_optimum,
    measure_runs,
    method_and_bound,
    sampling_of_bound,
    true_constants,
    with_sampling,
)
from cdlab.testing.small import SMALL_PROBLEMS
from cdlab.theory import Bound, registry
from cdlab.theory.symbols import to_latex

MAX_PASSES = 60
SEEDS = 5
ACCURACY = "1e-6"
MIN_DRAWN = 1e-10  # of the bound's start: below, a picture shows rounding
WIDTH = 700  # pixels
TALL = "X, y = cdlab.datasets.make(n=50, d=10, seed=0)"
WIDE = "X, y = cdlab.datasets.make(n=20, d=40, seed=0)"
LOGISTIC, *OTHERS = SMALL_PROBLEMS
EXAMPLES = (  # data, loss, l2, l1: the first that a theorem covers is its example
    (TALL, *LOGISTIC),
    (TALL, "squared", 0.1, 0.0),
    *((TALL, *other) for other in OTHERS),
    (TALL, "logistic", 0.0, 0.0),
    (TALL, "hinge", 0.0, 0.0),
    (TALL, "squared", 0.0, 0.02),
    (TALL, "squared", 1e-3, 0.0),
    (TALL, "logistic", 10.0, 0.0),
    (WIDE, *LOGISTIC),
)
GIVEN = {"delta": 0.01, "prox_weight": 0.1, "inexactness": 0.5, "accuracy": 4.0}  # what no problem tells
BLOCKS = "cdlab.samplings.TauNice(4)"  # for theorems about blocks alone
SIDES = {"dual": "Dual: coordinates are examples", "primal": "Primal: coordinates are features", "": "Of either side"}
QUANTITIES = {"P(w)-P*": "P(w) - P*", "P-D": "P(w) - D(alpha)", "D*-D": "D* - D(alpha)", "|w-w*|^2": "||w - w*||^2"}

INDEX = """# Theorems, one by one

Each page has a theorem's statement, what it assumes, its letters, its value on a small problem beside what happened
there, and its source. [All statements on one page](../../theorems.md), [how tight they are](../../tightness.md).

{sections}

```{{toctree}}
:hidden:
:maxdepth: 1

{files}
```
"""
PAGE = """# {method}: {theorem}

{sentence}

## Statement

{statements}

## Assumptions

{assumptions}

## Letters

{letters}

## On an example

{example}

## Source

{source}.
"""


@dataclass(frozen=True)
class Example:
    """A problem on which a theorem has a number, and how a reader makes it."""

    code: str
    P: cdlab.Problem

    @cached_property
    def best(self) -> Optimum:
        """By scipy, which has none for the hinge without l2: a ValueError."""
        return find_optimum(self.P)


@cache
def example(data: str, loss: str, l2: float, l1: float) -> Example:
    labels = "y" if l2 or l1 or loss != "squared" else "X.sum(axis=1)"  # a linear system with a solution
    weights = f"l2={l2:g}" + (f", l1={l1:g}" if l1 else "")
    names: dict[str, Any] = {"cdlab": cdlab}
    code = f'{data}\nP = cdlab.Problem(X, {labels}, loss="{loss}", {weights})'
    exec(code, names)
    return Example(code, names["P"])


def address(b: Bound) -> str:
    """The name of a theorem's page."""
    return re.sub(r"[^a-z0-9]+", "-", f"{b.method} {b.theorem}".lower()).strip("-")


def theorems_by_method() -> dict[str, dict[str, list[Bound]]]:
    """By method and by name a theorem's formulas, one for each sampling; methods in the order of docs/theorems.md."""
    found: dict[str, dict[str, list[Bound]]] = {}
    for method in methods_in_order():
        for b in registry.theorems_of(method):
            found.setdefault(method, {}).setdefault(b.theorem, []).append(b)
    return found


# ------------------------------------------------------------ the example
def question(same: list[Bound]) -> tuple[Bound, str]:
    """The theorem for the sampling of its example, and the call that finds it."""
    b = next((each for each in same if each.sampling == "uniform"), same[0])
    blocks = b.sampling in samplings.BLOCKS
    call = f'cdlab.theory.bound("{b.method}", "passes"{f", {BLOCKS}" * blocks}, theorem="{b.theorem}")'
    return theory.bound(b.method, "passes", samplings.TauNice(4) if blocks else None, b.theorem), call


def example_of(b: Bound) -> tuple[Example, dict[str, float], float] | None:
    """The first example that a bound covers, what has to be given beside it, and its number; None if it covers none."""
    names = {symbol.name for symbol in b.symbols}
    given = {name: value for name, value in GIVEN.items() if name in names}
    for code in EXAMPLES:
        one = example(*code)
        try:
            number = float(b.for_problem(one.P, float(ACCURACY), **given))
        except ValueError:
            continue
        if np.isfinite(number):
            return one, given, number
    return None


def example_text(b: Bound, call: str, picture: Path) -> str:
    """The bound's value on an example, and the picture of the bound and of runs, which is saved."""
    found = example_of(b)
    if found is None:
        return "None of the site's small problems fulfils all assumptions or has all that the formula takes."
    one, given, number = found
    arguments = "".join(f", {name}={value:g}" for name, value in given.items())
    lines = ["```python", "import cdlab", "", *one.code.split("\n"), f"bound = {call}"]
    lines += [f"bound.for_problem(P, eps={ACCURACY}{arguments})  # {number:.4g}", "```", ""]
    if b.counts:
        constants = "" if b.kind == "theorem" else ", up to constants and logarithms"
        lines += [f"So {number:.4g} passes over the data are enough for a relative accuracy of {ACCURACY}{constants}."]
    return "\n".join([*lines, "", *along_runs(b, one, given, number, picture)])


def along_runs(b: Bound, one: Example, given: dict[str, float], number: float, picture: Path) -> list[str]:
    """What runs did beside the bound; nothing where it draws no curve or its method does not run there."""
    if b.guarantee is None or b.kind != "theorem" or b.method not in methods.METHODS:
        return []
    try:
        method, b = method_and_bound(b, None, given)
        b = with_sampling(b, method, None if b.sampling not in samplings.BLOCKS else samplings.TauNice(4))
        known = true_constants(b, one.P, one.best) | given
        drawn = sampling_for(method, sampling_of_bound(b, None))
        if method.refusal(one.P, drawn) is not None:
            return []
        passes = min(MAX_PASSES, max(number, 5.0))
        along = measure_runs(b, method, drawn, one.P, one.best, passes, SEEDS)
        promised = np.asarray(b.curve(one.P, along.passes, **known))
    except ValueError:
        return []
    seen = along.mean > MIN_DRAWN * along.mean[0]
    curves = [
        plots.Curve(f"{b.method}, mean of {SEEDS} runs", b.side, [(along.passes[seen], along.mean[seen])]),
        plots.Curve("bound on the expectation", "", [(along.passes, promised)]),
    ]
    panel = plots.Panel(curves, x_label="passes over the data", y_label=QUANTITIES[b.bounded])
    plots.save(plots.panels([panel], columns=1), picture, width=WIDTH)
    last = int(np.flatnonzero(seen)[-1])
    words = (
        f"After {along.passes[last]:.3g} passes the mean of {SEEDS} runs is {along.mean[last]:.2g} and the bound "
        f"{promised[last]:.2g}; both began at {along.mean[0]:.2g} and {promised[0]:.2g}."
    )
    return [f"![{b.bounded} of {b.method} falls below its bound. {words}]({picture.name})", "", words]


# ------------------------------------------------------------ pages
def page(same: list[Bound], folder: Path) -> str:
    """A theorem's page; its picture is saved beside it."""
    alike: dict[tuple, list[Bound]] = {}
    for each in same:
        alike.setdefault(says(each), []).append(each)
    b, call = question(same)
    letters: dict[str, str] = {}
    for each in same:
        letters |= (each.per("passes") if each.counts else each).where()
    needs = [f"- $ {to_latex(assumption)} $" for assumption in b.assumptions]
    return PAGE.format(
        method=b.method,
        theorem=b.theorem,
        sentence=f"{SIDES[b.side]}. {b.explain().partition(' (' + b.source)[0]}.",
        statements="\n".join(map(statement, alike.values())),
        assumptions="\n".join(needs) or "Nothing beyond the problem's own form.",
        letters=table(("letter", "means"), ((f"$ {letter} $", meaning) for letter, meaning in letters.items())),
        example=example_text(b, call, folder / f"{address(b)}.svg"),
        source=b.source,
    )


def write_pages(folder: Path, pages: dict[str, str], index: str, **words: str) -> None:
    """Pages by their names, and an index of them, whose words are these and `files`."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = pages | {"index": index.format(files="\n".join(pages), **words)}
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def write(folder: Path) -> None:
    """All pages, their pictures and an index of them."""
    folder.mkdir(parents=True, exist_ok=True)  # pictures come first
    sections, pages = [], {}
    for method, named in theorems_by_method().items():
        links = []
        for theorem, same in named.items():
            name = address(same[0])
            pages[name] = page(same, folder)
            links.append(f"[{theorem}]({name}.md)")
        sections.append(f"**{method}**: {', '.join(links)}")
    write_pages(folder, pages, INDEX, sections="\n\n".join(sections))


if __name__ == "__main__":
    write(Path(__file__).parent / "generated" / "theorems")
