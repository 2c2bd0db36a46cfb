"""A race as the dashboard shows it: its choices, its curves with their bounds, and the theory's prediction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...plots import Guarantee
from ...runs.limits import Status
from ...runs.trace import Trace
from ..choices.choices import Choices
from .growing import Growing
from .story import Outcome, Prediction, labels, outcome


@dataclass
class Lane:
    """One run of a race: a method with one seed.

    Attributes
    ----------
    label, side : str
    seed : int
    guarantee : Guarantee or None
        The bound along the run.
    note : str
        Why there is no guarantee; else empty.
    trace : Growing
        Grows while the run goes on.
    status : str
        How the run ended; empty while it goes on or has not begun.
    """

    label: str
    side: str
    seed: int
    guarantee: Guarantee | None = None
    note: str = ""
    trace: Growing = field(default_factory=Growing)
    status: str = ""


@dataclass
class Result:
    """A race, running or finished: a lane for each method and seed, in the order of `cdlab.race`.

    Attributes
    ----------
    choices : Choices
    lanes : list of Lane
    prediction : Prediction
    guess : str
        Who was thought to win, before the race: "primal", "tie", "dual", or empty.
    """

    choices: Choices
    lanes: list[Lane]
    prediction: Prediction
    guess: str = ""

    @property
    def traces(self) -> list[Trace]:
        return [lane.trace for lane in self.lanes]

    @property
    def running(self) -> bool:
        return any(not lane.status for lane in self.lanes)

    @property
    def methods(self) -> dict[str, list[Lane]]:
        """The lanes of each method, by its label: one a seed."""
        labels = dict.fromkeys(lane.label for lane in self.lanes)
        return {label: [lane for lane in self.lanes if lane.label == label] for label in labels}

    def now(self) -> Result:
        """The race as it is now, which does not grow: for one look at it that is consistent."""
        still = [replace(lane, trace=lane.trace.now()) for lane in self.lanes]
        return Result(self.choices, still, self.prediction, self.guess)

    def compared(self) -> list[Lane]:
        """The lanes that can be compared: those of the seeds that every method has run, at first of the first seed."""
        seeds = {lane.seed: [other for other in self.lanes if other.seed == lane.seed] for lane in self.lanes}
        whole = [lanes for lanes in seeds.values() if all(lane.status not in ("", Status.STOPPED) for lane in lanes)]
        return [lane for lanes in (whole or list(seeds.values())[:1]) for lane in lanes]

    def outcome(self) -> Outcome:
        """The best run of each side: of those that the bounds compare, or if a side has none of these, of all."""
        lanes, told = self.compared(), labels(self.choices)
        ran = {which: [lane.label for lane in lanes if lane.side == which] for which in told}
        of = {which: [label for label in ran[which] if label in told[which]] for which in told}
        running = any(not lane.status for lane in lanes)
        return outcome([lane.trace for lane in lanes], self.choices.target, of if all(of.values()) else ran, running)

    def sentence(self) -> str:
        """The prediction beside the outcome."""
        return f"{self.prediction.sentence()} {self.outcome().sentence(self.prediction)}"
