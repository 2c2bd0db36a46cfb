"""Conjugate gradients with the factor of a sample's Gram matrix; for many examples and some hundreds of features.

They begin as in truncated.py. Where their rate after two products promises more than a sample costs, they go on from
there, and for the next models begin, on U^-T H U^-1 with U'U = X'diag(k)X/n + diag(ridge), where k_i is h_i/q_i with
probability q_i ~ h_i ||x_i||^2, else 0: about EXAMPLES_PER_FEATURE d examples. Where rows differ only in size, this is
H within 1 +- sqrt(1/EXAMPLES_PER_FEATURE) along every direction, however ill-conditioned H is. What it lacks on the
diagonal is added, since a sample may miss rare features.

Cost        half a pass for the diagonal, a pass for each product; a sample's Gram matrix, d^3/6, and then d^2 a product
Reference   Rokhlin & Tygert, A fast randomized algorithm for overdetermined linear least-squares regression (2008); the
            probabilities: Drineas, Kannan & Mahoney, Fast Monte Carlo algorithms for matrices I (2006)
"""

from __future__ import annotations

from math import log

import numpy as np

from ...problems.problem import Problem
from .gram import BLAS_SHARE, Gram, add_examples, cholesky, entries, gram_visits
from .model import Model, Step, examples_with
from .truncated import Product, Truncated, conjugate_gradients

EXAMPLES_PER_FEATURE = 6
SAMPLED_RATE = 0.17  # of the squared residual by a product, with condition number ((1 + e)/(1 - e))^2, e = 6^-1/2
FLAT = 1e-8  # As in truncated.py: beside the factor of a sample all of H is near 1, but for what has none.
PRODUCTS_BEFORE = 2  # Products until their rate is known.


def sampled_share(P: Problem) -> float:
    """The share of the examples in a sample, at most."""
    return min(1.0, EXAMPLES_PER_FEATURE * P.d / P.n)


def sampling_passes(P: Problem) -> float:
    """About how many products cost as much as a sample's Gram matrix and its factor."""
    pairs = BLAS_SHARE * P.n * P.d**2 / 2 if P.is_full else P.row_pairs
    return (sampled_share(P) * pairs + BLAS_SHARE * P.d**3 / 6) / max(entries(P), 1)  # X may be 0


class Preconditioned(Truncated):
    """Conjugate gradients, preconditioned by the diagonal or by a sample: of a quadratic P one, else one a model."""

    def __init__(self, P: Problem) -> None:
        super().__init__(P)
        self.rng, self.sampling = np.random.default_rng(0), sampling_passes(P)
        self.are_known_to_be_slow = False  # by the diagonal alone; models become more exact, and no better conditioned

    def step(self, P: Problem, model: Model) -> Step:
        own = self.undamped(P, model)
        if isinstance(self.product, ProductThroughFactor):
            return self.go_on(self.product, own, own.g)
        H = Product(P, own)
        found = conjugate_gradients(H, own, self.direction, self._are_slow)
        self.direction = found.direction if self.is_quadratic else None
        if found.is_minimum:
            return found.step
        self.are_known_to_be_slow, self.direction = True, None
        h = self.draw(P, model.h)
        examples, G = examples_with(h), np.zeros((P.d, P.d))
        visits = gram_visits(P, examples)
        add_examples(P, examples, h / P.n, visits, G)
        missed = np.maximum(0.0, H.diagonal - own.ridge - np.diagonal(G))
        H.spent += visits + P.d**3 / 6
        product = ProductThroughFactor(H, cholesky(G, model.ridge + missed))
        self.product = product if self.is_quadratic else None
        rest = self.go_on(product, own, -found.direction.r)
        return rest._replace(p=found.step.p + rest.p)

    def go_on(self, product: ProductThroughFactor, model: Model, left: np.ndarray) -> Step:
        """Minimise the model from where its gradient is `left`."""
        first, rest = product.to_new(model.g), product.to_new(left)
        if not rest.any():
            return Step(rest, product.spent)
        accuracy = model.accuracy * float(np.linalg.norm(first)) / float(np.linalg.norm(rest))
        found = conjugate_gradients(product, model._replace(g=rest, accuracy=accuracy), self.direction)
        self.direction = found.direction if self.is_quadratic else None
        product.product.spent = 0.0
        return found.step._replace(p=product.from_new(found.step.p))

    def draw(self, P: Problem, h: np.ndarray) -> np.ndarray:
        """The curvature of a sample in place of all: h_i/q_i with probability q_i, else 0."""
        sizes = h * P.row_profile.norms2
        q = np.minimum(1.0, EXAMPLES_PER_FEATURE * P.d * sizes / max(sizes.sum(), np.finfo(float).tiny))
        out = np.zeros(P.n)
        np.divide(h, q, out=out, where=self.rng.random(P.n) < q)
        return out

    def _are_slow(self, products: int, left: float, wanted: float) -> bool:
        if self.are_known_to_be_slow or products < PRODUCTS_BEFORE:
            return self.are_known_to_be_slow
        to_do = log(wanted / left)
        return left >= 1 or to_do * products / log(left) > self.sampling + to_do / log(SAMPLED_RATE)

    def warm(self, P: Problem) -> None:
        Gram(P).warm(P)
        Truncated(P).warm(P)


class ProductThroughFactor:
    """U^-T H U^-1 s, where H is near U'U; its diagonal is taken for that of the identity."""

    flat = FLAT

    def __init__(self, product: Product, U: np.ndarray) -> None:
        self.product, self.U, self.diagonal = product, U, np.ones(len(U))

    @property
    def spent(self) -> float:
        """Nonzeros visited."""
        return self.product.spent

    def to_new(self, g: np.ndarray) -> np.ndarray:
        """U^-T g, a gradient in the new coordinates."""
        return _solved(self.U, g, transposed=True)

    def from_new(self, s: np.ndarray) -> np.ndarray:
        """U^-1 s, a step in the old ones."""
        return _solved(self.U, s, transposed=False)

    def __call__(self, s: np.ndarray) -> np.ndarray:
        out = self.to_new(self.product(self.from_new(s)))
        self.product.spent += s.size**2
        return out


def _solved(U: np.ndarray, right: np.ndarray, *, transposed: bool) -> np.ndarray:
    from scipy.linalg import lapack

    return lapack.dtrtrs(U, right, trans=int(transposed))[0]
