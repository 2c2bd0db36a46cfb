"""Answers as JSON."""

from __future__ import annotations

import json
from typing import Any


def to_json(value: Any) -> str:
    """An answer, or a list of them. `dataclasses.asdict` would copy every number of every list first."""
    return json.dumps(value, default=vars, allow_nan=False, ensure_ascii=False)
