"""LIBLINEAR: C = 1/(l2 n), half of it for its squared losses, which have no 1/2; l1 in place of l2 for s5, s6."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..tasks import Point
from .peer import TOLERANCES, Budget, Package, Peer

PACKAGE = Package("liblinear-official")
# -s of liblinear: its loss and penalty
SOLVERS = {
    0: ("logistic", "l2"), 7: ("logistic", "l2"), 6: ("logistic", "l1"),
    1: ("squared_hinge", "l2"), 2: ("squared_hinge", "l2"), 5: ("squared_hinge", "l1"),
    11: ("squared", "l2"), 12: ("squared", "l2"), 3: ("hinge", "l2"), 13: ("absolute", "l2"),
}  # fmt: skip


FREE = (0, 2, 5, 6, 11)  # -R leaves the bias out of their penalty.
REGRESSIONS = (11, 12, 13)


def _fit(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, solver: int
) -> Point:
    from liblinear import liblinearutil

    C = 1 / ((l2 + l1) * len(y)) / (2 if loss.startswith("squared") else 1)
    tolerance = "" if budget is None else f" -e {budget!r}"
    insensitive = " -p 0" if solver in REGRESSIONS else ""
    bias = "1 -R" if intercept else "-1"
    options = liblinearutil.parameter(f"-s {solver} -c {C!r} -B {bias} -q{tolerance}{insensitive}")
    model = liblinearutil.train(liblinearutil.problem(y, sp.csr_matrix(X)), options)
    found = np.ctypeslib.as_array(model.w, shape=(model.get_nr_feature() + intercept,))
    b = float(found[-1]) if intercept else 0.0
    found = found[: found.size - intercept]
    w = np.zeros(X.shape[1])  # liblinear leaves empty last columns out
    w[: found.size] = found
    first_is_negative = solver not in REGRESSIONS and model.get_labels()[0] != 1  # its +1 is the first label
    return Point(-w, -b) if first_is_negative else Point(w, b)


PEERS = [
    Peer(f"liblinear-s{k}", PACKAGE, partial(_fit, solver=k), (loss,), (penalty,), TOLERANCES, intercepts=k in FREE)
    for k, (loss, penalty) in SOLVERS.items()
]
