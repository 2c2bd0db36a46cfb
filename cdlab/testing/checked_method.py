"""The method that a check runs, however it was named."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import methods
from ..methods import Method, Wrapper
from ..problems.problem import Problem
from .small import problem_text


def method_instance(method: type[Method] | Method | str, **parameters: Any) -> Method:
    """A class or a registered name with these parameters; an instance as it is.

    Raises
    ------
    ValueError, TypeError
        If it is not a method, or takes no such parameters, see `cdlab.methods.resolve`.
    """
    if isinstance(method, Method):
        return method
    if isinstance(method, type) and not issubclass(method, Wrapper):
        return method(**parameters)
    named: Any = method  # a wrapper's class is refused there
    return methods.resolve(named, **parameters)


def fail_method(method: Method, P: Problem, what: str) -> NoReturn:
    """Say what is wrong with a method, and on which problem.

    Raises
    ------
    AssertionError
    """
    raise AssertionError(f"method {method.label} on {problem_text(P)}: {what}")
