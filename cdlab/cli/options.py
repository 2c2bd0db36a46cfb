"""The options that verbs share, with the names and defaults of the API, and the problem that they describe."""

# Without `from __future__ import annotations`: cyclopts reads annotations, also where another module derives a class.
# Docstrings here are templates of the help, filled in by commands.py: names in braces are those of this module, and
# "As `solve`." stands for what the docstring of that function says of the parameter.

import inspect
from dataclasses import KW_ONLY, asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from cyclopts import Parameter

from .. import datasets, regularizers
from ..datasets import libsvm
from ..datasets.catalogue import expand_home
from ..datasets.formats import is_table
from ..datasets.loading import feature_names
from ..datasets.parts import Loaded, widened
from ..datasets.scaling import mean_norm, row_norms
from ..losses import LOSSES, unweighted
from ..problems.box import WITHOUT
from ..problems.labels import make_label_map
from ..problems.problem import Problem
from ..runs.entries import MethodAndSampling, sampling_for
from ..runs.solving import solve
from . import values
from .output import VerbProgress, number
from .values import Columns, File, Integer, Limit, LossName, MethodName, Number, PerFeature, SamplingName, Weight

Column = Annotated[str | None, Parameter(metavar="COLUMN")]
ZeroBased = Annotated[libsvm.ZeroBased, Parameter(negative="--one-based", allow_repeating=False)]
Split = Literal["train", "test", "all"]
FEATURES = tuple(WITHOUT)  # options of each feature


def default(function: Any, name: str) -> Any:
    """The default of a parameter of an API function, so that the command line cannot differ from it."""
    return inspect.signature(function).parameters[name].default


@Parameter(name="*", group="the problem")
@dataclass(frozen=True)
class ProblemOptions:
    """A file, how it is read, the loss and the regulariser.

    Attributes
    ----------
    file
        A known data set (mushrooms), made data (synthetic:n=1000,d=50) or a file: LIBSVM text, CSV or TSV (label: the
        column y, label, target or class, else the last one), NPZ; may be compressed. cdlab data lists the known ones.
    label
        Column of a CSV or TSV FILE that is its label: a name, or a position from 0 (-1: the last); stderr tells which
        one was taken.
    drop
        Columns of a CSV or TSV FILE to leave out, as identifiers and dates: names or positions (default: none).
    offset
        Column of a CSV or TSV FILE, or array of an NPZ FILE, that is added to predictions (default: none).
    zero_based
        Whether indices of LIBSVM text start at 0 or at 1 (default: at 0 where one is 0; stderr tells of the other).
    loss
        {values.LOSS_NAMES}; parameters as in pinball:quantile=0.9.
    l2
        Weight of (1/2) ||w||^2: a number, or c/n such as 1/n.
    l1
        Weight of ||w||_1: a number, or c/n such as 1/n.
    intercept
        Predict x_i'w + b, with an unpenalised b.
    positive
        Keep all w_j >= 0: the same as --lower 0.
    lower, upper
        Bounds of the w_j: a number, one for each feature with commas, or a file of them (default: none).
    penalty_factor
        What l2 and l1 are multiplied by for each feature, in the same form.
    scale, split, dense, n_features
        As `datasets.load`.
    """

    file: File
    _: KW_ONLY
    label: Column = None
    loss: LossName = default(Problem, "loss")
    l2: Weight = str(default(Problem, "l2"))
    l1: Weight = str(default(Problem, "l1"))
    intercept: bool = default(Problem, "intercept")
    scale: Literal["none", "unit", "mean"] = "none"
    split: Split = "train"
    dense: Annotated[bool | None, Parameter(negative="--sparse", allow_repeating=False)] = None
    n_features: Integer | None = None
    drop: Columns = ()
    offset: Column = None
    positive: bool = False
    lower: PerFeature = None
    upper: PerFeature = None
    penalty_factor: PerFeature = None
    zero_based: ZeroBased = default(datasets.load, "zero_based")

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of FILE that are no features, as arguments of functions of `datasets`."""
        return {"label": self.label, "drop": self.drop, "offset": self.offset}

    @property
    def features(self) -> dict[str, Any]:
        """Bounds and penalty factors as `Problem` and estimators take them.

        Raises
        ------
        ValueError
            If a lower bound is given twice.
        """
        if self.positive and self.lower is not None:
            raise ValueError("--positive is --lower 0: leave one of them out")
        given = {name: getattr(self, name) for name in FEATURES}
        given["lower"] = "0" if self.positive else self.lower
        return {name: values.per_feature(text) for name, text in given.items() if text is not None}

    def load(self, progress: VerbProgress) -> tuple[Self, Problem]:
        """The options with what was taken where FILE does not say it, and the problem.

        Raises
        ------
        ValueError, OSError
            If the data cannot be read, or do not fit the loss or the weights.
        """
        taken, data = self.load_data(progress)
        return taken, taken.problem(data)

    def problem(self, data: Loaded) -> Problem:
        """The problem of these data."""
        l2, l1 = (regularizers.parse_weight(weight)(len(data.y)) for weight in (self.l2, self.l1))
        more = {"offset": data.offset, "intercept": self.intercept, **self.features}
        return Problem(*data, values.loss(self.loss), l2, l1, **more)

    def load_data(self, progress: VerbProgress) -> tuple[Self, Loaded]:
        """As `load`, but the data; stderr tells what was taken, as the column of a table that is the label.

        Raises
        ------
        ValueError, OSError
            If they cannot be read, or the labels do not fit the loss.
        """
        progress.show(f"reading {self.file}")
        data = datasets.load(
            self.file,
            split=self.split,
            n_features=self.n_features,
            scale=self.scale,
            dense=self.dense,
            zero_based=self.zero_based,
            **self.columns,
        )
        for sentence in data.taken:
            progress.say(sentence)
        column = self._label_column()
        try:
            known = make_label_map(data.y, values.loss(self.loss))
        except ValueError as error:  # a wrong column holds no classes
            hint = "" if column is None else f" (label: {column}; --label names another, such as --label 0)"
            raise ValueError(f"{error}{hint}") from None
        signs = {value: label for label, value in known.items()} if known and len(known) == 2 else {}
        words = [] if column is None else [column]
        is_renamed = {-1.0, 1.0} <= signs.keys() and signs[1.0] != 1.0
        if is_renamed and (column or isinstance(signs[1.0], str)):
            words.append(f"+1 is {signs[1.0]!r}, -1 is {signs[-1.0]!r}")
        if words:
            progress.say(f"label: {', '.join(words)}")
        return replace(self, zero_based=data.zero_based), data

    def load_test(self, test: str | None, problem: Problem) -> tuple[Any, ...] | None:
        """The test data (X, y, offset) that --test names, scaled as the training data; None without --test.

        Raises
        ------
        ValueError, OSError
            If they cannot be read, or do not belong to the training data.
        """
        if test is None:
            return None
        own = test == self.file
        if own and self.split != "train":
            raise ValueError(
                f"--split {self.split} trains on the test part of {self.file}; name other data with --test"
            )
        if not own and self.scale == "mean":
            raise ValueError(
                f"--scale mean divides by the mean row norm of {self.file}, which {test} does not know: "
                f"use --scale unit or none, or --test {self.file} for its own test part"
            )
        columns = self.columns if own or is_table(expand_home(test)) else {"offset": self.offset}
        X, y = data = datasets.load(
            test, split="test" if own else "train", scale=self.scale, zero_based=self.zero_based, **columns
        )
        features = problem.d - problem.intercept
        if X.shape[1] > features:
            raise ValueError(
                f"the test data {test} have {X.shape[1]} features and the training data {self.file} have {features}: "
                f"they do not belong together, or --n-features {X.shape[1]} is missing"
            )
        return widened(Path(test), X, features), y, data.offset

    def headline(self, P: Any, weights: str = "") -> str:
        """One line about a Problem, or about the facts of one: file, shape, nonzeros, loss, its weights."""
        storage = ", stored as an array" if isinstance(P.X, np.ndarray) else ""
        plain: Any = unweighted(P.loss)
        loss = plain.name
        if plain != LOSSES[loss]():
            loss += f"({', '.join(f'{k}={v!r}' for k, v in plain._asdict().items())})"
        objective = f"{loss} loss, {weights or f'l2 = {number(P.l2)}, l1 = {number(P.l1)}'}"
        free = ", intercept (the last column)" if P.intercept else ""
        added = "" if self.offset is None else f", offset {self.offset}"
        added += ", positive" * self.positive
        added += "".join(f", {name} {text}" for name in FEATURES if (text := getattr(self, name)) is not None)
        return f"{self.file}: {P.n} x {P.d}, nnz {P.nnz}{storage}; {objective}{free}{added}"

    def to_dict(self, P: Any) -> dict[str, Any]:
        """A Problem, or the facts of one, as JSON: all that is needed to load and build it again."""
        facts = {name: getattr(P, name) for name in ("n", "d", "nnz", "l2", "l1", "intercept", "digest")}
        plain: Any = unweighted(P.loss)
        loss = {"name": plain.name, **plain._asdict()}
        return {**asdict(self), "label": self._label_column(), "loss": loss, **facts}

    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns of X, where the file has a header."""
        return feature_names(self.file, **self.columns)

    def description(self) -> dict[str, Any]:
        """How the numbers of the problem come from FILE, as a certificate tells it: label column, rows and scale.

        Raises
        ------
        ValueError
            If the options make of FILE what a certificate does not describe.
        """
        if self.drop:
            raise ValueError("--certificate does not go with --drop: write the columns in use to a file")
        column = datasets.label_column(self.file, **self.columns)
        if column is not None and self.offset is not None:
            raise ValueError("--certificate does not go with --offset of a table: write X, y and the offset to an NPZ")
        scale: Any = None
        if self.scale != "none":
            X, _ = datasets.load(self.file, split="train" if self.scale == "mean" else self.split, label=self.label)
            norms = row_norms(X)
            scale = mean_norm(norms) if self.scale == "mean" else np.where(norms > 0, norms, 1.0)
        return {"label_column": None if column is None else column.position, "rows": self.split, "scale": scale}

    def _label_column(self) -> str | None:
        column = datasets.label_column(self.file, **self.columns)
        return None if column is None else str(column)


@Parameter(name="*", group="the method")
@dataclass(frozen=True)
class MethodOptions:
    """One method.

    Attributes
    ----------
    method
        auto, which chooses among the others, {values.METHOD_NAMES}; parameters as in quartz:averaged_primal=true.
    sampling
        {values.SAMPLING_NAMES}; parameters as in lipschitz:power=0.5 (default: what --method says, or uniform).
    seed
        The same seed gives the same run.
    """

    method: MethodName = default(solve, "method")
    sampling: SamplingName = None
    seed: Integer = default(solve, "seed")

    def resolve(self) -> MethodAndSampling:
        """The method and its sampling.

        Raises
        ------
        ValueError
            If the sampling is named twice.
        """
        method, named = values.method_at_sampling(self.method)
        if named is not None and self.sampling is not None:
            raise ValueError("the sampling is given twice, in --method and in --sampling: leave one out")
        return method, sampling_for(method, self.sampling if named is None else named)


@Parameter(name="*", group="the run")
@dataclass(frozen=True)
class LimitOptions:
    """Where a run ends, and what is measured.

    Attributes
    ----------
    tol
        Stop at this relative gap; 0: run to a limit, which then counts as success.
    max_passes
        Stop after this many passes over the nonzeros, on small data later unless given; the word none means no limit.
    max_seconds
        As `solve` (default: none).
    test
        Data for the columns test_error and test_loss; the same FILE again: its own test part.
    """

    tol: Number = default(solve, "tol")
    max_passes: Limit = default(solve, "max_passes")
    max_seconds: Limit = default(solve, "max_seconds")
    test: File | None = None

    def as_arguments(self) -> dict[str, Any]:
        """The limits by the names that they have in the API."""
        return {"tol": self.tol, "max_passes": self.max_passes, "max_seconds": self.max_seconds}


@Parameter(name="*", group="output")
@dataclass(frozen=True)
class OutputOptions:
    """What is shown, and where.

    Attributes
    ----------
    json
        One JSON object on stdout instead of the table.
    quiet
        No progress on stderr.
    """

    json: bool = False
    quiet: bool = False
