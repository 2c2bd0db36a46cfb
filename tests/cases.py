"""Fewer cases for the same promises: of a product a push takes the cases that have each value once, and a table of
cheap cases is one test.

``pytest.mark.parametrize`` on parametrize makes a product. A push runs as few of its cases as have each value of each
of them at least once; the others are marked full. Where the pairs themselves are the promise,
``@pytest.mark.every_pair("why")`` keeps all.

``pushed(values, *these)`` are values of which a push takes these.
``@each_of("x, y", [...])`` is read like parametrize, but is one test, which tries all cases and names those that fail;
with ``pushed=these`` it is two, of which a push takes the first: these cases, and the others.
"""

import functools
import inspect
from collections import Counter, defaultdict

import pytest
from _pytest.assertion import util
from asserting import Count


@pytest.hookimpl(tryfirst=True)  # before -m leaves out what is marked
def pytest_collection_modifyitems(items):
    products = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and not any(map(item.get_closest_marker, ("full", "every_pair"))):
            products[item.parent.nodeid, item.originalname].append(item)
    for product in products.values():
        chosen = _covering([_values(item) for item in product])
        for position, item in enumerate(product):
            if position not in chosen:
                item.add_marker(pytest.mark.full)


def _values(item) -> set:
    """One value for each parametrize of a case: names that are set together have one."""
    params, single = item.callspec.params, set(item.callspec.params)
    values = set()
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].replace(",", " ").split() if isinstance(mark.args[0], str) else mark.args[0]
        values.add(tuple((name, id(params[name])) for name in names))
        single -= set(names)
    return values | {((name, id(params[name])),) for name in single}  # of fixtures


def _covering(cases: list[set]) -> set[int]:
    """Positions of cases that together have every value: in turn the one with most values that are still missing, and
    among these the one whose other values were seldom taken."""
    missing, taken, chosen = set().union(*cases), Counter(), set()
    while missing:
        best = max(
            range(len(cases)), key=lambda k: (len(cases[k] & missing), -sum(taken[value] for value in cases[k]), -k)
        )
        chosen.add(best)
        missing -= cases[best]
        taken.update(cases[best])
    return chosen


def pushed(values, *these) -> list:
    """Values for parametrize, of which a push takes `these` and a release all; a tuple is one value for each name."""
    if unknown := set(these) - set(values):
        raise ValueError(f"{unknown} are not among the values")
    later = [value if isinstance(value, tuple) else (value,) for value in values if value not in these]
    return [*these, *(pytest.param(*value, marks=pytest.mark.full) for value in later)]


def each_of(names: str, cases, ids=None, *, pushed=None):
    """A test that is tried on every case and names all that fail. What it takes beside `names` are fixtures, which all
    cases share: a test that changes them is better parametrized. A push tries those of `pushed`."""
    names = names.replace(",", " ").split()
    cases = [case if len(names) > 1 else (case,) for case in cases]
    with_marks = type(pytest.param())
    if any(len(case) != len(names) or isinstance(case, with_marks) or with_marks in map(type, case) for case in cases):
        raise TypeError(f"each case must be a value for each of {', '.join(names)}; marks are for parametrize")
    table = list(zip(ids or [_shown(case) for case in cases], cases, strict=True))
    parts = None if pushed is None else _parts(table, [each if len(names) > 1 else (each,) for each in pushed])
    part = f"part_of_{names[0]}"

    def decorate(test):
        @functools.wraps(test)
        def tried(*args, **kwargs):
            listener, failed, silent = util._assertion_pass, [], 0
            for name, case in kwargs.pop(part, table):
                util._assertion_pass, Count.executed = listener, 0
                try:
                    test(*args, **kwargs, **dict(zip(names, case, strict=True)))
                    silent += not Count.executed
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((name, error))
            if silent:
                Count.executed = 0  # one case that asserts nothing is as if none did: see asserting.py
            if failed:
                told = "\n".join(f"{name}: {type(error).__name__}: {error}" for name, error in failed)
                raise AssertionError(f"{len(failed)} of {len(cases)} cases fail\n{told}") from failed[0][1]

        inner = inspect.signature(test)
        left = [parameter for name, parameter in inner.parameters.items() if name not in names]
        if parts:
            left.append(inspect.Parameter(part, inspect.Parameter.KEYWORD_ONLY))
        tried.__signature__ = inner.replace(parameters=left)
        return pytest.mark.parametrize(part, parts)(tried) if parts else tried

    return decorate


def _parts(table: list, pushed: list) -> list:
    """Values for parametrize: the cases of a push, and the others."""
    first = [(name, case) for name, case in table if case in pushed]
    others = [(name, case) for name, case in table if case not in pushed]
    if len(first) < len(pushed):
        raise ValueError(f"only {len(first)} of the {len(pushed)} that are pushed are among the cases")
    return [pytest.param(first, id="pushed"), pytest.param(others, id="others", marks=pytest.mark.full)]


def _shown(case: tuple) -> str:
    """A case in a line, by which it is found in the table."""
    return ", ".join(getattr(value, "__name__", None) or repr(value) for value in case)[:200]
