"""The names by which JavaScript reads what Python writes, as names.d.ts declares them for both."""

import re
from pathlib import Path

DECLARED = Path(__file__).with_name("names.d.ts")


def read_by_javascript(kind: str) -> set[str]:
    """The names of a kind, "KernelName" or "RuleName"."""
    _, _, union = DECLARED.read_text(encoding="utf-8").partition(f"type {kind} =\n")
    return set(re.findall(r'"(\w+)"', union.partition("\n\n")[0]))
