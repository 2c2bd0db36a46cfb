"""Zhang & Xiao 2015, extended: Algorithm 2 in batches, m draws by its probabilities, of which each example counts once.

The proof of Theorems 1 and 2 carries over to blocks of at most m examples with any marginals pi_i, for the steps
1/s_i = pi_i n/(m s) and 4 tau s M^2 = 1, where M >= m ||x_i||/(pi_i n) for all i. It only uses that, for the changes
Delta of y in a block K, ||sum_K Delta_i x_i/(pi_i n)||^2 <= (M^2/m) sum_K Delta_i^2, and that ||X'(y - y*)/n||^2 is at
most (M^2/m) ||y - y*||^2, which follows from sum pi_i <= m.
"""

from __future__ import annotations

import sympy as sp

from ..build import lemma
from ..derivations.spdc_steps import NORMS_BLOCKS, rates, weights
from ..symbols import C_D, L_f, Rbar, a2, l1, l2, m, n, nnz, w2
from .spdc import STRONG, strong

EXTENDED = "Theorem 2, extended to batches; re-derived, not in the paper"
# m sum p_i c_i, with sum ||x_i|| c_i <= sqrt(C_D nnz); an example that is drawn twice is visited once
VISITED = m * (nnz + sp.sqrt(C_D * nnz) / Rbar) / (2 * n)
BY_BLOCKS = {"sampling": "norms_blocks", "W": VISITED, "side": "dual"}
AT = weights(NORMS_BLOCKS)
DISTANCE = w2 + AT.y / AT.x * a2

BOUNDS = (
    strong("distance", NORMS_BLOCKS, DISTANCE, EXTENDED, **BY_BLOCKS),
    strong(
        "suboptimality", NORMS_BLOCKS, (L_f + l2) / 2 * DISTANCE, EXTENDED, bounded="P(w)-P*",
        assumptions=(*STRONG, sp.Eq(l1, 0)), **BY_BLOCKS,
    ),
    lemma(
        "spdc", "one step", value=1 - 1 / rates(NORMS_BLOCKS).y, sampling="norms_blocks", side="dual",
        assumptions=STRONG, source=f"Zhang & Xiao 2015, proof of {EXTENDED}",
        target="one iteration multiplies by at most this, in expectation, the distances of w and alpha from the "
        "optimum, weighted as in the theorem and with the proof's cross term",
    ),
)  # fmt: skip
