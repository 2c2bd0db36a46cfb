"""P* of least squares without a regulariser, which needs no run, in the store of the runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics.json_numbers import parse_json, to_json_number
from ..problems.problem import Problem
from ..runs.references import reference, reference_method
from ..sweeps.keys import key_of
from ..sweeps.numerics_digest import numerics_digest
from ..sweeps.result_store import ResultStore

LEAST_SQUARES = "least squares"  # the kind of such a result
NUMBERS = ("primal", "dual", "at_zero")


def least_squares(problem: Problem, store: ResultStore, test: tuple[Any, Any] | None = None) -> dict[str, Any] | None:
    """What `cdlab.reference` finds there, read from the store, or computed and written there.

    Parameters
    ----------
    problem : Problem
        Without a regulariser, or another one.
    store : ResultStore
        Of the runs.
    test : (X, y), optional
        Of which the errors at the optimum are wanted.

    Returns
    -------
    dict or None
        primal, dual, at_zero and found_by, with test also test_error and test_sign_error; None of another problem.
    """
    if reference_method(problem) is not None:
        return None
    key = key_of(problem.digest, {"loss": repr(problem.loss)}, 0, numerics_digest(type(problem.loss)))
    known = store.get(key, LEAST_SQUARES)
    try:
        row = {} if known is None else parse_json(known.row)
        w, optimum = np.array(row["w"]), {name: float(row[name]) for name in NUMBERS}
    except (KeyError, TypeError, ValueError):
        found = reference(problem)
        w, optimum = found.w, {name: getattr(found, name) for name in NUMBERS}
        row = {name: to_json_number(value) for name, value in optimum.items()} | {"found_by": found.found_by}
        store.put(key, LEAST_SQUARES, row | {"w": w.tolist()})
    optimum |= {"found_by": row["found_by"]}
    if test is not None:
        scores = problem.test_scores(w, problem.test_data(*test))
        optimum |= {"test_error": scores.test_error, "test_sign_error": scores.test_sign_error}
    return optimum
