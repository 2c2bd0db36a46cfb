"""``cdlab data``."""

from __future__ import annotations

import inspect
from typing import Any

from ..datasets import names
from ..datasets.catalogue import DataSet, Listing, catalogue
from ..datasets.generators import GENERATORS
from .options import OutputOptions
from .output import table, to_json

COLUMNS = ("name", "n", "d", "stored", "task", "where", "source")


def data(*, output: OutputOptions = OutputOptions()) -> tuple[int, str]:
    """The data sets that have names: each goes to other verbs as FILE.

    They are those that cdlab ships or knows an address of, the files of the folder
    that the variable CDLAB_DATA names, and generators, which make data of any size
    and take arguments.

    Columns
    -------
    n, d    examples of the train part, and features
    stored  numbers that X stores: its nonzeros, or n d where all are stored;
            "-" where nothing but reading or making the data says it
    task    binary, classes or regression
    where   CDLAB_DATA (in that folder), bundled (comes with cdlab), cache
            (downloaded before), fetch (would be downloaded), unavailable (only
            CDLAB_DATA can provide it), made
    source  where the data come from, or what the generator makes (its arguments)

    Exit codes
    ----------
    0 done, 2 bad input, 130 interrupted

    Examples
    --------
    cdlab data
    cdlab data --json
    cdlab faceoff mushrooms
    cdlab faceoff synthetic:n=1000,d=50
    """
    known = catalogue()
    rows = [_row(each, known.get(each.name)) for each in names()]
    return 0, to_json({"verb": "data", "sets": rows}) if output.json else table(COLUMNS, rows)


def _row(listed: Listing, entry: DataSet | None) -> dict[str, Any]:
    stored = task = source = about = None
    if entry is not None:
        stored, task, source, about = entry.stored, entry.task, entry.source or None, entry.about or None
    elif listed.where == "made":
        source = about = _definition(listed.name)
    return {**listed._asdict(), "stored": stored, "task": task, "source": source, "about": about}


def _definition(name: str) -> str:
    """Description of a generator, and its arguments."""
    function = GENERATORS[name].function
    words = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split()).rstrip(".")
    return f"{words} ({', '.join(inspect.signature(function).parameters)})".strip()
