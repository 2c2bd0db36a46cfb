"""Choices of races that take no time."""

from cdlab.dashboard.engine.choices import Choices


def small(**values):
    """A race of a few milliseconds."""
    return Choices(**{"n": 60, "d": 20, "density": 0.3, "passes": 300, "seeds": 2} | values)
