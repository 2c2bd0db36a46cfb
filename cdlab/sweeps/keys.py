"""The key of a run: what two runs share if and only if they give the same trace."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..numerics import checks
from ..numerics.digests import array_digest
from ..numerics.jit.structs import base_name
from ..numerics.json_numbers import to_json_number

DIGITS = 32


def key_of(data: str, settings: Mapping[str, Any], seed: int, numerics: str) -> str:
    """Thirty-two hexadecimal digits of the SHA-256 of four lines.

    Parameters
    ----------
    data : str
        The digest of X and y as the problem holds them.
    settings : mapping
        As `to_plain` writes them, with all defaults.
    seed : int
        That of the run.
    numerics : str
        The digest of the numerics.
    """
    lines = (data, canonical_json(settings), str(seed), numerics)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGITS]


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and without spaces; numbers by their shortest repr.

    Examples
    --------
    >>> canonical_json({"l2": 0.1, "l1": 0.0})
    '{"l1":0.0,"l2":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def with_floats(value: Any) -> Any:
    """A method, a sampling or a loss in which integers are floats wherever the field is declared as float.

    So 1 and 1.0 are one setting, and kernels see one type.

    Examples
    --------
    >>> from cdlab.losses import Huber
    >>> with_floats(Huber(gamma=1))
    Huber(gamma=1.0)
    """
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.init]
    elif hasattr(value, "_fields"):
        names = list(value._fields)
    else:
        return value
    kinds = {name: kind for cls in reversed(type(value).__mro__) for name, kind in inspect.get_annotations(cls).items()}
    changed = {}
    for name in names:
        given = getattr(value, name)
        if checks.is_integer(given) and re.search(r"\bfloat\b", str(kinds.get(name))):
            changed[name] = float(given)
    if not changed:
        return value
    return value._replace(**changed) if hasattr(value, "_fields") else replace(value, **changed)


def to_plain(value: Any) -> Any:
    """A setting as dicts, lists, texts and numbers, from which it could be told from any other.

    Raises
    ------
    TypeError
        If it holds something that has no such form.
    """
    if value is None or isinstance(value, str | bool):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.ndarray) and value.ndim:
        array = np.ascontiguousarray(value)
        return {"digest": array_digest(array, shape=array.shape), "shape": list(array.shape), "dtype": str(array.dtype)}
    if checks.is_integer(value):
        return int(value)
    if checks.is_number(value):
        return to_json_number(float(value))
    if isinstance(value, Mapping):
        return {str(name): to_plain(item) for name, item in value.items()}
    if hasattr(value, "_asdict"):
        return {**_class_and_name(value), **to_plain(value._asdict())}
    if is_dataclass(value) and not isinstance(value, type):
        return {**_class_and_name(value), **{f.name: to_plain(getattr(value, f.name)) for f in fields(value)}}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    raise TypeError(f"{checks.short_repr(value)} cannot be a setting of a sweep: it has no plain form")


def _class_and_name(value: Any) -> dict[str, str]:
    kind = base_name(type(value))
    return {"class": kind, "name": str(getattr(value, "name", kind))}
