"""The reasons why a run ends."""

from __future__ import annotations

import enum


class Status(enum.StrEnum):
    """The reason why a run ended: a text, equal to and printed as the plain one, and one of these."""

    TOLERANCE = "tolerance reached"
    PASS_LIMIT = "pass limit"
    TIME_LIMIT = "time limit"
    STOPPED = "stopped"
    DIVERGED = "diverged"
    GRADIENT_SMALL = "gradient small"

    __repr__ = str.__repr__  # tables, examples and messages show it as the text that it is


STATUSES = tuple(Status)
