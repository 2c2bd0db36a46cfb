"""Independent draws with replacement: the expectation of one step is a few products of matrices, for any N.

With T_i = I - omega_i e_i e_i'G and i drawn with probability p_i,

    L_1(M) = E[T_i'MT_i] = M - B - B' + G diag(p_i omega_i^2 M_ii) G,   B = M diag(p omega) G.

An epoch is as many steps as there are coordinates. Where some of these do not move, p sums to less than 1.

The radius 1 - eta of one step solves a secular equation in N numbers. In energy G = C C', with c_i the rows of C,
L_1(M) = M - B M - M B + sum_i p_i omega_i^2 (c_i'M c_i) c_i c_i', B = sum_i p_i omega_i c_i c_i'. In the eigenbasis of
B, with eigenvalues b, L_1(M) = (1 - eta) M reads

    M_kl (b_k + b_l - eta) = sum_i w_i x_i c_ik c_il,   w_i = omega_i sqrt(p_i),   x_i = w_i c_i'M c_i,

so x = F(eta) x with F_ij = w_i w_j sum_kl c_ik c_jk c_il c_jl/(b_k + b_l - eta). For eta < 2 b_min F is positive
semidefinite, entrywise at least 0, and increases with eta from below 1 to infinity: the eta at which its largest
eigenvalue is 1 belongs to the positive semidefinite eigenmatrix.
"""

from __future__ import annotations

import numpy as np
import scipy.optimize
import scipy.sparse.linalg

from .expected_errors import SymmetricEpochs
from .quadratics import Quadratic
from .radius import Map, Radius, certified

MAX_COORDINATES = 500  # a radius of 500 takes about ten seconds
MAX_IN_CURVES = 200  # an epoch of 200 takes about a second
BRACKET = 1e-13  # relative distance of eta from its upper end
ETA_TOLERANCE = 1e-14  # relative


class IndependentDraws(SymmetricEpochs):
    """Expected errors under draws that are independent and alike.

    Parameters
    ----------
    quadratic : Quadratic
    p : (N,) array
        Probabilities of its coordinates.
    """

    how = "Lanczos"

    def __init__(self, quadratic: Quadratic, p: np.ndarray):
        super().__init__(quadratic.G)
        self.omega, self.p, self.draws = quadratic.omega, p, quadratic.drawn

    def step(self, M: np.ndarray) -> np.ndarray:
        """L_1(M)."""
        G, omega, p = self.G, self.omega, self.p
        B = M * (p * omega) @ G
        return M - B - B.T + G * (p * omega**2 * np.diag(M)) @ G

    def step_in_energy(self, M: np.ndarray) -> np.ndarray:
        """L_1 of a form of C'e."""
        C, omega, p = self.root, self.omega, self.p
        BM = C.T @ ((p * omega)[:, None] * (C @ M))
        left = np.einsum("ij,ij->i", C @ M, C)  # c_i'M c_i
        return M - BM - BM.T + C.T * (p * omega**2 * left) @ C

    def epoch(self, M: np.ndarray) -> np.ndarray:
        """See `SymmetricEpochs.epoch`."""
        for _ in range(self.draws):
            M = self.step(M)
        return M

    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """See `ExpectedErrors.curve`.

        Raises
        ------
        ValueError
            For more coordinates than a curve takes.
        """
        if self.p.size > MAX_IN_CURVES:
            raise ValueError(
                f"a curve of independent draws takes at most {MAX_IN_CURVES} coordinates and here are {self.p.size}: "
                "their radius is known, and a part of the data has a curve"
            )
        return super().curve(form, error, epochs)

    def worst_epoch(self) -> float | None:
        """See `SymmetricEpochs.worst_epoch`; None for more coordinates than a curve takes."""
        return super().worst_epoch() if self.p.size <= MAX_IN_CURVES else None

    def step_radius(self) -> Radius:
        """The radius of one step, by the secular equation."""
        w = self.omega * np.sqrt(self.p)
        b, basis = np.linalg.eigh((self.root.T * (self.p * self.omega)) @ self.root)
        C = self.root @ basis
        sums = np.add.outer(b, b)
        x = np.ones(w.size)  # the last eigenvector found, near the next one

        def matrix(eta: float) -> np.ndarray:
            """M of x, in the eigenbasis."""
            return (C.T * (w * x)) @ C / (sums - eta)

        def excess(eta: float) -> float:
            """1/mu - 1, mu the largest eigenvalue of F(eta)."""
            nonlocal x
            inverse = 1 / (sums - eta)

            def product(v: np.ndarray) -> np.ndarray:
                return w * np.einsum("ij,ij->i", C @ ((C.T * (w * v.ravel())) @ C * inverse), C)

            mu, x = _largest(product, x)
            return 1 / mu - 1

        last = 2 * b[0] * (1 - BRACKET)
        eta = last if excess(last) >= 0 else scipy.optimize.brentq(excess, 0.0, last, rtol=ETA_TOLERANCE, xtol=1e-300)
        excess(eta)
        M = basis @ matrix(eta) @ basis.T
        return certified(self.step_in_energy, M / np.linalg.norm(M))

    def radius(self) -> Radius:
        """The radius of an epoch."""
        return self.step_radius().power(self.draws)


def _largest(product: Map, start: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of a symmetric map of (N,) with entries >= 0, and its eigenvector, >= 0."""
    N = start.size
    if N == 1:
        return float(product(np.ones(1))[0]), np.ones(1)
    operator = scipy.sparse.linalg.LinearOperator((N, N), matvec=product, dtype=np.float64)
    values, vectors = scipy.sparse.linalg.eigsh(operator, k=1, which="LA", v0=start)
    return float(values[0]), np.abs(vectors[:, 0])
