"""Explanations: why a race came out as it did, and not as the bounds predict, as a ranked list of causes.

The prediction is a ratio of two bounds, T_P/T_D. Between it and the measured ratio stand the rates that the two methods
really have. One assumption of the bounds after the other is replaced by what the race did, and each replacement moves
the predicted passes of both sides, from one stage to the next (`stages`): what the ratio moves by is a cause. The
logarithms add up, so that the shares of all causes and of what is left over make 1.
"""

from .cause import Cause
from .explaining import explain

__all__ = ["Cause", "explain"]
