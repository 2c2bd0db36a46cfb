"""A theorem: a step along the steepest of a random block is at least one along a random coordinate, as rcd's."""

import sympy

from cdlab.theory import SYMBOLS, contraction

P0, R_col, d, gamma, l1, l2, n, nnz = (SYMBOLS[k] for k in ("P0", "R_col", "d", "gamma", "l1", "l2", "n", "nnz"))

BLOCK_GREEDY = contraction(
    "block_greedy",
    "smooth",
    K=d * (l2 + R_col**2 / (gamma * n)) / l2,  # E[P(w) - P*] <= (1 - 1/K)^t P0
    constant=P0,
    bounded="P(w)-P*",
    W=2 * nnz / d,  # nonzeros that one step visits in expectation: it reads 3 columns and writes one
    assumptions=(gamma > 0, l2 > 0, sympy.Eq(l1, 0)),
    source="Nesterov 2012, section 2, and the steepest of a block gains at least a random one's; with block = 3",
    side="primal",
)
