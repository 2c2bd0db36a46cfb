"""A multiple of the theorem's theta: what a longer step than the proof allows does can be tried."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods.asdca import ASDCA


@each_of("method", [ASDCA(), ASDCA(batch_size=7), ASDCA(batch_size=30)])
def test_a_factor_multiplies_the_theorem_s_theta(method):
    P = problem()
    theirs = method.init(P, "uniform").theta
    assert replace(method, factor=2.5).init(P, "uniform").theta == pytest.approx(2.5 * theirs, rel=1e-14)


def test_a_factor_that_makes_theta_one_is_refused():
    easy = problem(l2=1e3)  # theta = 1/4
    assert cdlab.solve(easy, ASDCA(factor=3.9)).status == "tolerance reached"
    with pytest.raises(ValueError, match="factor 4 makes theta = 1 here, which must be below 1"):
        cdlab.solve(easy, ASDCA(factor=4))


def test_a_factor_is_a_number_above_zero_and_not_of_a_theta_of_one_s_own():
    for wrong in (0.0, -1.0, np.inf, None):
        with pytest.raises(ValueError, match="asdca's factor must be a number > 0"):
            ASDCA(factor=wrong)
    with pytest.raises(ValueError, match="give one of them"):
        ASDCA(theta=0.1, factor=2)
