"""The choices of a person: the problem and the race that they describe. No widget in sight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import datasets, losses
from ...methods import METHODS
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ...samplings import Uniform
from ..words import sentence
from . import address, misfits
from .data_sources import FAMILIES, SYNTHETIC, UPLOAD, at_hand, load_data
from .sliders import NOBODY, TARGET, Parameters
from .uploads import Upload

__all__ = ["SYNTHETIC", "UPLOAD", "WITH_GAMMA", "Choices", "at_hand"]

WITH_GAMMA = [name for name, loss in losses.LOSSES.items() if "gamma" in getattr(loss, "_fields", ())]
MOST_RECORDS = 300_000  # that a page keeps, of all its races together: 0.3 kB each


class Choices(Parameters):
    """Every choice of a page."""

    def __init__(self, **values: Any):
        super().__init__()
        self._file: Upload | None = None
        self.param.data.objects = [*FAMILIES, UPLOAD, *at_hand()]  # they depend on the machine and on CDLAB_DATA
        self.param.update(**values)

    # ------------------------------------------------------------ as plain values
    def values(self) -> dict[str, Any]:
        """Name and value of every choice."""
        return {name: value for name, value in self.param.values().items() if name != "name"}

    def copy(self) -> Choices:
        """The same choices, which later changes do not touch."""
        copy = Choices(**self.values())
        copy._file = self._file
        return copy

    def to_query(self) -> dict[str, str]:
        """The choices that differ from their defaults, as the text of an address."""
        told = address.written(self)
        if self.data != UPLOAD:
            told.pop("upload", None)  # a file that the race is not on
        return told

    def from_query(self, query: Mapping[str, str]) -> list[str]:
        """Take over the choices of an address, all at once; one sentence for each that could not be taken."""
        values, complaints = address.read(self, query)
        self.param.update(**values)
        return complaints

    # ------------------------------------------------------------ a file of the visitor's
    def take(self, file: Upload) -> None:
        """Race on this file."""
        self._file = file
        self.param.update(data=UPLOAD, upload=file.key)

    @property
    def file(self) -> Upload | None:
        """The file that `upload` names, if this page has it."""
        return self._file if self._file is not None and self._file.key == self.upload else None

    def uploaded_labels(self) -> np.ndarray | None:
        """The labels of the file, if that is what the race is on."""
        return self.file.y if self.data == UPLOAD and self.file is not None else None

    def uploaded_data(self) -> tuple[Any, np.ndarray]:
        """X and y of the file."""
        if self.file is None:
            name, _, digest = self.upload.partition(":")
            asked = f"{name} (SHA-256 {digest}), which was open in another page" if name else "a file of your own"
            raise ValueError(f"these choices are about {asked}: choose the file under Data")
        return self.file.X, self.file.y

    # ------------------------------------------------------------ what they describe
    @property
    def classification(self) -> bool:
        return self.loss_named(self.loss).classification

    def problem(self) -> Problem:
        """Load or make the data and build the problem.

        Raises
        ------
        ValueError, OSError
            In a sentence for the reader: data too large, labels that do not fit the loss, a file that is damaged.
        """
        X, y = load_data(self)
        return Problem(X, y, loss=self.loss_named(self.loss), l2=self.l2_for(X.shape[0]), l1=self.l1)

    def problem_key(self) -> tuple:
        """Equal for choices that describe the same problem."""
        names = ["data", "scale", "loss", "gamma", "l2", "l2_over_n", "l1"]
        names += FAMILIES[self.data].asks if self.data in FAMILIES else ["upload"] if self.data == UPLOAD else []
        return (self.file is not None, *(getattr(self, name) for name in names))

    def shape(self) -> tuple[int, int]:
        """n and d, known before the data are."""
        if self.data == UPLOAD and self.file is not None:
            return self.file.X.shape
        if self.data in FAMILIES:
            return self.n, self.d if "d" in FAMILIES[self.data].asks else self.n
        if self.data == UPLOAD:  # and the file is not here
            return self.n, self.d
        known = datasets.describe(self.data)
        return known.n, known.d

    def loss_named(self, name: str) -> losses.Loss:
        """The loss of this name, with the chosen smoothing if it has one."""
        return losses.LOSSES[name](gamma=self.gamma) if name in WITH_GAMMA else losses.LOSSES[name]()

    def l2_for(self, n: int) -> float:
        """The L2 weight, given n."""
        return self.l2 / n if self.l2_over_n else self.l2

    # ------------------------------------------------------------ the race
    def entries(self) -> list[Entry]:
        """The entries of the race: the runs of the chosen methods that fit.

        Raises
        ------
        ValueError
            If none does, with the methods' own reasons.
        """
        problem = misfits.stand_in(self)
        runs = [entry for name in self.methods for entry in self.variants(name) if not misfits.refusal(problem, entry)]
        if not runs:
            refusals = self.refusals()
            reasons = [sentence(refusals[name]) for name in self.methods]
            raise ValueError(" ".join(["No method can run.", *(reasons or ["Choose at least one."])]))
        kept: dict[str, Entry] = {}
        for entry in runs:  # methods that do not sample run once
            kept.setdefault(label_of(*entrant(entry)), entry)
        return list(kept.values())

    @property
    def target(self) -> float:
        """The relative gap by which the runs are judged, everywhere: the tolerance, or TARGET where it is 0."""
        return self.tol or TARGET

    def every(self) -> int:
        """How many epochs lie between two measurements: 1, or more in a race so long that it would fill the memory."""
        return max(1, math.ceil(self.passes * self.seeds * len(self.entries()) / MOST_RECORDS))

    def variants(self, method: str) -> list[Entry]:
        """With the sampling of its side, and with the one to compare it with; a method that draws nothing, once."""
        if not draws(method):
            return [(method, {})]
        names = [self.sampling(method)] + ([self.against] if self.against != NOBODY else [])
        return [self.entry(method, name) for name in dict.fromkeys(names)]

    def entry(self, method: str, sampling: str) -> Entry:
        """A method with a sampling if it draws, and the batch size if it takes one."""
        if not draws(method):
            return method, {}
        batch = {"batch_size": self.batch} if self.batch > 1 and takes_batches(method) else {}
        return method, {"sampling": sampling} | batch

    def sampling(self, method: str) -> str:
        """The sampling chosen for the side of this method."""
        return self.dual_sampling if METHODS[method].side == "dual" else self.primal_sampling

    def refusals(self) -> dict[str, str]:
        """The methods that do not fit loss, weights and sampling, each with the sentence that `solve` would give."""
        return misfits.method_refusals(self, misfits.stand_in(self))

    def all_seeds(self) -> list[int]:
        """What each method runs with."""
        return list(range(self.seed, self.seed + self.seeds))


def draws(method: str) -> bool:
    """Whether it draws coordinates at all."""
    return METHODS[method]().draws(Uniform()) is not None


def takes_batches(method: str) -> bool:
    return "batch_size" in METHODS[method].__dataclass_fields__
