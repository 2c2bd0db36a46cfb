"""PEPit as a second referee: the worst case over a whole class of functions, by a semidefinite program.

A value of at most ours confirms a lemma. One above refutes it only where our proof uses nothing beyond the class.
"""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of escapes in its docstrings, where its modules are not compiled yet
    PEPit = pytest.importorskip("PEPit", reason="PEPit is not installed: .ci/peers installs it")
    from PEPit.functions import SmoothStronglyConvexFunction, StronglyConvexFunction
    from PEPit.primitive_steps import proximal_step

pytestmark = pytest.mark.filterwarnings("ignore")  # of cvxpy and its solvers
SOLVER, SOLVED = "CLARABEL", 1e-4  # what it leaves; SCS, which is taken by default, leaves more
MU = 1.0


class Stage:
    """A stage of accelerated APPA on mu-strongly convex functions; V, or V + r (P(x) - P*), is at most 1 before it."""

    def __init__(self, weight, smoothness=None, more=False):
        self.pep = PEPit.PEP()
        self.P = (
            self.pep.declare_function(StronglyConvexFunction, mu=MU)
            if smoothness is None
            else self.pep.declare_function(SmoothStronglyConvexFunction, mu=MU, L=smoothness)
        )
        self.best = self.P.stationary_point()
        self.x, self.v = self.pep.set_initial_point(), self.pep.set_initial_point()
        self.weight, self.rho = weight, 1 + 2 * weight / MU
        self.r = self.rho**-0.5
        self.of_x = 1 + (self.r if more else 0)
        self.y = (self.x + self.r * self.v) / (1 + self.r)
        self.pep.set_initial_condition(self.V(self.x, self.v) <= 1)

    def above(self, w):
        """P(w) - P*."""
        return self.P(w) - self.P(self.best)

    def f(self, w):
        """The inner objective."""
        return self.P(w) + self.weight / 2 * (w - self.y) ** 2

    def V(self, x, v):
        return self.of_x * self.above(x) + MU / 4 * (v - self.best) ** 2

    def exact(self):
        return proximal_step(self.y, self.P, 1 / self.weight)[0]

    def ended_with(self, error, of_step=0.0):
        """A point x' with f(x') - f* <= error + of_step ||x' - y||^2."""
        exact, ended = self.exact(), PEPit.Point()
        self.pep.add_constraint(self.f(ended) - self.f(exact) <= error + of_step * (ended - self.y) ** 2)
        return ended

    def left(self, ended):
        """The largest V after the stage."""
        g, zeta = self.weight * (self.y - ended), 2 / MU + 1 / self.weight
        after = (1 - self.r) * self.v + self.r * (self.y - zeta * g)
        self.pep.set_performance_metric(self.V(ended, after))
        return self.pep.solve(verbose=0, solver=SOLVER)


WEIGHTS = [2.0, 5.0, 40.0]


@pytest.mark.parametrize("weight", WEIGHTS)
def test_an_exact_stage_leaves_what_our_lemma_says(weight):
    stage = Stage(weight)
    assert stage.left(stage.exact()) <= 1 - stage.r + SOLVED


@pytest.mark.parametrize("weight", WEIGHTS)
def test_an_oracle_that_starts_at_x_leaves_half_of_the_gain(weight):
    stage = Stage(weight)
    c = 2 * (1 + stage.rho) * stage.rho**0.5
    start = stage.above(stage.x) + weight / 2 * (stage.x - stage.y) ** 2
    assert stage.left(stage.ended_with(start / c)) <= 1 - stage.r / 2 + SOLVED


@pytest.mark.parametrize("weight", WEIGHTS)
def test_an_oracle_of_half_that_accuracy_does_so_for_more_of_the_potential(weight):
    stage = Stage(weight, more=True)
    c = (1 + stage.rho) * stage.rho**0.5
    start = stage.f(stage.x) - stage.f(stage.exact())
    assert stage.left(stage.ended_with(start / (c + 1))) <= 1 / (1 + stage.r) + SOLVED


@pytest.mark.parametrize("weight", WEIGHTS)
def test_the_relaxed_gap_leaves_the_gain_of_an_exact_stage(weight):
    stage = Stage(weight)
    share = weight / 2 / (1 + stage.rho)
    ended = stage.ended_with(share * stage.r * (stage.x - stage.y) ** 2, share)
    assert stage.left(ended) <= 1 - stage.r + SOLVED


def test_an_oracle_that_is_called_at_y_is_refuted():
    """At least the 4.977 of quadratics with mu = 1, L = 1000 and lambda = 2, where our old lemma promised .776."""
    stage = Stage(2.0, smoothness=1000.0)
    exact = stage.exact()
    start = stage.P(stage.y) - stage.P(exact) - stage.weight / 2 * (exact - stage.y) ** 2
    assert stage.left(stage.ended_with(start / (4 * stage.rho**1.5))) > 4.9


@pytest.mark.parametrize("weight", [0.1, 1.0, 40.0])
def test_a_stage_of_appa_with_a_relative_gap_leaves_what_an_exact_one_does(weight):
    """A gap of (lambda/2)||x' - x||^2 leaves lambda/(lambda + mu) of P(x) - P*, and on some function that."""
    pep = PEPit.PEP()
    P = pep.declare_function(StronglyConvexFunction, mu=MU)
    best, x, ended = P.stationary_point(), pep.set_initial_point(), PEPit.Point()
    exact = proximal_step(x, P, 1 / weight)[0]
    excess = P(ended) + weight / 2 * (ended - x) ** 2 - P(exact) - weight / 2 * (exact - x) ** 2
    pep.add_constraint(excess <= weight / 2 * (ended - x) ** 2)
    pep.set_initial_condition(P(x) - P(best) <= 1)
    pep.set_performance_metric(P(ended) - P(best))
    assert pep.solve(verbose=0, solver=SOLVER) == pytest.approx(weight / (weight + MU), abs=SOLVED)


@pytest.mark.parametrize("smoothness", [2.0, 50.0])
def test_the_gap_without_l1_is_the_largest_gradient(smoothness):
    """(L/l2)(P - P*) bounds ||grad P||^2/(2 l2), and is attained."""
    pep = PEPit.PEP()
    P = pep.declare_function(SmoothStronglyConvexFunction, mu=MU, L=smoothness)
    best, w = P.stationary_point(), pep.set_initial_point()
    pep.set_initial_condition(P(w) - P(best) <= 1)
    pep.set_performance_metric(P.gradient(w) ** 2 / (2 * MU))
    assert pep.solve(verbose=0, solver=SOLVER) == pytest.approx(smoothness / MU, rel=SOLVED)


@pytest.mark.parametrize("smoothness", [1.0, 20.0])
def test_a_proximal_gradient_step_falls_as_gd_promises(smoothness):
    pep = PEPit.PEP()
    f = pep.declare_function(PEPit.functions.SmoothConvexFunction, L=smoothness)
    g = pep.declare_function(StronglyConvexFunction, mu=MU)
    best, w = (f + g).stationary_point(), pep.set_initial_point()
    pep.set_initial_condition((f + g)(w) - (f + g)(best) <= 1)
    moved, *_ = proximal_step(w - f.gradient(w) / smoothness, g, 1 / smoothness)
    pep.set_performance_metric((f + g)(moved) - (f + g)(best))
    assert pep.solve(verbose=0, solver=SOLVER) <= 1 - MU / (smoothness + MU) + SOLVED
