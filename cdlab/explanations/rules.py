"""The thresholds, counterparts and templates of rules.json, which the page without Python reads, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("rules.json")
_read: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))

THRESHOLDS: dict[str, float] = _read["thresholds"]
COUNTERPARTS: dict[str, dict[str, str]] = _read["counterparts"]  # of each cause: method -> the one without it
EXACT_STEPS: list[str] = _read["exact steps"]  # methods that take them, as rcd does on the squared loss
TEMPLATES: dict[str, str] = _read["templates"]
