"""Faults of a user's own class, as one sentence: whose it is, where it stands, what would be right."""

from __future__ import annotations

import inspect
import re
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import CodeType

from ..numerics import checks
from ..numerics.jit.structs import base_name

PACKAGE = Path(__file__).parents[1]
LIBRARIES = tuple(Path(sysconfig.get_path(part)) for part in ("stdlib", "purelib", "platlib"))
MAX_LISTED_NAMES = 20  # names of what an object has, at most
MISSING_ARGUMENTS = re.compile(r"(\w+)\.__(?:new|init)__\(\) missing \d+ required \S+ arguments?: (.*)")


@contextmanager
def explain_user_errors(subject: str) -> Iterator[None]:
    """Say of an error whose innermost line of code is a user's: which function of theirs, where, and why.

    Parameters
    ----------
    subject : str
        What is checked, such as "method damped".

    Raises
    ------
    AssertionError
        In place of the error, which is its cause. What cdlab raises itself is a sentence already, and passes.
    """
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        place = _user_function(error)
        if place is None:
            raise
        raise AssertionError(f"{subject}: {place} fails: {_error_text(error)}") from error


def check_is_dataclass(kind: str, label: str, cls: type) -> None:
    """Refuse a class that inherits its base's fields and prints, compares and is made by them alone.

    Raises
    ------
    AssertionError
    """
    if "__dataclass_fields__" not in vars(cls):
        raise AssertionError(
            f"{kind} {label} is not a dataclass, so that parameters of its own are none: write @dataclass(frozen=True) "
            f"above class {cls.__name__}"
        )


def check_signatures(kind: str, label: str, cls: type, base: type) -> None:
    """Refuse a method that cannot be called as its base's is: without self, or with another number of arguments.

    Raises
    ------
    AssertionError
    """
    for name, meant in vars(base).items():
        own = inspect.getattr_static(cls, name)
        if name.startswith("_") or own is meant or not (inspect.isfunction(meant) and inspect.isfunction(own)):
            continue
        called = inspect.signature(meant).parameters
        try:
            inspect.signature(own).bind(*called)
        except TypeError:
            raise AssertionError(
                f"{kind} {label}: its {name} takes ({', '.join(inspect.signature(own).parameters)}) and is called with "
                f"({', '.join(called)}): write def {name}({', '.join(called)})"
            ) from None


def _user_function(error: BaseException) -> str | None:
    """The user's function that an error comes from, with its line; None if it comes from cdlab."""
    walked = [(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    walked = [(code, line) for code, line in walked if not _within(code, LIBRARIES)]
    if not walked or _within(walked[-1][0], (PACKAGE,)):
        return None
    code, line = walked[-1]
    return f"{code.co_qualname.rpartition('<locals>.')[2]} ({Path(code.co_filename).name}, line {line})"


def _within(code: CodeType, folders: tuple[Path, ...]) -> bool:
    return any(Path(code.co_filename).is_relative_to(folder) for folder in folders)


def _error_text(error: BaseException) -> str:
    if isinstance(error, AttributeError) and error.name is not None:
        kind = base_name(type(error.obj))
        has = [name for name in dir(error.obj) if not name.startswith("_") and not hasattr(tuple, name)]
        listed = f"; it has {', '.join(has)}" if hasattr(error.obj, "_fields") and len(has) <= MAX_LISTED_NAMES else ""
        return f"{kind} has no {error.name!r}{listed}{checks.did_you_mean(error.name, has)}"
    said = str(error).partition("\n")[0]
    made = MISSING_ARGUMENTS.search(said)
    if made is not None:
        return f"{made[1]} is made without {made[2]}, which it needs"
    return f"{type(error).__name__}: {said}"
