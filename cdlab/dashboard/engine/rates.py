"""`rates`: exact rates of entries in an order, of which no theorem here speaks, beside those of uniform draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...numerics.written_numbers import number
from .choices import Choices, Contestant
from .predicting import racing
from .problems import PreparedProblem, RecentResults, prepared
from .schema import Rates
from .sentences import sentence_of

if TYPE_CHECKING:
    from ...exact_rates import ExactRate

MOST_COORDINATES = 200  # rates of so many take a few seconds
MOST_FEATURES = 500  # of a problem whose solution is computed for them

_rates = RecentResults(100)


class OrderRate(NamedTuple):
    """The rate of an entry in its order, and with uniform draws."""

    own: ExactRate
    uniform: ExactRate

    @property
    def how(self) -> str:
        """By which computation the rate is known, and where it holds."""
        computed = sentence_of("rate.estimate" if self.own.how == "simulated" else "rate.exact", {})
        return computed + (sentence_of("rate.local", {}) if self.own.local else "")

    @property
    def sentence(self) -> str:
        numbers = {"passes": number(self.own.passes), "uniform": number(self.uniform.passes)}
        return sentence_of("rate", {"how": self.how, **numbers})


def rates(choices: Choices) -> Rates:
    """The rates of the entries that race in an order.

    Raises
    ------
    ValueError, OSError
        As `racing` and `Choices.problem`.
    """
    entries, about = racing(choices), prepared(choices)
    found = {entry.label: rate for entry in entries if (rate := order_rate(choices, about, entry)) is not None}
    words = {label: rate.sentence for label, rate in found.items()}
    return Rates(choices.digest, words, {label: float(rate.own.passes) for label, rate in found.items()})


def order_rate(choices: Choices, about: PreparedProblem, entry: Contestant) -> OrderRate | None:
    """The rates of an entry; None for draws of which theorems speak, and where no rate is known within seconds."""
    problem, draws = about.problem, entry.draws
    if draws is None or draws.has_theorem or problem.d > MOST_FEATURES:
        return None
    if problem.coordinates(entry.method.side).m > MOST_COORDINATES:
        return None

    def work() -> OrderRate | None:
        from ...exact_rates import exact_rate

        try:
            return OrderRate(*(exact_rate(problem, entry.method, each) for each in (draws, "uniform")))
        except ValueError:  # none is known
            return None

    return _rates.get((choices.problem_key(), entry.method, draws), work)


def rate_table(choices: Choices, about: PreparedProblem, entries: Sequence[Contestant]) -> dict[str, Any]:
    """A table of the rates of entries in an order."""
    found = [(entry.label, order_rate(choices, about, entry)) for entry in entries]
    rows = [[label, rate.own.passes, rate.uniform.passes, rate.how] for label, rate in found if rate is not None]
    head = ["entry", "passes", "with uniform draws", "known"]
    return {"title": "Exact rates in an order: passes per factor e of the mean error", "head": head, "rows": rows}
