"""What APPA and its relatives need in all: the corollaries at their weights, and Frostig et al.'s table 1."""

import numpy as np
import pytest
import sympy as sp
from formulas import equal, pick

from cdlab.theory import symbols as S
from cdlab.theory.symbols import mu
from cdlab.theory.theorems import appa


def passes(b):
    """Of a total, without the logarithm of eps."""
    return b.count / appa.DIGITS * b.W / S.nnz


KAPPA = {S.gamma: 1, S.n: 100, S.l2: 0, mu: sp.Float("1e-6")}


def growth(expr):
    """The exponent of R^2/(gamma n mu) in an expression, at large values of it and up to its logarithms."""
    R2 = 100 * 1e-6 * np.array([1e10, 1e14])
    values = [float(expr.subs(KAPPA).subs(S.R, np.sqrt(value)).evalf()) for value in R2]
    return np.log(values[1] / values[0]) / np.log(1e4)


def test_corollaries_at_their_weights():
    kappa_S = S.R**2 / (S.gamma * S.n * mu)
    assert equal(passes(pick("appa", "corollary 2.5")), 4 * sp.ceiling(kappa_S / 2) * sp.log(4))
    corrected, printed = pick("dual_appa", "corollary 2.11"), pick("dual_appa", "corollary 2.11, printed weight")
    assert equal(corrected.count, 4 * appa.DIGITS)
    assert equal(printed.count, 2 * (1 + kappa_S) * appa.DIGITS)
    for b, exponent in (
        (pick("appa", "corollary 2.5"), 1),
        (pick("acc_appa", "corollary 2.7"), 1 / 2),
        (corrected, 1 / 2),
        (printed, 1),
    ):
        assert growth(passes(b)) == pytest.approx(exponent, abs=0.06)
        assert b.kind == "asymptotic"


def test_table_1_on_the_scale_of_the_mean():
    kappa_S = 16
    numbers = {"n": 100, "nnz": 700, "R": 4.0, "gamma": 1.0, "mu": 0.01, "l2": 0.01, "P0": 1.0, "eps": np.exp(-1.0)}
    totals = {b.method: b.per("arithmetic").at(**numbers) for b in appa.BOUNDS if b.theorem == "frostig table 1"}
    of_all = {"gd": 100 * kappa_S, "agd": np.sqrt(100 * kappa_S)}
    of_one = dict.fromkeys(("sag", "svrg", "sdca"), kappa_S)
    accelerated = dict.fromkeys(("apcg", "accprox_sdca", "acc_appa", "dual_appa"), np.sqrt(kappa_S))
    assert totals == pytest.approx({method: 700 * total for method, total in (of_all | of_one | accelerated).items()})
