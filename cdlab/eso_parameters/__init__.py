"""Expected separable overapproximation (ESO): how far a random block of coordinates may move at once.

A matrix A (K, m) and a random subset S of its m columns, with p_j = Prob(j in S) and Pr[j, l] = Prob(j and l in S),
admit ESO parameters v if in the order of positive semidefinite matrices

    Pr o (A'A) <= Diag(p o v),    that is    E ||A h_S||^2 <= sum_j p_j v_j h_j^2    for all h

(o elementwise; h_S is h with the coordinates outside S set to 0). Then beta v_j + l2 n takes the place of
beta ||A_:j||^2 + l2 n in steps and bounds (Csiba & Richtarik 2016, eq. 5 to 9). A = X' for the dual side (coordinates
are examples) and A = X for the primal side (coordinates are features), with our X (n, d).

Every parameter here has the form v_j = sum_k f_kj A_kj^2, from one row a' of A at a time. J_k are the nonzeros of row
k, w_k = |J_k|, and w'_k is the number of buckets (parts) that J_k meets; x_j = a_j h_j:

    serial       f = 1: Pr leaves nothing of A'A but its diagonal.
    tau_nice     f = 1 + b (w_k - 1), b = (tau - 1)/(m - 1): E (a'h_S)^2 = p [(1 - b) sum x^2 + b (sum x)^2] with
                 p = tau/m, then Cauchy-Schwarz on J_k.
    independent  f = 1 - p_j + sum_{J_k} p_l: E (a'h_S)^2 = (sum p x)^2 + sum p (1 - p) x^2, then weighted
                 Cauchy-Schwarz, (sum p x)^2 <= (sum_{J_k} p) sum p x^2.
    bucket       f = 1 + (1 - 1/w'_k) sum_{J_k} p_l: only coordinates of different buckets meet, and with
                 s_B = sum_B p x their part is (sum s_B)^2 - sum s_B^2 <= (1 - 1/w'_k)(sum s_B)^2.
    distributed  f = 1 + b (w_k - 1) + (p - b)(1 - 1/w'_k) w_k, b = (tau - 1)/(s - 1), p = tau/s, s = m/c: with
                 s_B = sum_B x, E (a'h_S)^2 = p [(1 - b) sum x^2 + b (sum x)^2 + (p - b)((sum s_B)^2 - sum s_B^2)].

For any sampling whose Pr is known the smallest factor of a row, the same for all its nonzeros, is
f_k = lambda_max(D^-1/2 Pr[J_k, J_k] D^-1/2) with D = Diag(p) on J_k: `method="exact"`. It is at most what the formulas
of tau_nice, bucket and distributed say, because it is the best constant that Cauchy-Schwarz could give them;
independent's factors differ between coordinates, so there neither is always the smaller one.

Sources: Qu & Richtarik, Coordinate descent with arbitrary sampling II: expected separable overapproximation (2016);
Fercoq, Qu, Richtarik & Takac, Fast distributed coordinate descent (2014).
"""

from .formulas import bucket_importance, eso
from .pairs import pair_probabilities, tightness

__all__ = ["bucket_importance", "eso", "pair_probabilities", "tightness"]
