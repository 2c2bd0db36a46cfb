"""Whether a method counts the nonzeros that its kernels read and write, and whether kernels do all of it."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ..methods import Method
from ..numerics.touched import Touched, untouched
from ..problems.problem import Problem, View
from ..samplings import Sampling
from .checked_method import fail
from .plain_python import caller_of_lines

EPOCHS = 5
MOST = 1.1  # what is seen may be so many times what is counted; every method of cdlab's is at 1.0 or below


def check_visits(method: Method, sampling: Sampling, P: Problem) -> None:
    """Compare `count` with what the kernels of a method ask of a sparse X in five epochs.

    Seen is half a visit for each line that is read, and half for each that is written: less than the truth where a
    kernel writes in a loop over ``P.X.line(i)``, never more.

    Raises
    ------
    AssertionError
        If it counts less than it does, or nothing, or asks from plain Python.
    """
    view = method.view(P)
    if not isinstance(view, View):  # works with the problem itself: no kernels to watch
        return
    seen = untouched()
    watching = view._replace(X=Touched(view.X, seen))
    S, counted, iterations = method.init(P, sampling), 0.0, 0
    for order in islice(method.orders(P, sampling, np.random.default_rng(0)), EPOCHS):
        S = method.epoch(watching, S, order)
        done = method.count(P, S, order)
        iterations, counted = iterations + done[0], counted + done[1]
    if not (iterations > 0 and 0 < counted < np.inf):
        fail(
            method, P, f"count gives {iterations} iterations and {counted:g} nonzeros in five epochs: both must be > 0"
        )
    visited = seen[0] / 2
    if visited > MOST * counted:
        fail(
            method, P, f"its kernels visit {visited:g} nonzeros in five epochs and `count` says {counted:g}: a line "
            "that is read and written is visited once, and one that is only read counts half"
        )  # fmt: skip
    plain = caller_of_lines(lambda: method.epoch(watching, S, order))
    if plain is not None:
        fail(
            method, P, f"its epoch runs in plain Python, about a hundred times slower: {plain} asks X for a line; "
            "write @cdlab.jit.kernel above the function that loops over the coordinates"
        )  # fmt: skip
