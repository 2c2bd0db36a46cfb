"""The face-off of primal and dual coordinate descent: the side that needs less work on given data, by the bounds.

For a sampling p of the features and q of the examples, with beta = 1/gamma, r_j and c_i nonzeros of column j and row i,

    K_P = max_j (beta ||X_:j||^2 + l2 n)/(p_j l2 n),   W_P = sum_j p_j r_j,   T_P = K_P W_P    (rcd)
    K_D = max_i (beta ||x_i||^2 + l2 n)/(q_i l2 n),    W_D = sum_i q_i c_i,   T_D = K_D W_D    (quartz, sdca)

are iterations, visited nonzeros an iteration and visited nonzeros in all, each K and T times log(c/eps). Importance
sampling, p_j proportional to beta ||X_:j||^2 + l2 n, minimises K and T at once (Theorem 2), and then

    T_P = nnz + beta/(l2 n) C_P,    C_P = sum_j r_j ||X_:j||^2
    T_D = nnz + beta/(l2 n) C_D,    C_D = sum_i c_i ||x_i||^2.

Empty rows and columns are not coordinates. `exact_steps` has what these bounds do not say: the passes of exact steps
with uniform draws, estimated from 0, on which the verdict rests, and proved in the end, from the smallest eigenvalues.
`comparing` computes the numbers, `result` holds them and puts them into words, `closed_forms` and `binary_matrices`
have them for data whose matrix need not be built, and `derivative_cost` measures what a loss derivative costs.

Source: Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Theorems 1 to 3, eq. (8) to (16). Our X
(n, d) is the transpose of theirs: rows are examples.
"""

from .closed_forms import arrow, iid
from .comparing import faceoff
from .exact_steps import ExactSteps
from .result import RELIABLE_FACTOR, TIE_FACTOR, FaceOff, Theorem3, Work, caveats, ratio_in_words, winner

__all__ = [
    "RELIABLE_FACTOR",
    "TIE_FACTOR",
    "ExactSteps",
    "FaceOff",
    "Theorem3",
    "Work",
    "arrow",
    "caveats",
    "faceoff",
    "iid",
    "ratio_in_words",
    "winner",
]
