"""What a person can choose, and the problem and the race that the choices describe. No widget in sight."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import param

from .. import datasets, losses
from ..datasets.scaling import divide_rows, row_norms
from ..methods import METHODS
from ..problem import Problem
from ..racing import Entry, entrant
from ..running import check
from ..samplings import SAMPLINGS

SYNTHETIC = "synthetic"
AT_HAND = ("bundled", "CDLAB_DATA", "cache")  # what needs no download
MOST_ENTRIES = 2e7  # of a synthetic matrix, stored: 240 MB as CSR
WITH_GAMMA = [name for name, loss in losses.LOSSES.items() if "gamma" in getattr(loss, "_fields", ())]


class Choices(param.Parameterized):
    """Every choice of the sidebar; each is a Parameter with its range, a label and a sentence that explains it."""

    data = param.Selector(
        default=SYNTHETIC,
        objects=[SYNTHETIC],
        label="Data",
        doc="Random data of the shape below, or a real set.",
    )
    n = param.Integer(1000, bounds=(2, 100_000), label="Examples n", doc="Rows of X.")
    d = param.Integer(200, bounds=(1, 100_000), label="Features d", doc="Columns of X.")
    density = param.Number(
        0.05, bounds=(0.0001, 1), label="Density", doc="Share of the entries of X that are not zero; 1 is dense."
    )
    skew = param.Number(
        1.0,
        bounds=(0, 3),
        label="Skew of the columns",
        doc="Zipf exponent of how often features occur: 0 all alike, about 1 like the words of a language.",
    )
    row_spread = param.Number(
        0.0, bounds=(0, 3), label="Spread of the row norms", doc="Standard deviation of the logarithm of the row norms."
    )
    noise = param.Number(
        0.1, bounds=(0, 10), label="Noise in the labels", doc="Its standard deviation, relative to that of x'w."
    )
    data_seed = param.Integer(0, bounds=(0, 2**32 - 1), label="Seed of the data", doc="The same seed, the same data.")
    scale = param.Selector(
        default="mean",
        objects=["mean", "unit", "none"],
        label="Scale of the rows",
        doc="mean: X divided by its mean row norm; unit: every row has norm 1; none: as it is.",
    )
    loss = param.Selector(
        default="smooth_hinge", objects=list(losses.LOSSES), label="Loss", doc="phi in the mean of phi(x_i'w, y_i)."
    )
    gamma = param.Number(
        1.0, bounds=(1e-6, 1e6), label="Smoothing gamma", doc="The loss is 1/gamma-smooth; smaller is closer to a kink."
    )
    l2 = param.Number(1.0, bounds=(0, 1e12), label="L2 weight", doc="Of (1/2)||w||^2.")
    l2_over_n = param.Boolean(True, label="times 1/n", doc="Divide the L2 weight by n: l2 = 1/n is the usual scale.")
    l1 = param.Number(0.0, bounds=(0, 1e12), label="L1 weight", doc="Of ||w||_1: above 0 the solution is sparse.")
    dual_sampling = param.Selector(
        default="importance", objects=list(SAMPLINGS), label="Sampling, dual", doc="How dual methods draw examples."
    )
    primal_sampling = param.Selector(
        default="importance", objects=list(SAMPLINGS), label="Sampling, primal", doc="How primal methods draw features."
    )
    methods = param.ListSelector(
        default=["sdca", "quartz", "rcd"], objects=list(METHODS), label="Methods", doc="Who takes part in the race."
    )
    passes = param.Integer(
        200, bounds=(1, 100_000), label="Most passes", doc="A run ends after so many passes over the nonzeros of X."
    )
    tol = param.Number(
        1e-8,
        bounds=(0, 1),
        label="Tolerance",
        doc="A run ends at this relative duality gap; 0: at the pass limit.",
    )
    seed = param.Integer(
        0, bounds=(0, 2**32 - 1), label="Seed", doc="Of the drawn coordinates: same seed, same curves."
    )

    def __init__(self, **values: Any):
        super().__init__()
        self.param.data.objects = [SYNTHETIC, *at_hand()]  # they depend on the machine and on CDLAB_DATA
        self.param.update(**values)

    # ------------------------------------------------------------ as plain values
    def values(self) -> dict[str, Any]:
        """Name and value of every choice."""
        return {name: value for name, value in self.param.values().items() if name != "name"}

    def copy(self) -> Choices:
        """The same choices, which later changes do not touch."""
        return Choices(**self.values())

    def to_query(self) -> dict[str, str]:
        """The choices that differ from their defaults, as the text of an address."""
        default = {name: self.param[name].default for name in self.values()}
        return {name: _text(value) for name, value in self.values().items() if value != default[name]}

    def from_query(self, query: Mapping[str, str]) -> list[str]:
        """Take over the choices of an address, all at once; one sentence for each that could not be taken."""
        taken, complaints = {}, []
        for name, text in query.items():
            try:
                if name not in self.values():
                    raise ValueError("there is no such choice")
                value = self._parsed(name, text)
                Choices(**{name: value})  # param checks the range
                taken[name] = value
            except ValueError as error:
                complaints.append(f"The address asks for {name}={text}, which was left out: {_brief(error)}.")
        self.param.update(**taken)
        return complaints

    def _parsed(self, name: str, text: str) -> Any:
        kind = self.param[name]
        if isinstance(kind, param.Boolean):
            if text not in ("yes", "no"):
                raise ValueError("it must be yes or no")
            return text == "yes"
        if isinstance(kind, param.ListSelector):
            return text.split(",") if text else []
        if isinstance(kind, param.Selector):
            return text
        try:
            return int(text) if isinstance(kind, param.Integer) else float(text)
        except ValueError:
            raise ValueError(f"it must be a {'whole ' if isinstance(kind, param.Integer) else ''}number") from None

    # ------------------------------------------------------------ what they describe
    @property
    def classification(self) -> bool:
        return self._loss().classification

    def problem(self) -> Problem:
        """Load or make the data and build the problem.

        Raises
        ------
        ValueError, OSError
            In a sentence for the reader: data too large, labels that do not fit the loss, a file that is damaged.
        """
        X, y = self._synthetic() if self.data == SYNTHETIC else datasets.load(self.data, scale=self.scale)
        return Problem(X, y, loss=self._loss(), l2=self._l2(X.shape[0]), l1=self.l1)

    def problem_key(self) -> tuple:
        """Equal for choices that describe the same problem."""
        synthetic = ("n", "d", "density", "skew", "row_spread", "noise", "data_seed")
        names = ["data", "scale", "loss", "gamma", "l2", "l2_over_n", "l1"]
        names += synthetic if self.data == SYNTHETIC else ()
        return tuple(getattr(self, name) for name in names)

    def entries(self) -> list[Entry]:
        """The entries of the race: the chosen methods that fit.

        Raises
        ------
        ValueError
            If none does, with the methods' own reasons.
        """
        refusals = self.refusals()
        fitting = [(name, {"sampling": self.sampling(name)}) for name in self.methods if name not in refusals]
        if not fitting:
            reasons = [f"{refusals[name]}." for name in self.methods]
            raise ValueError(" ".join(["No method can run.", *(reasons or ["Choose at least one."])]))
        return fitting

    def sampling(self, method: str) -> str:
        """The sampling chosen for the side of this method."""
        return self.dual_sampling if METHODS[method].side == "dual" else self.primal_sampling

    def refusals(self) -> dict[str, str]:
        """The methods that do not fit loss, weights and sampling, each with the sentence that `solve` would give."""
        # whether a method fits is asked before any data are loaded: a problem with two examples stands in
        l2 = self._l2(self.n if self.data == SYNTHETIC else datasets.describe(self.data).n)
        stand_in = Problem([[1.0, 0.0], [0.0, 1.0]], [-1.0, 1.0], loss=self._loss(), l2=l2, l1=self.l1)
        reasons = {}
        for name in METHODS:
            try:
                check(stand_in, *entrant((name, {"sampling": self.sampling(name)})))
            except ValueError as error:
                reasons[name] = str(error)
        return reasons

    def _l2(self, n: int) -> float:
        return self.l2 / n if self.l2_over_n else self.l2

    def _loss(self) -> losses.Loss:
        kind = losses.LOSSES[self.loss]
        return kind(gamma=self.gamma) if self.loss in WITH_GAMMA else kind()

    def _synthetic(self):
        entries = self.n * self.d * (self.density if self.density < 0.3 else 1)
        if entries > MOST_ENTRIES:
            raise ValueError(
                f"{self.n} x {self.d} at density {self.density:g} would store {entries:.2g} numbers; "
                f"the dashboard takes at most {MOST_ENTRIES:.0e}: lower n, d or the density"
            )
        shape = {name: getattr(self, name) for name in ("n", "d", "density", "skew", "row_spread", "noise")}
        task = "classification" if self.classification else "regression"
        X, y = datasets.make(**shape, task=task, seed=self.data_seed)
        return _scaled(X, self.scale), y


@cache
def at_hand() -> tuple[str, ...]:
    """The real data sets that need no download, looked up once: it takes hundreds of questions to the file system."""
    return tuple(name for name, _, _, where in datasets.names() if where in AT_HAND)


def _scaled(X, scale: str):
    """X with its rows scaled, in place, as `datasets.load` does it for files."""
    if scale != "none":
        norms = row_norms(X)
        divisors = norms if scale == "unit" else np.full(norms.size, norms.mean())
        divide_rows(X, np.where(divisors > 0, divisors, 1.0))
    return X


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(value) if isinstance(value, list) else str(value)


def _brief(error: ValueError) -> str:
    return re.sub(r"^\w+ parameter 'Choices\.\w+'", "it", str(error).splitlines()[0].rstrip("."))
