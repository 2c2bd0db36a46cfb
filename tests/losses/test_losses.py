"""Every loss: what `cdlab.testing.check_loss` asks of any, its definition in the papers, and its hard cases."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import CONVEX, DEFINITIONS, LOSSES, loss_by_definition, problem
from scipy.optimize import brentq

from cdlab import jit, losses, testing
from cdlab.losses import scalar
from cdlab.losses.base import ROUNDING, SMOOTH_SUBSTITUTES, sigmoid
from cdlab.methods import SGD
from cdlab.methods.facts import LIPSCHITZ
from cdlab.samplings import Uniform


def in_range(loss):
    """Tell whether the class allows these parameters."""
    try:
        losses.resolve(loss)
    except ValueError:
        return False
    return True


# Every registered loss as it is, and with its parameters halved and doubled, where they may be. (By repr: tuples of two
# classes are equal.)
INSTANCES = list(
    {
        repr(scaled): scaled
        for loss in map(losses.resolve, LOSSES)
        for scale in (1.0, 0.5, 2.0)
        for scaled in [loss._replace(**{field: scale * value for field, value in loss._asdict().items()})]
        if scale == 1.0 or in_range(scaled)
    }.values()
)
every_loss = pytest.mark.parametrize("loss", INSTANCES, ids=repr)
signs = st.sampled_from([-1.0, 1.0])
numbers = st.floats(-3, 3)
reals = st.floats(-50, 50)
FAR = 1e9  # where every bounded derivative has come to its end


def label(loss, number):
    """Of a classification a sign, of a regression any number."""
    return math.copysign(1.0, number) if loss.classification else number


def domain(loss, y):
    """The dual variables a at which phi*(-a) is finite: what -phi' can be, cut at +-200."""
    slopes = sorted(-loss.grad_phi(u, y) for u in (-FAR, FAR))
    return max(slopes[0], -200.0), min(slopes[1], 200.0)


@every_loss
def test_it_keeps_what_a_loss_promises(loss):
    """Convex, its conjugate, its derivative, its dual step, its constants, its domain; compiled and solved with."""
    assert testing.check_loss(loss) is None


def test_so_does_the_loss_of_several_classes():
    assert testing.check_loss(losses.Softmax()) is None


@pytest.mark.parametrize("table", [DEFINITIONS, CONVEX], ids=["definition", "convex program"])
def test_every_registered_loss_has_its_referees(table):
    assert set(table) == set(LOSSES), "what is registered needs a line in both tables of tests/problems.py"


@each_of("y", [-1.0, 1.0])
@each_of("loss", [loss for loss in INSTANCES if domain(loss, 1.0) != (-200.0, 200.0)])
def test_the_domain_is_widened_by_rounding_and_by_no_more(loss, y):
    low, high = domain(loss, y)
    for end, outwards in ((low, -1), (high, 1)):
        if abs(end) < 200:
            assert loss.phi_conj(end + outwards * ROUNDING / 2, y) == pytest.approx(loss.phi_conj(end, y), abs=1e-10)
            assert loss.phi_conj(end + outwards * ROUNDING * 10, y) == math.inf


@pytest.mark.parametrize("name", LOSSES)
@given(u=reals, number=numbers)
def test_phi_is_the_papers_definition(name, u, number):
    loss = losses.resolve(name)
    y = label(loss, number)
    assert loss.phi(u, y) == pytest.approx(float(loss_by_definition(name, np.float64(u), y)), rel=1e-14, abs=1e-14)


@each_of("name, u", [("logistic", 0.0), ("squared", 0.0), ("smooth_hinge", 0.5), ("huber", 1.0)])
def test_gamma_is_tight(name, u):
    loss, h = losses.resolve(name), 1e-5
    assert (loss.grad_phi(u + h, 1.0) - loss.grad_phi(u - h, 1.0)) / (2 * h) == pytest.approx(1 / loss.gamma, rel=1e-6)


@pytest.mark.parametrize("loss", [loss for loss in INSTANCES if loss.gamma > 0], ids=repr)
@given(u=st.floats(-20, 20), number=numbers, log_q=st.floats(-3, 12), share=st.floats(0, 1))
def test_dualprox_is_a_damped_derivative(loss, u, number, log_q, share):
    """beta = phi'(u - q (beta - y0)) for smooth losses, however large q is."""
    y = label(loss, number)
    low, high = domain(loss, y)
    y0, q = -(low + share * (high - low)), 10.0**log_q
    beta = loss.dualprox(u, y0, q, y)
    tolerance = 1e-9 + 1e-15 * (abs(y0) + 1) * q / loss.gamma  # rounding of beta, times the slope of what follows
    assert loss.grad_phi(u - q * (beta - y0), y) == pytest.approx(beta, abs=tolerance)


@every_loss
def test_limits_of_q(loss):
    """q = 0 (a zero row) gives phi'(u); q -> inf keeps y0."""
    for number in (-1.0, 1.0, 0.3):
        y = label(loss, number)
        low, high = domain(loss, y)
        y0 = -(low + 0.3 * (min(high, low + 1) - low))
        assert loss.dualprox(0.0, y0, 0.0, y) == pytest.approx(loss.grad_phi(0.0, y), abs=1e-9)
        assert loss.dualprox(0.3, y0, 1e14, y) == pytest.approx(y0, abs=1e-9)


@given(c=st.floats(-30, 30), a0=st.floats(0, 1), q=st.floats(-3.9, 0))
def test_logistic_dualprox_with_negative_q(c, a0, q):
    """APCG calls it with -gamma < q < 0: still stationary."""
    loss = losses.Logistic()
    beta = loss.dualprox(c, -a0, q, 1.0)
    assert loss.grad_phi(c - q * (beta + a0), 1.0) == pytest.approx(beta, abs=1e-7)


def dualprox_and_steps(u, a0, q):
    """The logistic loss's, and how many Newton steps it took: two values of sigmoid each."""
    with pytest.MonkeyPatch.context() as patch:
        calls = []
        patch.setattr(scalar, "sigmoid", lambda t: calls.append(t) or sigmoid(t))
        beta = losses.Logistic().dualprox(u, -a0, q, 1.0)
    return beta, len(calls) / 2


@given(u=st.floats(-50, 50), a0=st.floats(0, 1), log_q=st.floats(-6, 6))
def test_logistic_dualprox_takes_few_steps(u, a0, log_q):
    """A handful, and one more each time q grows by a factor e."""
    _, steps = dualprox_and_steps(u, a0, 10.0**log_q)
    assert steps <= 6 + max(0.0, log_q * math.log(10))


@given(u=st.floats(-50, 50), a0=st.floats(1e-9, 1 - 1e-9), log_q=st.floats(-6, 6))
def test_logistic_dualprox_is_where_bisection_ends(u, a0, log_q):
    """Its start near the root and the sigmoid that it saves at the end cost no accuracy."""
    q = 10.0**log_q
    t = brentq(lambda t: t + u + q * (sigmoid(t) - a0), -51 - q, 51 + q, xtol=1e-14, rtol=1e-15)
    assert losses.Logistic().dualprox(u, -a0, q, 1.0) == pytest.approx(-sigmoid(t), abs=1e-14 + 1e-15 * q)


def test_logistic_dualprox_takes_one_step_where_little_changes():
    """Near the optimum logit(a0) is the root but for a little: the first step of Newton's from there costs nothing."""
    q = 10.0
    for t in (-3.0, -0.1, 0.2, 4.0):
        beta, steps = dualprox_and_steps(-t, sigmoid(t) + 1e-5, q)
        assert beta == pytest.approx(-sigmoid(t), abs=1e-4)
        assert steps == 1


@each_of("q", [1e10, 1e100, 1e301])
@each_of("a0", [0.0, 1e-300, 0.5, 1.0])
def test_logistic_dualprox_with_huge_q_stays_near_its_start(q, a0):
    """Where a naive bracketed Newton cycles or runs out of steps."""
    assert losses.Logistic().dualprox(3.0, -a0, q, 1.0) == pytest.approx(-a0, abs=1e-7)


def test_the_case_on_which_a_naive_newton_two_cycles():
    """b = -1, a0 = 1, p = -3.56, q = 492."""
    loss = losses.Logistic()
    beta = loss.dualprox(-3.56, 1.0, 492.0, -1.0)
    assert loss.grad_phi(-3.56 - 492.0 * (beta - 1.0), -1.0) == pytest.approx(beta, abs=1e-12)


def test_smoothing_adds_gamma_to_the_conjugate():
    """phi_gamma* = phi* + (gamma/2) beta^2: hinge and absolute are the gamma = 0 members of their families."""
    for plain, smooth in (
        (losses.resolve("hinge"), losses.SmoothHinge(0.5)),
        (losses.resolve("absolute"), losses.Huber(0.5)),
    ):
        assert smooth.phi_conj(0.7, 1.0) == pytest.approx(plain.phi_conj(0.7, 1.0) + 0.25 * 0.49)
        assert 0 <= plain.phi(0.2, 1.0) - smooth.phi(0.2, 1.0) <= 0.25


@each_of("bad", [losses.Squared(c=0.0), losses.SmoothHinge(gamma=-1.0), losses.Huber(gamma=math.nan)])
def test_bad_parameters_are_named(bad):
    with pytest.raises(ValueError, match=r"must be a finite number"):
        losses.resolve(bad)


@jit.struct
class Quantile(NamedTuple):
    """q times the positive part of y - u, 1 - q times the negative one."""

    q: float = 0.5
    shift: float = 1.0

    name = "quantile"
    ranges = {"q": "(0, 1]", "shift": "(-inf, inf)"}
    classification = False
    gamma = 0.0
    lipschitz = 1.0

    def phi(self, u, y):
        return max(self.q * (y - u), (self.q - 1) * (y - u)) + self.shift

    def grad_phi(self, u, y):
        return -self.q if u < y else 1 - self.q

    def phi_conj(self, a, y):
        return -a * y - self.shift if self.q - 1 <= a <= self.q else math.inf

    def dualprox(self, u, y0, q, y):
        return min(max((u - y + q * y0) / q, -self.q), 1 - self.q)


@pytest.mark.parametrize("parameters", [{"q": 1.0}, {"q": 0.3, "shift": -2}])
def test_a_loss_declares_the_ranges_of_its_parameters(parameters):
    assert losses.resolve(Quantile(**parameters)) == Quantile(**parameters)


@pytest.mark.parametrize(
    ("parameters", "said"), [({"q": 0.0}, r"q .* in \(0, 1\], not 0"), ({"shift": math.inf}, "shift")]
)
def test_what_is_out_of_its_range_is_refused(parameters, said):
    with pytest.raises(ValueError, match=f"{said}"):
        losses.resolve(Quantile(**parameters))


@each_of("text", ["0 to 1", "(0, one)", (0, 1)])
def test_a_range_that_is_no_interval_is_refused(text):
    own = jit.struct(type("Own", (Quantile,), {"ranges": {"q": text}}))
    with pytest.raises(TypeError, match=r"the range of q must be an interval such as"):
        losses.resolve(own())


@each_of("value", [3, np.int64(3), 2**53 - 1, 2**53, 2**60, 10**30, 3.0, np.float32(3)])
def test_a_parameter_is_a_whole_number_where_float64_knows_all_of_them_and_a_float_elsewhere(value):
    c = losses.resolve(losses.Squared(c=value)).c
    assert c == float(value)
    assert type(c) is (int if isinstance(value, int | np.integer) and value < 2**53 else float)


def test_unknown_names_and_things():
    with pytest.raises(ValueError, match="did you mean 'logistic'"):
        losses.resolve("logistics")
    with pytest.raises(TypeError, match="dualprox"):
        losses.resolve(3.0)


@each_of("name", LOSSES)
def test_names_come_back(name):
    assert losses.resolve(name).name == name


def test_what_is_not_smoothed_is_called_by_its_name():
    assert [repr(losses.resolve(name)) for name in ("hinge", "absolute")] == ["hinge()", "absolute()"]
    assert (losses.hinge(), losses.absolute()) == (losses.SmoothHinge(gamma=0.0), losses.Huber(gamma=0.0))
    assert [repr(losses.resolve(name)) for name in ("smooth_hinge", "huber")] == [
        "SmoothHinge(gamma=1.0)",
        "Huber(gamma=1.0)",
    ]


@pytest.mark.parametrize("name", [name for name in LOSSES if losses.resolve(name).gamma == 0])
def test_what_is_suggested_in_place_of_a_kink_is_a_name_that_can_be_typed(name):
    loss = losses.resolve(name)
    assert losses.smoothness_hint(loss) == f"{name} is not: take {SMOOTH_SUBSTITUTES[name]} instead"
    smooth = typed(SMOOTH_SUBSTITUTES[name])
    assert smooth.gamma > 0
    assert smooth.grad_phi(-9.0, 1.0) == loss.grad_phi(-9.0, 1.0)  # the same far out


def typed(suggestion):
    """The loss that is suggested."""
    name, is_rounded, _ = suggestion.partition(" with gamma > 0")
    return losses.resolve(name)._replace(gamma=1.0) if is_rounded else losses.resolve(name)


@pytest.mark.parametrize("name", ["squared", "squared_hinge", "squared_epsilon_insensitive"])
def test_what_is_suggested_in_place_of_an_unbounded_slope_is_lipschitz(name):
    assert f"take {LIPSCHITZ[name]} instead" in SGD().refusal(problem(name), Uniform())
    bounded, loss = typed(LIPSCHITZ[name]), losses.resolve(name)
    assert bounded.lipschitz < math.inf
    assert bounded.grad_phi(0.7, 1.0) == loss.grad_phi(0.7, 1.0)  # the same near the optimum
