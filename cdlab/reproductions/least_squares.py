"""P* of least squares without a regulariser, which needs no run, kept beside the runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.files import atomic_write
from ..numerics.json_numbers import to_json_number
from ..problems.problem import Problem
from ..runs.references import method_for, reference
from ..sweeps import sources
from ..sweeps.keys import key

FOLDER = "least-squares"
NUMBERS = ("primal", "dual", "at_zero")


def least_squares(problem: Problem, store: Path, test: tuple[Any, Any] | None = None) -> dict[str, Any] | None:
    """What `cdlab.reference` finds there, read from the store, or computed and written there.

    Parameters
    ----------
    problem : Problem
        Without a regulariser, or another one.
    store : Path
        Of the traces.
    test : (X, y), optional
        Of which the errors at the optimum are wanted.

    Returns
    -------
    dict or None
        primal, dual, at_zero and found_by, with test also test_error and test_sign_error; None of another problem.
    """
    if method_for(problem) is not None:
        return None
    named = key(problem.digest, {"loss": repr(problem.loss)}, 0, sources.digest(type(problem.loss)))
    path = store / FOLDER / f"{named}.json"
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        w = np.array(result.pop("w"))
    except (FileNotFoundError, KeyError, ValueError):
        known = reference(problem)
        w = known.w
        result = {name: to_json_number(getattr(known, name)) for name in NUMBERS} | {"found_by": known.found_by}
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(json.dumps({**result, "w": w.tolist()}, allow_nan=False).encode())
    told = {name: float(result[name]) for name in NUMBERS} | {"found_by": result["found_by"]}
    if test is not None:
        scores = problem.test_scores(w, problem.test_data(*test))
        told |= {"test_error": scores.test_error, "test_sign_error": scores.test_sign_error}
    return told
