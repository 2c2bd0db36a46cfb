"""A loss that somebody registers is tested without anybody naming it in a test; a wrong one is found."""

import importlib.util
import sys
from pathlib import Path
from typing import NamedTuple

import problems  # noqa: F401  so that there is one to replace
import pytest

from cdlab import losses
from cdlab.numerics.jit import struct

TESTS = Path(__file__).parent.parent


@struct
class ModifiedHuber(NamedTuple):
    """phi = c max(0, 1 - m)^2 for m >= -1 and -4 c m below, m = y u; the dual variable b = y a is in [0, 4 c]."""

    c: float = 1.0

    classification = True

    @property
    def name(self) -> str:
        return "modified_huber"

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    @property
    def lipschitz(self) -> float:
        return 4 * self.c

    def phi(self, u, y):
        m = y * u
        return -4 * self.c * m if m < -1 else self.c * max(0.0, 1 - m) ** 2

    def grad_phi(self, u, y):
        m = y * u
        return -4 * self.c * y if m < -1 else -2 * self.c * y * max(0.0, 1 - m)

    def phi_conj(self, a, y):
        b = y * a
        return b * b / (4 * self.c) - b if -1e-12 <= b <= 4 * self.c + 1e-12 else float("inf")

    def dualprox(self, u, y0, q, y):
        b = (1 - y * u - q * y * y0) / (1 / (2 * self.c) + q)
        return -y * min(max(b, 0.0), 4 * self.c)


class OnlyToOne(ModifiedHuber):
    """A plausible mistake: the dual step of a hinge, whose b ends at 1."""

    def dualprox(self, u, y0, q, y):
        return -y * min(-y * super().dualprox(u, y0, q, y), 1.0)


class NoPenalty(ModifiedHuber):
    """Another: the conjugate of the hinge."""

    def phi_conj(self, a, y):
        return -y * a if -1e-12 <= y * a <= 1 else float("inf")


def loaded(name):
    """A test module as the next collection would see it."""
    spec = importlib.util.spec_from_file_location(f"{name}_again", TESTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def register(monkeypatch):
    def registered(loss):
        monkeypatch.setitem(losses.LOSSES, "modified_huber", loss)
        monkeypatch.delitem(sys.modules, "problems")
        return loss

    return registered


@pytest.mark.parametrize("module", ["test_losses", "test_registry", "test_conformance"])
def test_the_conformance_of_losses_and_methods_includes_what_is_registered(register, module):
    register(ModifiedHuber)
    assert "modified_huber" in loaded(module).LOSSES


def test_it_is_asked_for_its_referees(register):
    register(ModifiedHuber)
    tests = loaded("test_losses")
    with pytest.raises(AssertionError, match="needs a line in both tables"):
        tests.test_every_registered_loss_has_its_referees(tests.DEFINITIONS)


CHECKS = (
    "test_the_conjugate_is_finite_where_the_derivative_goes_and_infinite_beyond",
    "test_fenchel_young",
    "test_the_derivative_is_the_slope",
    "test_gamma_and_the_lipschitz_constant",
    "test_dualprox_maximises",
    "test_limits_of_q",
)


def test_its_domain_is_its_own(register):
    loss = register(ModifiedHuber)()
    tests = loaded("test_losses")
    assert loss in tests.INSTANCES
    assert tests.domain(loss, 1.0) == (0.0, 4.0)
    assert tests.domain(loss, -1.0) == (-4.0, 0.0)


@pytest.mark.parametrize("check", CHECKS)
def test_a_right_one_passes(register, check):
    loss = register(ModifiedHuber)()
    tests = loaded("test_losses")
    assert getattr(tests, check)(loss=loss) is None


@pytest.mark.parametrize(
    ("wrong", "checks"),
    [
        (OnlyToOne, ("test_dualprox_maximises", "test_limits_of_q")),
        (
            NoPenalty,
            ("test_the_conjugate_is_finite_where_the_derivative_goes_and_infinite_beyond", "test_fenchel_young"),
        ),
    ],
)
def test_a_wrong_one_is_found(register, wrong, checks):
    loss = register(wrong)()
    tests = loaded("test_losses")
    for check in checks:
        with pytest.raises(AssertionError):
            getattr(tests, check)(loss=loss)
