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
from ...methods.listing import stepping_side
from ...problems.problem import Problem
from ...runs.entries import resolve_entry
from ...samplings import SAMPLINGS, BySize, Sampling
from ...samplings.partitions import POWERS
from ..visitor_limits import limits
from .data_sources import FAMILIES, SYNTHETIC, UPLOAD, at_hand, data_call, load_data
from .uploads import Upload

NOBODY = "none"  # This value of `against` means that nobody runs a second time.
TARGET = 1e-6  # Runs are judged by this relative gap, unless another one is chosen.
WITH_GAMMA = tuple(
    name for name, loss in losses.LOSSES.items() if "gamma" in getattr(loss, "_fields", ()) and loss().gamma > 0
)
ENTRY = re.compile(r"(?P<method>\w+)(\((?P<batch>\d{1,9})\))?(@(?P<sampling>\w+))?")
MOST_ENTRIES = 6
ANY_BLOCK = "tau_nice"  # This value of `blocks` is what a batch size alone draws.


class Contestant(NamedTuple):
    """An entry of a race."""

    asked: str  # as in `methods`
    label: str  # as the page names it: the method, and what tells it from the other entries
    method: Method
    sampling: Sampling

    @property
    def side(self) -> str:
        """The side on whose coordinates it steps; "full" for gradient methods, which step on all of w."""
        return stepping_side(METHODS[self.method.name])

    @property
    def draws(self) -> Sampling | None:
        """The sampling of its coordinates; None: it draws nothing."""
        return self.method.draws(self.sampling)


class Choices(param.Parameterized):
    """Every choice of a page, with its range; the defaults are those of a first visit."""

    data = param.Selector(
        default=SYNTHETIC,
        objects=[SYNTHETIC],
        check_on_set=False,  # what there is depends on the machine
        doc="synthetic: random data of the shape below; arrow, worst_primal, worst_dual: the extremes of the face-off; "
        "sun_ye: the worst for a fixed order; orthogonal: examples without a common feature; upload: a file of your "
        "own; or a real set.",
    )
    upload = param.String(
        "", doc="LIBSVM text, CSV or NPZ; the first two may be compressed (.gz, .bz2, .xz). Kept for this page only."
    )
    n = param.Integer(1000, bounds=(2, 100_000), doc="Rows of X.")
    d = param.Integer(200, bounds=(1, 100_000), doc="Columns of X.")
    density = param.Number(0.05, bounds=(0.0001, 1), doc="Share of the entries of X that are not zero; 1 is dense.")
    skew = param.Number(
        1.3,
        bounds=(0, 3),
        doc="Zipf exponent of how often features occur: 0 all alike, about 1 like the words of a language.",
    )
    row_spread = param.Number(0.0, bounds=(0, 3), doc="Standard deviation of the logarithm of the row norms.")
    condition = param.Number(
        1.0,
        bounds=(1, 1e6),
        doc="Condition number of the covariance of the features: above 1 some directions are much longer than others.",
    )
    noise = param.Number(
        0.1, bounds=(0, 10), doc="Standard deviation of the noise in the labels, relative to that of x'w."
    )
    corner = param.Number(1.0, bounds=(-1e6, 1e6), doc="The first entry of the first row.")
    column = param.Number(1.0, bounds=(-1e6, 1e6), doc="The rest of the first column.")
    row = param.Number(1.0, bounds=(-1e6, 1e6), doc="The rest of the first row.")
    correlation = param.Number(0.95, bounds=(0, 0.9999), doc="Inner product of each two examples, which have norm 1.")
    data_seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of made data and of samples of real ones.")
    scale = param.Selector(
        default="none",
        objects=["mean", "unit", "none"],
        doc="mean: X divided by its mean row norm; unit: every row has norm 1; none: as it is.",
    )
    loss = param.Selector(default="logistic", objects=list(losses.LOSSES), doc="phi in the mean of phi(x_i'w, y_i).")
    gamma = param.Number(1.0, bounds=(1e-6, 1e6), doc="The loss is 1/gamma-smooth; smaller is closer to a kink.")
    quantile = param.Number(0.5, bounds=(0.001, 0.999), doc="Of the pinball loss: the share of labels below x'w.")
    l2 = param.Number(1.0, bounds=(0, 1e12), doc="Weight of (1/2)||w||^2.")
    l2_over_n = param.Boolean(True, doc="Divide the L2 weight by n: l2 = 1/n is the usual scale.")
    l1 = param.Number(0.0, bounds=(0, 1e12), doc="Weight of ||w||_1: above 0 the solution is sparse.")
    methods = param.List(default=["rcd", "sdca"], item_type=str, doc="Who takes part in the race.")
    dual_sampling = param.Selector(
        default="uniform", objects=list(SAMPLINGS), doc="How dual and stochastic gradient methods draw examples."
    )
    primal_sampling = param.Selector(
        default="uniform", objects=list(SAMPLINGS), doc="How primal methods draw features."
    )
    against = param.Selector(
        default=NOBODY,
        objects=[NOBODY, *SAMPLINGS],
        doc="Each method runs a second time, with this sampling, to compare.",
    )
    batch = param.Integer(
        1,
        bounds=(1, 1000),
        doc="Coordinates updated at once by methods that take a batch_size; 1: one after another.",
    )
    blocks = param.Selector(
        default=ANY_BLOCK,
        objects=[ANY_BLOCK, "independent", "bucket", "distributed"],
        doc="How a batch is drawn. tau_nice: each batch equally likely, and by importance one line of each of so many "
        "buckets; independent: every line by its own coin; bucket: one line of each bucket; distributed: some lines of "
        "each machine. Coins and buckets follow a sampling that is uniform, importance or lipschitz.",
    )
    passes = param.Integer(600, bounds=(1, 100_000), doc="A run ends after so many passes over the nonzeros of X.")
    tol = param.Number(
        TARGET,
        bounds=(0, 1),
        doc="The relative duality gap at which a run ends and by which all runs are judged; 0: runs end at the pass "
        "limit, and are judged by a gap of 1e-6.",
    )
    seed = param.Integer(0, bounds=(0, 2**32 - 1), doc="Of the drawn coordinates: same seed, same curves.")
    seeds = param.Integer(5, bounds=(1, 20), doc="Runs of each method, with the seeds seed, seed + 1 and so on.")
    intercept = param.Boolean(False, doc="A weight that every example has and nothing penalises.")
    positive = param.Boolean(False, doc="All weights are at least 0.")
    sample = param.Integer(0, bounds=(0, None), doc="So many random examples of a real data set; 0: all of them.")

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
        """The digest of all choices but the number of draws, which changes nothing but how often a race is run."""
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
        """The loss of this name, with the chosen smoothing or quantile if it has one."""
        chosen = {"gamma": self.gamma} if name in WITH_GAMMA else {}
        return losses.LOSSES[name](**chosen | ({"quantile": self.quantile} if name == "pinball" else {}))

    @property
    def lower(self) -> float | None:
        """The lower bound of all weights."""
        return 0.0 if self.positive else None

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
        names = ["data", "scale", "loss", "gamma", "quantile", "l2", "l2_over_n", "l1", "intercept", "positive"]
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
        return Problem(X, y, loss=loss, l2=l2, l1=self.l1, intercept=self.intercept, lower=self.lower)

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
            name, digest, *_ = [*self.upload.split(":"), ""]
            asked = f"{name} (SHA-256 {digest}), which was open in another page" if name else "a file of your own"
            raise ValueError(f"these choices are about {asked}: choose the file under Data")
        return self.file.X, self.file.y

    # ------------------------------------------------------------ the race
    def contestants(self) -> list[Contestant]:
        """The entries of the race, in order; also those that do not fit the problem."""
        made = {}
        twice = [f"{asked}@{self.against}" for asked in self.methods if self.against != NOBODY and "@" not in asked]
        for asked in [*self.methods, *twice]:
            method, sampling = resolve_entry(self.entry(asked))
            size, drawn = lines_at_once(method, sampling), method.draws(sampling)
            name = method.name if size == 1 else f"{method.name}({size})"
            made.setdefault((name, drawn and drawn.name), (asked, method, sampling))
        names = [name for name, _ in made]
        return [
            Contestant(asked, name if names.count(name) == 1 or drawn is None else f"{name}, {drawn}", method, sampling)
            for (name, drawn), (asked, method, sampling) in made.items()
        ]

    def entry(self, asked: str) -> tuple[str, dict[str, Any]]:
        """An entry as `cdlab.race` takes it."""
        name, batch, sampling = parse_entry(asked)
        if not draws_coordinates(METHODS[name]()):
            return name, {}
        own = self.dual_sampling if METHODS[name].side == "dual" else self.primal_sampling
        size, by = batch or (self.batch if takes_batches(name) else 1), sampling or own
        if size > 1 and self.blocks != ANY_BLOCK and by in POWERS:
            return name, {"sampling": BySize(self.blocks, size, by)}
        return name, {"sampling": by} | ({"batch_size": size} if size > 1 else {})

    def draws(self, count: int | None = None) -> list[int]:
        """The seeds of the runs of each entry."""
        return list(range(self.seed, self.seed + (count or self.seeds)))


@lru_cache(4)
def _test_part(data: str, scale: str) -> tuple[Any, Any]:
    """Kept for the next race, and shared by all pages; nobody writes into it."""
    return datasets.load(data, split="test", scale=scale)


NAMES = tuple(name for name in Choices.param.objects() if name != "name")


def number_ranges() -> dict[str, list[float | None]]:
    """The least and the largest value of each choice that is a number."""
    parameters = Choices.param.objects()
    return {name: list(each.bounds) for name, each in parameters.items() if isinstance(each, param.Number)}


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


def lines_at_once(method: Method, sampling: Sampling) -> int:
    """The size of a batch; 1 where there is none."""
    return sampling.size if isinstance(sampling, BySize) else getattr(method, "batch_size", None) or 1


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
    try:
        choices = Choices(**numbers)
    except (ValueError, TypeError) as error:  # of param, for entries of lists
        raise ValueError(_without_code(error)) from None
    choices.file = file
    return choices


def _as_number(parameter: param.Parameter, value: Any) -> Any:
    """A whole number that JSON has made a float, as an integer."""
    whole = isinstance(parameter, param.Integer) and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value


def _without_code(error: ValueError | TypeError) -> str:
    """The sentence of param about a value that it refuses, without the names of the code and without long lists.

    >>> _without_code(ValueError("Integer parameter 'Choices.n' must be at most 100, not 101."))
    'n must be at most 100, not 101'
    """
    first = str(error).splitlines()[0].partition("; valid options")[0].rstrip(".").replace("NoneType", "nothing")
    return re.sub(r"<class '(\w+)'>", r"\1", re.sub(r"^\w+ parameter '\w+\.(\w+)'", r"\1", first))[:200]
