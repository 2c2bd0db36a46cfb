"""What is not given is what the documentation says, and the same wherever it is asked for."""

import ast
import inspect
import re

from cases import each_of

import cdlab
from cdlab.runs.limits import Limits
from cdlab.runs.running import Run

LITERAL = r"^(\w+) : .*, default (None|True|False|\"\w+\"|[-+.e\d]+|\(.*\))$"


def documented(function):
    found = re.findall(LITERAL, inspect.getdoc(function) or "", re.MULTILINE)
    return {name: ast.literal_eval(text) for name, text in found}


def defaults(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


@each_of("function", [cdlab.solve, cdlab.iterate, cdlab.race, cdlab.advise, cdlab.theory.bound])
def test_the_defaults_are_as_documented(function):
    assert documented(function)
    assert defaults(function).items() >= documented(function).items()


@each_of(
    "inner, outer",
    [(Run, cdlab.iterate), (Limits, cdlab.solve), (cdlab.iterate, cdlab.solve), (cdlab.race, cdlab.solve)],
)
def test_what_refers_to_another_function_has_its_defaults(inner, outer):
    """Of a run those of `iterate`, of `resume` and of a race those of `solve`, unless it documents its own."""
    own, theirs = defaults(inner), defaults(outer)
    shared = (own.keys() & theirs.keys()) - documented(inner).keys()
    assert len(shared) >= 3
    assert {name: own[name] for name in shared} == {name: theirs[name] for name in shared}
