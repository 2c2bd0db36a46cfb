"""Limits on the work of one server for its visitors, so that none of them keeps the machine from the others."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields

ENVIRONMENT = "CDLAB_"  # This stands before the name of a limit, as in CDLAB_SESSIONS=100 panel serve.


@dataclass(frozen=True)
class VisitorLimits:
    """The limits of the server of this process.

    Attributes
    ----------
    sessions : int
        Pages open at once.
    entries : float
        Numbers that a data set may store: 12 bytes each in a sparse one.
    upload : float
        Megabytes of an uploaded file.

    Raises
    ------
    ValueError
        If one of them is not above 0, or is above 1e12.
    """

    sessions: int = 40
    entries: float = 2e7
    upload: float = 50.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 < value <= 1e12:
                raise ValueError(f"the limit on {name} must be a number above 0, at most 1e12, not {value!r:.60}")

    def check_entries(self, count: float, what: str, advice: str) -> None:
        """Raise ValueError, in words for the visitor, if data of so many stored numbers are too large."""
        if count > self.entries:
            raise ValueError(
                f"{what} would store {count:.2g} numbers; this dashboard takes at most {self.entries:.2g}: {advice}"
            )

    def check_upload(self, size: int, how: str = "") -> None:
        """Raise ValueError, in words for the visitor, if a file of so many bytes is too large."""
        if size > 1e6 * self.upload:
            raise ValueError(
                f"the file has {size / 1e6:.3g} MB{how}; this dashboard takes at most {self.upload:.3g} MB: "
                "take a part of the rows, or start a dashboard of your own with a higher limit (cdlab serve --upload)"
            )


def from_environment() -> VisitorLimits:
    """The limits that the environment asks for: CDLAB_SESSIONS, CDLAB_ENTRIES, CDLAB_UPLOAD; else the defaults.

    Raises
    ------
    ValueError
        If one of them is not a number above 0.
    """
    asked = {}
    for field in fields(VisitorLimits):
        name = ENVIRONMENT + field.name.upper()
        if text := os.environ.get(name):
            try:
                asked[field.name] = type(field.default)(text)
            except ValueError:
                raise ValueError(f"the environment variable {name} must be a number, not {text!r}") from None
    return VisitorLimits(**asked)


_limits: VisitorLimits | None = None


def limits() -> VisitorLimits:
    """The limits of this process: those given to `set_limits`, else those of the environment."""
    return _limits or from_environment()


def set_limits(**values: float) -> None:
    """Set some limits for this process; the others stay those of the environment.

    Raises
    ------
    ValueError
        If one of them is not above 0.
    """
    global _limits
    asked = VisitorLimits(**asdict(from_environment()) | values)  # checked also where the environment alone asks
    _limits = asked if values else None
