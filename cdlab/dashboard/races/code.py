"""The present choices as a Python script that gives the same curves."""

from __future__ import annotations

from ..choices.choices import UPLOAD, WITH_GAMMA, Choices
from ..choices.data_sources import FAMILIES, data_call, literal

WIDTH = 100
TEMPLATE = '''"""Made by the dashboard of cdlab {version}: the same data, seeds and methods give the same curves."""

import cdlab

{data}
P = cdlab.Problem({problem})
{check}
race = cdlab.race(
    P,
    [
{entries}
    ],
    seeds={seeds},
    tol={tol!r},
    max_passes={passes},{every}
)

for trace in race.traces:
    print(trace.label, "seed", trace.meta["seed"], trace.meta["status"])
    for passes, {what} in zip(trace.column("passes"), trace.column("{column}")):
        print(f"{{passes:.10g}} {{{what}:.17g}}")
'''


def script(choices: Choices, digest: str = "") -> str:
    """The script.

    Parameters
    ----------
    choices : Choices
    digest : str
        Of the problem, see `cdlab.Problem.digest`; with it the script complains about other data.

    Raises
    ------
    ValueError
        If no chosen method can run, as `Choices.entries`.
    """
    from ... import __version__

    made = choices.data in FAMILIES
    certified = choices.l1 > 0 or choices.l2 > 0  # otherwise no gap is known, but P(w) is
    lines = [_wrapped(f"X, y = {data_call(choices)}")]
    if choices.data == UPLOAD:
        digits = choices.upload.partition(":")[2]
        lines.insert(0, f"# your file, whose SHA-256 begins with {digits}: put its path here")
    if made and choices.scale != "none":
        lines.append(f"X = cdlab.datasets.scaled(X, {literal(choices.scale)})")
    check = f'assert P.digest == "{digest}", "these are other data than those of the dashboard"\n' if digest else ""
    return TEMPLATE.format(
        version=__version__,
        data="\n".join(lines),
        problem=", ".join(["X", "y", f"loss={_loss(choices)}", f"l2={_l2(choices)}", f"l1={choices.l1!r}"]),
        check=check,
        what="gap" if certified else "primal",
        column="relative_gap" if certified else "primal",
        entries="\n".join(f"        {literal(entry)}," for entry in choices.entries()),
        seeds=repr(choices.all_seeds()),
        tol=choices.tol,
        passes=choices.passes,
        every=f"\n    every={every}," if (every := choices.every()) > 1 else "",
    )


def _wrapped(line: str) -> str:
    """A long call with its arguments on a line of their own."""
    if len(line) <= WIDTH:
        return line
    name, _, arguments = line.partition("(")
    return f"{name}(\n    {arguments.removesuffix(')')}\n)"


def _loss(choices: Choices) -> str:
    if choices.loss not in WITH_GAMMA:
        return literal(choices.loss)
    return f"cdlab.losses.{type(choices.loss_named(choices.loss)).__name__}(gamma={choices.gamma!r})"


def _l2(choices: Choices) -> str:
    return f"{choices.l2!r} / X.shape[0]" if choices.l2_over_n else repr(choices.l2)
