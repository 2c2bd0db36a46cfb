"""What of the choices does not fit the rest of them, each with the sentence that `solve` would give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...losses import LOSSES, Loss
from ...methods import METHODS
from ...problems.labels import make_label_map
from ...problems.problem import Problem
from ...runs.entries import Entry, check_entrant, entrant, label_of
from ...samplings import SAMPLINGS

MOST_KNOWN = 200
SIDES = {"dual_sampling": "dual", "primal_sampling": "primal"}


_known: dict[tuple, Any] = {}  # pages mostly open with the same choices


# On which choices it depends what fits, besides the shape of very small data
MATTER = (
    *("data", "upload", "loss", "gamma", "l2", "l2_over_n", "l1", "methods"),
    *("dual_sampling", "primal_sampling", "against", "batch"),
)


def reasons(choices: Any) -> dict[str, dict[str, str]]:
    """For each choice of a list the values that do not fit, with the reasons."""
    return _once(("reasons", *asked(choices)), lambda: _reasons(choices))


def asked(choices: Any) -> tuple:
    """Equal for choices with which the same fits: dozens of them as a slider moves."""
    values = (getattr(choices, name) for name in MATTER)
    return (
        choices.file is not None,
        *_small(choices),
        *(tuple(value) if isinstance(value, list) else value for value in values),
    )


def _once(key: tuple, work: Callable[[], Any]) -> Any:
    if key not in _known:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = work()
    return _known[key]


def _reasons(choices: Any) -> dict[str, dict[str, str]]:
    problem = stand_in(choices)
    found = {"methods": method_refusals(choices, problem), "loss": loss_refusals(choices)}
    return found | {name: sampling_refusals(choices, problem, side) for name, side in SIDES.items()}


def left_out(choices: Any) -> dict[str, str]:
    """The chosen runs that do not fit, by method, or by method and sampling where another one fits; each with why."""
    try:
        key = ("left out", *asked(choices))
    except ValueError:  # a session's race on data that are not here: why something did not run cannot be known
        return {}
    return _once(key, lambda: _left_out(choices))


def _left_out(choices: Any) -> dict[str, str]:
    problem, found = stand_in(choices), {}
    for name in choices.methods:
        told = {label_of(*entrant(entry)): refusal(problem, entry) for entry in choices.variants(name)}
        refused = {label: why for label, why in told.items() if why}
        found |= {name: next(iter(refused.values()))} if refused and len(refused) == len(told) else refused
    return found


def method_refusals(choices: Any, problem: Problem) -> dict[str, str]:
    """The methods of which no run fits, each with what is said about the first."""
    found = {}
    for name in METHODS:
        told = [refusal(problem, entry) for entry in choices.variants(name)]
        if all(told):
            found[name] = told[0]
    return found


def sampling_refusals(choices: Any, problem: Problem, side: str) -> dict[str, str]:
    """The samplings that no chosen method of a side runs with, though it would with others."""
    methods = [name for name in choices.methods if METHODS[name].side == side]
    return _refused(SAMPLINGS, methods, lambda name, method: refusal(problem, choices.entry(method, name)))


def loss_refusals(choices: Any) -> dict[str, str]:
    """The losses that the labels of an uploaded file, or all chosen methods, refuse."""
    problems = {name: stand_in(choices, choices.loss_named(name)) for name in LOSSES}

    def ask(name: str, method: str) -> str | None:
        return refusal(problems[name], choices.entry(method, choices.sampling(method)))

    return _refused(LOSSES, choices.methods, ask) | label_refusals(choices)


def label_refusals(choices: Any) -> dict[str, str]:
    """The losses that the labels of an uploaded file refuse."""
    found, labels = {}, choices.uploaded_labels()
    for name in LOSSES if labels is not None else ():
        try:
            make_label_map(labels, choices.loss_named(name))
        except ValueError as error:
            found[name] = str(error)
    return found


def _refused(values: Iterable[str], methods: list[str], ask: Callable[[str, str], str | None]) -> dict[str, str]:
    """The values that all methods refuse, but for methods that refuse every value: it is not the value then."""
    told = {method: {value: ask(value, method) for value in values} for method in methods}
    open_minded = [answers for answers in told.values() if not all(answers.values())]
    return {value: open_minded[0][value] for value in values if open_minded and all(a[value] for a in open_minded)}


def refusal(problem: Problem, entry: Entry) -> str | None:
    """What `solve` would say."""
    try:
        check_entrant(problem, *entrant(entry))
    except ValueError as error:
        return str(error)
    return None


def stand_in(choices: Any, loss: Loss | None = None) -> Problem:
    """A small problem that fits whom the chosen one fits: nobody waits for data to learn what cannot be run."""
    n = choices.shape()[0]
    rows, columns = _small(choices)
    size = max(rows, columns)
    k = np.arange(size)
    X = sp.csr_matrix((1 + k / size, (k % rows, k % columns)), shape=(rows, columns))  # no two lines alike, as in data
    y = np.where(np.arange(rows) % 2, 1.0, -1.0)
    return Problem(X, y, loss=loss or choices.loss_named(choices.loss), l2=choices.l2_for(n), l1=choices.l1)


def _small(choices: Any) -> tuple[int, int]:
    """As many rows and columns as a block needs, or all if those are fewer."""
    rows, columns = (min(max(choices.batch, 2), size) for size in choices.shape())
    return rows, columns
