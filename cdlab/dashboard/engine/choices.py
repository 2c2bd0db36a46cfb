"""The choices of a reader: the problem and the race that they describe.

An entry of `methods` is a method's name, with a batch size and a sampling of its own where it has them: "sdca",
"sdca@permutation", "quartz(32)", "quartz(32)@uniform".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import param

from ... import datasets, losses
from ...methods import METHODS, Method
from ...methods.base import draws_coordinates
from ...methods.listing import group_of
from ...problems.problem import Problem
from ...runs.entries import entrant
from ...samplings import SAMPLINGS, Sampling
from ..choices.data_sources import FAMILIES, SYNTHETIC, UPLOAD, at_hand, data_call, load_data
from ..choices.sliders import NOBODY, Parameters
from ..choices.uploads import Upload
from ..visitor_limits import limits

ADDRESS_VERSION = "2"  # an address without it was written for FORMER_DEFAULTS
FORMER_DEFAULTS = {name: parameter.default for name, parameter in Parameters.param.objects().items() if name != "name"}
WITH_GAMMA = tuple(name for name, loss in losses.LOSSES.items() if "gamma" in getattr(loss, "_fields", ()))
ENTRY = re.compile(r"(?P<method>\w+)(\((?P<batch>\d+)\))?(@(?P<sampling>\w+))?")
OF_GRADIENTS = ("Full gradient", "Stochastic gradient, not dual")
MOST_ENTRIES = 6


class Entrant(NamedTuple):
    """One entry of a race."""

    asked: str  # as in `methods`
    label: str  # as the page names it: the method, and what tells it from the other entries
    method: Method
    sampling: Sampling

    @property
    def side(self) -> str:
        return side_of(self.method.name)

    @property
    def drawn(self) -> Sampling | None:
        """What its coordinates are drawn from; None: it draws nothing."""
        return self.method.draws(self.sampling)


def side_of(name: str) -> str:
    """The side on whose coordinates a method steps; "full" for gradient methods, which step on all of w."""
    return "full" if group_of(METHODS[name]) in OF_GRADIENTS else METHODS[name].side


class Choices(Parameters):
    """Every choice of a page, with the defaults of a first visit."""

    data = param.Selector(default=SYNTHETIC, objects=[SYNTHETIC], check_on_set=False, label="Data")
    scale = param.Selector(default="none", objects=["none", "mean", "unit"])
    skew = param.Number(1.3)
    loss = param.Selector(default="logistic", objects=list(losses.LOSSES))
    methods = param.List(default=["rcd", "sdca"], item_type=str, label="Methods")
    primal_sampling = param.Selector(default="uniform", objects=list(SAMPLINGS))
    dual_sampling = param.Selector(default="uniform", objects=list(SAMPLINGS))
    passes = param.Integer(600)
    seeds = param.Integer(5)
    intercept = param.Boolean(False, label="Intercept", doc="A weight that every example has and nothing penalises.")
    sample = param.Integer(
        0, bounds=(0, None), label="Sample", doc="So many random examples of a real data set; 0: all of them."
    )

    def __init__(self, **values: Any):
        super().__init__(**values)
        self.file: Upload | None = None
        if self.data not in (*FAMILIES, UPLOAD, *at_hand()):  # which depends on the machine
            raise ValueError(f"there are no data {str(self.data)[:40]!r} here")
        for asked in self.methods:
            parse_entry(asked)
        if not 0 < len(self.methods) <= MOST_ENTRIES:
            raise ValueError(f"a race has 1 to {MOST_ENTRIES} entries, not {len(self.methods)}")

    def values(self) -> dict[str, Any]:
        """Name and value of every choice."""
        return {name: getattr(self, name) for name in NAMES}

    def but(self, **values: Any) -> Choices:
        """The same choices with some changed."""
        changed = Choices(**self.values() | values)
        changed.file = self.file
        return changed

    @property
    def digest(self) -> str:
        """Of all choices but the number of draws, which changes nothing but how often a race is run."""
        values = {name: value for name, value in self.values().items() if name != "seeds"}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

    # ------------------------------------------------------------ the problem
    @property
    def classification(self) -> bool:
        return losses.LOSSES[self.loss]().classification

    @property
    def target(self) -> float:
        return self.tol or self.param.tol.default

    def loss_named(self, name: str) -> losses.Loss:
        """The loss of this name, with the chosen smoothing if it has one."""
        return losses.LOSSES[name](gamma=self.gamma) if name in WITH_GAMMA else losses.LOSSES[name]()

    def l2_for(self, n: int) -> float:
        """The L2 weight, given n."""
        return self.l2 / n if self.l2_over_n else self.l2

    def shape(self) -> tuple[int, int]:
        """n and d, known before the data are."""
        if self.data == UPLOAD:
            return self.uploaded_data()[0].shape
        if self.data in FAMILIES:
            return self.n, self.d if "d" in FAMILIES[self.data].asks else self.n
        known = datasets.describe(self.data)
        return min(known.n, self.sample or known.n), known.d

    def problem_key(self) -> tuple[Any, ...]:
        """Equal for choices that describe the same problem."""
        names = ["data", "scale", "loss", "gamma", "l2", "l2_over_n", "l1", "intercept"]
        if self.data in FAMILIES:
            names += FAMILIES[self.data].asks
        else:
            names += ["upload"] if self.data == UPLOAD else ["sample", "data_seed"]
        return tuple(getattr(self, name) for name in names)

    def problem(self) -> Problem:
        """Load or make the data and build the problem.

        Raises
        ------
        ValueError, OSError
            In a sentence for the reader: data too large, labels that do not fit the loss, a file that is damaged.
        """
        X, y = self._sampled() if self.sample and self.data in at_hand() else load_data(self)
        loss, l2 = self.loss_named(self.loss), self.l2_for(X.shape[0])
        return Problem(X, y, loss=loss, l2=l2, l1=self.l1, intercept=self.intercept)

    def held_out(self) -> tuple[Any, Any] | None:
        """X and y of the test part of a real data set, scaled as the train part; None if there is none."""
        is_real = self.data in at_hand() and not self.sample
        return _test_part(self.data, self.scale) if is_real and datasets.describe(self.data).test else None

    def _sampled(self) -> tuple[Any, np.ndarray]:
        X, y = data_call(self)()
        rows = np.sort(np.random.default_rng(self.data_seed).permutation(X.shape[0])[: self.sample])
        limits().check_entries(X[rows].size, self.data, "take a smaller sample")
        return X[rows], y[rows]

    def uploaded_data(self) -> tuple[Any, np.ndarray]:
        """X and y of the file that `upload` names."""
        if self.file is None or self.file.key != self.upload:
            name, _, digest = self.upload.partition(":")
            asked = f"{name} (SHA-256 {digest}), which was open in another page" if name else "a file of your own"
            raise ValueError(f"these choices are about {asked}: choose the file under Data")
        return self.file.X, self.file.y

    # ------------------------------------------------------------ the race
    def entrants(self) -> list[Entrant]:
        """The entries of the race, in order; also those that do not fit the problem."""
        made = {}
        twice = [f"{asked}@{self.against}" for asked in self.methods if self.against != NOBODY and "@" not in asked]
        for asked in [*self.methods, *twice]:
            method, sampling = entrant(self.entry(asked))
            name = (
                method.name if getattr(method, "batch_size", 1) in (1, None) else f"{method.name}({method.batch_size})"
            )
            drawn = method.draws(sampling)
            made.setdefault((name, drawn and drawn.name), (asked, method, sampling))
        names = [name for name, _ in made]
        return [
            Entrant(asked, name if names.count(name) == 1 or drawn is None else f"{name}, {drawn}", method, sampling)
            for (name, drawn), (asked, method, sampling) in made.items()
        ]

    def entry(self, asked: str) -> tuple[str, dict[str, Any]]:
        """An entry as `cdlab.race` takes it."""
        name, batch, sampling = parse_entry(asked)
        if not draws_coordinates(METHODS[name]()):
            return name, {}
        own = self.dual_sampling if METHODS[name].side == "dual" else self.primal_sampling
        size = batch or (self.batch if takes_batches(name) else 1)
        return name, {"sampling": sampling or own} | ({"batch_size": size} if size > 1 else {})

    def draws(self, count: int | None = None) -> list[int]:
        """The seeds of the runs of each entry."""
        return list(range(self.seed, self.seed + (count or self.seeds)))


@lru_cache(4)
def _test_part(data: str, scale: str) -> tuple[Any, Any]:
    """Kept for the next race, and shared by all pages; nobody writes into it."""
    return datasets.load(data, split="test", scale=scale)


NAMES = tuple(name for name in Choices.param.objects() if name != "name")


def parse_entry(asked: str) -> tuple[str, int, str]:
    """Method, batch size (0: as chosen for all) and sampling ("": that of its side) of an entry of `methods`.

    >>> parse_entry("quartz(32)@uniform"), parse_entry("sdca")
    (('quartz', 32, 'uniform'), ('sdca', 0, ''))
    """
    found = ENTRY.fullmatch(asked)
    if not found or found["method"] not in METHODS:
        raise ValueError(
            f"there is no method {asked[:40]!r}: an entry is written like sdca, sdca@importance, quartz(32)"
        )
    if found["sampling"] and found["sampling"] not in SAMPLINGS:
        raise ValueError(f"there is no sampling {found['sampling'][:40]!r}: there are {', '.join(SAMPLINGS)}")
    if found["batch"] and not takes_batches(found["method"]):
        raise ValueError(f"{found['method']} takes no batches")
    return found["method"], int(found["batch"] or 0), found["sampling"] or ""


def takes_batches(name: str) -> bool:
    return "batch_size" in METHODS[name].__dataclass_fields__


def read(values: Mapping[str, Any], file: Upload | None = None) -> Choices:
    """Choices from what a page has sent.

    Raises
    ------
    ValueError
        Which of them cannot be, in words for the reader.
    """
    known = Choices.param.objects()
    if strange := [name for name in values if name not in known or name == "name"]:
        raise ValueError(f"there is no choice {strange[0][:40]!r}")
    numbers = {name: _as_number(known[name], value) for name, value in values.items()}
    choices = Choices(**numbers)
    choices.file = file
    return choices


def _as_number(parameter: param.Parameter, value: Any) -> Any:
    """A whole number that JSON has made a float, as an integer."""
    whole = isinstance(parameter, param.Integer) and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value
