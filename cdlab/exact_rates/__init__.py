"""Exact rates: what coordinate descent does in expectation on a quadratic, in any order of coordinates.

With the squared loss an update multiplies the error e by a matrix T_i, so the expectation of every quadratic error
e'Me evolves by a linear map of matrices, L(M) = E[T'MT]. Its spectral radius is the rate, and its powers are the whole
expected curve: neither is a bound. Smooth losses obey the same maps near their solution.

>>> import numpy as np, cdlab
>>> i, j = np.indices((5, 4))
>>> X, y = ((3 * j + 5 * i) % 7 - 3) / 2, np.array([1.0, -1.0, 1.0, 1.0, -1.0])
>>> P = cdlab.Problem(X, y, loss="squared", l2=0.2)
>>> for sampling in ("uniform", "permutation", "cyclic"):
...     rate = cdlab.theory.exact_rate(P, "sdca", sampling)
...     print(f"{sampling:<12}{rate.radius:.10f} an epoch, {rate.epochs:.6f} epochs per factor e")
uniform     0.6948330023 an epoch, 2.746621 epochs per factor e
permutation 0.5632062232 an epoch, 1.741828 epochs per factor e
cyclic      0.3783898863 an epoch, 1.028986 epochs per factor e
>>> print(cdlab.theory.exact_rate(P, "sdca", "permutation").curve(3, "D*-D").round(8))
[0.0679409  0.01183764 0.00444566 0.0017794 ]

`quadratics` has the matrices of both sides, `optimum` the solution at which a smooth loss is taken for one, `steps` how
far a method steps. `radius` finds a spectral radius in an interval that is proved; `expected_errors` is what all
computations answer: `draws` (independent ones), `permutations` (subsets), `counts` (few kinds of coordinates, found by
`equal_lines`), `orders` (fixed), `populations` (an estimate) and, of one eigenvalue, `band`. `descent_rates` chooses
among them. `gap_estimates` has the expected gap from the start on for data of any size, as an estimate.
`linear_methods` and `linear_epochs` are of other methods, with all of their state. `computing` has `exact_rate`, and
`result` shows what was found. `best_probabilities` minimises the rate over the probabilities, and `closed_forms` are
data on which all of this is a formula.
"""

from .best_probabilities import BestSampling, best_sampling
from .computing import exact_rate
from .result import ExactRate

__all__ = ["BestSampling", "ExactRate", "best_sampling", "exact_rate"]
