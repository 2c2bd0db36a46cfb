"""One contract, written twice: what Python makes is what the modules in the browser take."""

import re
from pathlib import Path
from typing import get_type_hints, is_typeddict

import pytest
from cases import each_of
from recording import KINDS, recorded

from cdlab.dashboard.stage import contract

JS = (Path(contract.__file__).with_name("contract.js")).read_text(encoding="utf-8")
RENAMED = {"Promise": "Promised"}  # JavaScript has a Promise of its own
TYPES = {name: kind for name, kind in vars(contract).items() if is_typeddict(kind)}


def in_javascript(name: str) -> list[str]:
    """The entries of a typedef, in order."""
    text = " ".join(line.strip().lstrip("/* ") for line in JS.splitlines())
    (body,) = re.findall(rf"@typedef \{{\{{([^}}]*)\}}\}} {name}\b", text)
    return re.findall(r"(\w+)\??:", body)


@each_of("name", TYPES)
def test_both_sides_name_the_same_entries(name):
    assert in_javascript(RENAMED.get(name, name)) == list(TYPES[name].__annotations__)


def entries(kind, value):
    """Every part of the data with the type that it should have."""
    yield kind, value
    for key, hint in get_type_hints(kind).items():
        for each in (hint, *getattr(hint, "__args__", ())):
            if is_typeddict(each) and value.get(key) is not None:
                parts = value[key]
                parts = (
                    parts if isinstance(parts, list) else parts.values() if str(hint).startswith("dict") else [parts]
                )
                for part in parts:
                    yield from entries(each, part)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_made_has_all_entries_and_no_others(kind):
    seen = set()
    for type_, value in entries(contract.Stage, recorded(kind)):
        assert set(value) == set(type_.__annotations__)
        seen.add(type_)
    assert seen == set(TYPES.values())
