"""A page for each method: its box, its guarantee, on which problems it was the fastest, what it takes, its parameters.

The site's build writes them, from the classes, their modules and the times in benchmarks/advice_times.csv;
docs/methods.md has all methods on one page.
"""

from __future__ import annotations

import csv
import inspect
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from methods import listed, table
from numpydoc.docscrape import ClassDoc
from theorem_pages import address, write_pages

from cdlab.methods import METHODS, Method, parameters_of
from cdlab.methods.listing import definition_of, group_of, summary_of
from cdlab.theory import registry

CLOSE = 1.5  # times the fastest, which counts as about as fast
WEIGHTS = ("1/n", "0.1/n", "0.01/n", "0/n")
MADE = ("make", "arrow", "tuning", "reporting")  # names of problems of made data begin so
TIMES = Path(__file__).parents[1] / "benchmarks" / "advice_times.csv"

INDEX = """# Methods, one by one

`cdlab.solve(P)` chooses among them; `cdlab.solve(P, "{first}")` takes one.
[All methods, samplings and losses on one page](../../methods.md), and [how to choose](../../choosing.md).

{sections}

```{{toctree}}
:hidden:
:maxdepth: 1

{files}
```
"""
PAGE = """---
html_theme.sidebar_secondary.remove: true
---

# {name}

{summary}. {definition}

```python
cdlab.solve(P, "{name}")
```

{box}## What it takes

{takes}

## Guarantee

{guarantee}

## When it wins

{wins}

## Parameters

{parameters}

`cdlab.solve(P, "{name}", ...)` takes these{wrapped}. The class is {{py:obj}}`cdlab.methods.{cls}`.
"""


def box(cls: type[Method]) -> str:
    """Problem, algorithm, guarantee and reference as the method's module states them; "" where it states none."""
    text = inspect.getdoc(sys.modules[cls.__module__]) or ""
    _, _, statement = text.partition("\n\n")
    return f"```text\n{statement.strip()}\n```\n\n" if "Algorithm" in statement else ""


def takes(cls: type[Method]) -> str:
    side = "examples, with a dual point" if cls.side == "dual" else "features, or none"
    needs = listed(cls.needs) or "nothing beyond the problem's own form"
    more = listed(cls.takes) or "nothing more"
    return f"- Coordinates: {side}\n- Needs: {needs}\n- Takes besides: {more}"


def guarantee(cls: type[Method]) -> str:
    named = {b.theorem: address(b) for b in registry.theorems_of(cls.name) if b.counts}
    rate = f"{cls.guarantee}, up to constants ({cls.reference})." if cls.guarantee else "No theorem with a rate."
    links = ", ".join(f"[{theorem}](../theorems/{page}.md)" for theorem, page in named.items())
    return f"{rate}\n\nTheorems: {links}" if links else rate


# ------------------------------------------------------------ measured
@cache
def fastest_times() -> dict[str, dict[str, float]]:
    """By problem and method the solver seconds to the accuracy of docs/advice.md, by the best of its samplings."""
    found: dict[str, dict[str, float]] = {}
    with TIMES.open(newline="") as file:
        for row in csv.DictReader(file):
            seconds = float(row["passes"]) * float(row["pass_seconds"])
            times = found.setdefault(row["problem"], {})
            method = row["entry"].partition("@")[0].partition(":")[0].partition("(")[0]
            times[method] = min(seconds, times.get(method, float("inf")))
    return found


def wins(name: str) -> str:
    """On how many of the problems that were timed a method was the fastest, or nearly."""
    timed = {problem: times for problem, times in fastest_times().items() if name in times}
    if not timed:
        return f"It was not timed for [the advice](../../advice.md), which has {len(fastest_times())} problems."
    first = [problem for problem, times in timed.items() if times[name] == min(times.values())]
    near = [problem for problem, times in timed.items() if times[name] <= CLOSE * min(times.values())]
    text = (
        f"On {len(first)} of the {len(timed)} problems on which it was timed for [the advice](../../advice.md) it was "
        f"the fastest of all methods, and on {len(near)} it took at most {CLOSE:g} times the fastest's time."
    )
    weights = Counter(weight(problem) for problem in timed)
    won = Counter(weight(problem) for problem in near)
    shares = ", ".join(f"{won[each]} of {weights[each]} with l2 = {each}" for each in WEIGHTS if weights[each])
    real = [problem for problem in first if not problem.startswith(MADE)]
    named = f" It was the fastest on, for one, {real[0]} (data, loss, l2)." if real else ""
    return f"{text} The weaker the regulariser, the harder the problem: near the fastest it was on {shares}.{named}"


def weight(problem: str) -> str:
    """The weight of L2 in the name of a problem, which may have none."""
    return next((word for word in problem.split() if word.endswith("/n")), "0/n")


# ------------------------------------------------------------ pages
def parameters(cls: type[Method]) -> str:
    rows = [
        (f"`{each.name}`", each.type, " ".join(" ".join(each.desc).split())) for each in ClassDoc(cls)["Parameters"]
    ]
    return table(("parameter", "type", "what it does"), rows) if rows else "None of its own."


def page(name: str, cls: type[Method]) -> str:
    own = {each.name for each in ClassDoc(cls)["Parameters"]}
    wrappers = [f"`{option}`" for option in parameters_of(cls) if option not in own]
    return PAGE.format(
        name=name,
        cls=cls.__name__,
        summary=summary_of(cls)[:1].upper() + summary_of(cls)[1:],
        definition=definition_of(cls),
        box=box(cls),
        takes=takes(cls),
        guarantee=guarantee(cls),
        wins=wins(name),
        parameters=parameters(cls),
        wrapped=f", and those of wrappers: {', '.join(wrappers)}" if wrappers else "",
    )


def write(folder: Path) -> None:
    """All pages, and an index of them."""
    groups: dict[str, list[str]] = {}
    for name, cls in METHODS.items():
        groups.setdefault(group_of(cls), []).append(f"- [{name}]({name}.md): {summary_of(cls)}")
    sections = "\n\n".join("\n".join([f"## {title}\n", *lines]) for title, lines in groups.items())
    pages = {name: page(name, cls) for name, cls in METHODS.items()}
    write_pages(folder, pages, INDEX, first=next(iter(METHODS)), sections=sections)


if __name__ == "__main__":
    write(Path(__file__).parent / "generated" / "methods")
