"""The outcome of a claim's rule on one panel, as judges return it."""

from __future__ import annotations

from dataclasses import dataclass

from .claims import Outcome


@dataclass(frozen=True)
class PanelOutcome:
    """One panel of a claim.

    Attributes
    ----------
    panel : str
    cases : tuple of str
        Names of the cases whose runs entered.
    outcome : Outcome or None
        None where it was not judged.
    note : str
        The level it was judged at; why it was not judged.
    missing : bool
        Whether a run is missing, which may yet decide.
    in_verdict : bool
        False: only shown beside the others.
    """

    panel: str
    cases: tuple[str, ...]
    outcome: Outcome | None
    note: str = ""
    missing: bool = False
    in_verdict: bool = True

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds here; None where it is not decided."""
        return None if self.outcome is None else self.outcome.holds
