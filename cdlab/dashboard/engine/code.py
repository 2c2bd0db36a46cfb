"""The present choices as a Python script that runs the same race and comes to the same passes."""

from __future__ import annotations

from .choices import WITH_GAMMA, Choices
from .data_sources import FAMILIES, UPLOAD, data_call, literal
from .predicting import racing

WIDTH = 100
TEMPLATE = '''"""Made by the page of cdlab {version}: the same data, seeds and methods give the same curves."""

import numpy as np

import cdlab

{data}
P = cdlab.Problem({problem})
assert {check}, "these are other data than those of the page"

race = cdlab.race(
    P,
    [
{entries}
    ],
    seeds={seeds},
    tol={tol!r},
    max_passes={passes},
    records="log",
)

for name, passes in zip({labels}, race.reached({target!r}{quantity})):
    print(name, *(f"{{each:.10g}}" for each in passes), "median", f"{{np.median(passes):.10g}}")
'''


def script(choices: Choices, digest: str) -> str:
    """The script; it complains about other data than those with this digest, see `cdlab.Problem.digest`.

    Raises
    ------
    ValueError
        If no entry can run.
    """
    from ... import __version__

    entries = racing(choices)
    certified = choices.l1 > 0 or choices.l2 > 0
    options = [f"loss={_loss(choices)}", f"l2={_l2(choices)}", f"l1={choices.l1!r}"]
    options += ["intercept=True"] * choices.intercept + ["lower=0.0"] * choices.positive
    return TEMPLATE.format(
        version=__version__,
        data="\n".join(_data(choices)),
        problem=", ".join(["X", "y", *options]),
        check=f'P.digest == "{digest}"',
        entries="\n".join(f"        {literal(choices.entry(entry.asked))}," for entry in entries),
        seeds=choices.draws(),
        tol=choices.tol if certified else 0.0,
        passes=choices.passes,
        labels=literal_list([entry.label for entry in entries]),
        target=choices.target,
        quantity="" if certified else ', quantity="primal"',
    )


def literal_list(words: list[str]) -> str:
    return f"[{', '.join(map(literal, words))}]"


def _data(choices: Choices) -> list[str]:
    """The lines that make or load X and y."""
    line = f"X, y = {data_call(choices)}"
    if len(line) > WIDTH:
        name, _, arguments = line.partition("(")
        line = f"{name}(\n    {arguments.removesuffix(')')}\n)"
    lines = [line]
    if choices.data == UPLOAD:
        digits = choices.upload.split(":")[1]
        lines.insert(0, f"# your file, whose SHA-256 begins with {digits}: put its path here")
    elif choices.data in FAMILIES:
        lines += [f"X = cdlab.datasets.scaled(X, {literal(choices.scale)})"] if choices.scale != "none" else []
    elif choices.sample:
        draw = f"np.random.default_rng({choices.data_seed}).permutation(X.shape[0])[:{choices.sample}]"
        lines += [f"rows = np.sort({draw})", "X, y = X[rows], y[rows]"]
    return lines


def _loss(choices: Choices) -> str:
    if choices.loss not in (*WITH_GAMMA, "pinball"):
        return literal(choices.loss)
    name = "quantile" if choices.loss == "pinball" else "gamma"
    return f"cdlab.losses.{type(choices.loss_named(choices.loss)).__name__}({name}={getattr(choices, name)!r})"


def _l2(choices: Choices) -> str:
    return f"{choices.l2!r} / X.shape[0]" if choices.l2_over_n else repr(choices.l2)
