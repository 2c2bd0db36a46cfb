"""A loss that somebody registers is tested without anybody naming it in a test."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import problems  # noqa: F401  so that there is one to replace
import pytest
from modified_huber import ModifiedHuber

from cdlab import losses

TESTS = Path(__file__).parents[1]


def loaded(name):
    """A test module as the next collection would see it."""
    spec = importlib.util.spec_from_file_location("again", TESTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(losses.LOSSES, "modified_huber", ModifiedHuber)
    monkeypatch.delitem(sys.modules, "problems")


@pytest.mark.parametrize("module", ["losses/test_losses", "methods/test_registry"])
def test_the_conformance_of_losses_and_methods_includes_what_is_registered(module):
    assert "modified_huber" in loaded(module).LOSSES


def test_it_is_checked_with_its_parameter_halved_and_doubled():
    tests = loaded("losses/test_losses")
    assert {ModifiedHuber(c) for c in (0.5, 1.0, 2.0)} <= set(tests.INSTANCES)


def test_it_is_asked_for_its_referees():
    tests = loaded("losses/test_losses")
    with pytest.raises(AssertionError, match="needs a line in both tables"):
        tests.test_every_registered_loss_has_its_referees(tests.DEFINITIONS)


@pytest.mark.parametrize("referee", ["objective", "optimum"])
def test_so_do_others_that_need_them(referee):
    tests = loaded("problems")
    arguments = {"objective": (*tests.data(), 0.1, 0.0, np.zeros(8)), "optimum": (0.1, 0.0)}[referee]
    with pytest.raises(AssertionError, match="loss modified_huber: what is registered needs a line in both tables"):
        getattr(tests, referee)("modified_huber", *arguments)
