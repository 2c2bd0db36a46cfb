"""Records: what one measurement of a run finds, and the relative gap that it certifies."""

from __future__ import annotations

import math
from typing import NamedTuple


class Record(NamedTuple):
    """One measurement of a run. The clock stands still while it is taken."""

    iteration: int  # coordinate updates so far
    passes: float  # nonzeros visited / nnz, counted alike for every method
    seconds: float  # solver time: drawing and updating, neither measuring nor compiling
    primal: float  # P(w)
    dual: float  # D(alpha)
    gap: float  # max(0, P(w) - D(alpha)) + rounding; inf where one of them is not finite
    test_error: float  # NaN without test data
    ideal_passes: float = math.nan  # the updates alone, without greedy's search or svrg's snapshots; NaN elsewhere
    test_loss: float = math.nan  # mean loss on test data; NaN without
    examples: float = math.nan  # examples processed, see `Method.examples`; NaN in traces saved before it was counted
    active: float = math.nan  # with screening: the coordinates that epochs still visited; NaN without
    test_sign_error: float = math.nan  # wrong signs on test data -1 and 1 by a regression loss; NaN elsewhere
    rounding: float = math.nan  # what P(w) and D(alpha) may be off; NaN in traces saved before it was in the gap


OPTIONAL = (  # a trace may lack them
    "test_error", "ideal_passes", "test_loss", "examples", "active", "test_sign_error", "rounding",
)  # fmt: skip


def relative_gap(record: Record, at_zero: float) -> float:
    """gap / max(P(0) - D(alpha), 1e-6 P(0)), 0 when both are 0; inf unless all of it is finite.

    Parameters
    ----------
    record : Record
        One measurement of a run.
    at_zero : float
        P(0): the primal value of the first record of a run that starts at w = 0, else `Trace.at_zero`.
    """
    if not all(map(math.isfinite, (record.primal, record.dual, record.gap, at_zero))):
        return math.inf
    scale = max(at_zero - record.dual, 1e-6 * at_zero)
    if record.gap == 0:
        return 0.0
    return record.gap / scale if 0 < scale < math.inf else math.inf
