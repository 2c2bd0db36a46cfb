"""The options that verbs share, with the names and defaults of the API, and the problem that they describe."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .. import datasets, losses
from ..datasets.catalogue import is_table
from ..datasets.parts import widened
from ..losses import LOSSES
from ..problems.labels import make_label_map
from ..problems.problem import Problem
from ..runs.limits import Unasked
from . import specs
from .printing import number
from .watching import Progress


class Parser(argparse.ArgumentParser):
    """argparse, with help that keeps its lines and errors that are one sentence.

    Parameters
    ----------
    verb, usage, description, epilog : str
        The verb, the words after it, and the texts before and after the list of options.
    """

    def __init__(self, verb: str, usage: str, description: str, epilog: str):
        style = argparse.RawDescriptionHelpFormatter
        prog = f"cdlab {verb}"
        super().__init__(prog, f"{prog} {usage}", description, epilog, formatter_class=style, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Refuse the words of the command line by a ValueError, which `main` prints as a sentence."""
        raise ValueError(f"{message}; {self.prog} --help lists the options")


def default(function: Any, name: str) -> Any:
    """The default of a parameter of an API function, so that the command line cannot differ from it."""
    value = inspect.signature(function).parameters[name].default
    return int(value) if isinstance(value, Unasked) else value  # the help names it, and the exit code tells


def add_problem(
    parser: argparse.ArgumentParser,
    weight: Callable[[str], Any] = specs.weight,
    metavar: str = "C",
    form: str = "a number, or c/n such as 1/n",
) -> None:
    """Add FILE and the options that describe the problem; `weight` reads l2 and l1, in this form."""
    group = parser.add_argument_group("the problem")
    group.add_argument(
        "file", type=specs.nonempty, metavar="FILE",
        help="a known data set (mushrooms), made data (synthetic:n=1000,d=50) or a file: LIBSVM text, CSV or TSV "
        "(label: the column y, label, target or class, else the last one), NPZ; may be compressed",
    )  # fmt: skip
    group.add_argument(
        "--label", metavar="COLUMN",
        help="column of a CSV or TSV FILE that is its label: a name, or a position from 0 (-1: the last); stderr tells "
        "which one was taken",
    )  # fmt: skip
    group.add_argument(
        "--loss", type=specs.loss, default=default(Problem, "loss"), metavar="NAME[:k=v]",
        help=f"{', '.join(LOSSES)}; parameters as in smooth_hinge:gamma=0.5 (default: %(default)s)",
    )  # fmt: skip
    for name, what in (("l2", "(1/2) ||w||^2"), ("l1", "||w||_1")):
        group.add_argument(
            f"--{name}", type=weight, default=str(default(Problem, name)), metavar=metavar,
            help=f"weight of {what}: {form} (default: %(default)s)",
        )  # fmt: skip
    group.add_argument("--intercept", action="store_true", help="predict x_i'w + b, with a b that has no weight")
    group.add_argument(
        "--scale", choices=("none", "unit", "mean"), default="none",
        help="unit: rows of norm 1; mean: X divided by the mean row norm of the train part (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--split", choices=("train", "test", "all"), default="train", help="part of FILE to use (default: %(default)s)"
    )
    parser.set_defaults(labelled=None)  # the column that was taken, once the data are read
    store = group.add_mutually_exclusive_group()
    store.add_argument(
        "--dense", action="store_true", default=None,
        help="store X as an array (default: LIBSVM text with more than half of its entries not 0, and what FILE says)",
    )  # fmt: skip
    store.add_argument("--sparse", dest="dense", action="store_false", help="store X as a sparse matrix")
    group.add_argument("--n-features", type=specs.whole, metavar="D", help="columns of X, if more than FILE shows")


def add_limits(parser: argparse.ArgumentParser, function: Any) -> None:
    """Add --tol, --max-passes, --max-seconds, --every and --test, with the defaults of an API function."""
    group = parser.add_argument_group("the run")
    group.add_argument(
        "--tol", type=specs.number, default=default(function, "tol"), metavar="T",
        help="stop at this relative gap; 0: run to a limit, which then counts as success (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--max-passes", type=specs.limit, default=default(function, "max_passes"), metavar="N",
        help="stop after so many passes over the nonzeros, or none (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--max-seconds", type=specs.limit, default=default(function, "max_seconds"), metavar="S",
        help="stop after so many seconds of solving; measuring does not count, and an epoch that has begun is finished "
        "(default: none)",
    )  # fmt: skip
    if "every" in inspect.signature(function).parameters:
        group.add_argument(
        "--every", type=specs.whole, default=default(function, "every"), metavar="K",
        help=f"measure every K epochs (default: {default(function, 'every') or 'as seldom as finds --tol in time'})",
    )  # fmt: skip
    group.add_argument(
        "--test", type=specs.nonempty, metavar="FILE",
        help="data for the columns test_error and test_loss; the same FILE again: its own test part",
    )  # fmt: skip


def add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add --json and --quiet; returns their group, for more options of the output."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="one JSON object on stdout instead of the table")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return group


def load_problem(args: argparse.Namespace, progress: Progress) -> Problem:
    """The problem that the options describe.

    Raises
    ------
    ValueError, OSError
        If the data cannot be read, or do not fit the loss or the weights.
    """
    X, y = load_data(args, progress)
    n = X.shape[0]
    return Problem(X, y, loss=args.loss, l2=args.l2(n), l1=args.l1(n), intercept=args.intercept)


def load_data(args: argparse.Namespace, progress: Progress) -> tuple[Any, np.ndarray]:
    """X (n, d) and y (n,) of the problem.

    Raises
    ------
    ValueError, OSError
        If they cannot be read, or the labels do not fit the loss.
    """
    progress.show(f"reading {args.file}")
    X, y = datasets.load(
        args.file, split=args.split, n_features=args.n_features, scale=args.scale, dense=args.dense, label=args.label
    )
    column = datasets.label_column(args.file, label=args.label)
    args.labelled = None if column is None else str(column)
    try:
        known = make_label_map(y, losses.resolve(args.loss))
    except ValueError as error:  # a wrong column holds no classes
        hint = "" if column is None else f" (label: {column}; --label names another)"
        raise ValueError(f"{error}{hint}") from None
    if told := _told(column, y, known):
        progress.say(told)
    return X, y


def _told(column: datasets.LabelColumn | None, y: np.ndarray, known: Any) -> str:
    """Which column of a table was taken as the label, and which of two classes is +1; "" where FILE itself says so."""
    signs = {value: label for label, value in known.items()} if known and len(known) == 2 else {}
    told = [] if column is None else [str(column)]
    if {-1.0, 1.0} <= signs.keys() and signs[1.0] != 1.0 and (column or isinstance(signs[1.0], str)):
        told.append(f"+1 is {signs[1.0]!r}, -1 is {signs[-1.0]!r}")
    return f"label: {', '.join(told)}" if told else ""


def load_test(args: argparse.Namespace, problem: Problem) -> tuple[Any, Any] | None:
    """The test data (X, y) that --test names, scaled as the training data; None without --test.

    Raises
    ------
    ValueError, OSError
        If they cannot be read, or do not belong to the training data.
    """
    if args.test is None:
        return None
    own = args.test == args.file
    if own and args.split != "train":
        raise ValueError(f"--split {args.split} trains on the test part of {args.file}; name other data with --test")
    if not own and args.scale == "mean":
        raise ValueError(
            f"--scale mean divides by the mean row norm of {args.file}, which {args.test} does not know: "
            f"use --scale unit or none, or --test {args.file} for its own test part"
        )
    label = args.label if own or is_table(Path(args.test)) else None
    X, y = datasets.load(args.test, split="test" if own else "train", scale=args.scale, label=label)
    features = problem.d - problem.intercept
    if X.shape[1] > features:
        raise ValueError(
            f"the test data {args.test} have {X.shape[1]} features and the training data {args.file} have {features}: "
            f"they do not belong together, or --n-features {X.shape[1]} is missing"
        )
    return widened(Path(args.test), X, features), y


def written(path: str | Path, write: Callable[[], Any]) -> bool:
    """Whether `write` could write `path`; if not, stderr says so, and the result is still printed."""
    try:
        write()
    except OSError as error:
        print(f"cdlab: {path} was not saved: {error.strerror or error}", file=sys.stderr)
        return False
    return True


def check_target(path: str | None) -> None:
    """Refuse a place that cannot be written before hours of work depend on it.

    Raises
    ------
    ValueError
        If it is a folder, or in a folder that does not exist.
    """
    if path is not None and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        raise ValueError(f"cannot write {path}: it must be a file in a folder that exists")


def target_folder(path: str | None) -> Path | None:
    """The folder to write into, made if it is missing."""
    if path is None:
        return None
    Path(path).mkdir(parents=True, exist_ok=True)
    return Path(path)


def loss_label(loss: Any) -> str:
    """The name of a loss, with parameters that are not the default: "logistic", "huber(gamma=0.1)"."""
    if loss == LOSSES[loss.name]():
        return loss.name
    return f"{loss.name}({', '.join(f'{k}={v!r}' for k, v in loss._asdict().items())})"


def headline(args: argparse.Namespace, P: Any, several: str = "") -> str:
    """One line about a Problem, or about the facts of one: file, shape, nonzeros, loss, weights or `several`."""
    stored = ", stored as an array" if isinstance(P.X, np.ndarray) else ""
    objective = f"{loss_label(P.loss)} loss, {several or f'l2 = {number(P.l2)}, l1 = {number(P.l1)}'}"
    free = ", intercept (the last column)" if P.intercept else ""
    return f"{args.file}: {P.n} x {P.d}, nnz {P.nnz}{stored}; {objective}{free}"


def described(args: argparse.Namespace, P: Any) -> dict[str, Any]:
    """A Problem, or the facts of one, as JSON: all that is needed to load and build it again."""
    return {
        "file": args.file,
        "split": args.split,
        "scale": args.scale,
        "n_features": args.n_features,
        "label": args.labelled,
        "dense": args.dense,
        "n": P.n,
        "d": P.d,
        "nnz": P.nnz,
        "loss": {"name": P.loss.name, **P.loss._asdict()},
        "l2": P.l2,
        "l1": P.l1,
        "intercept": P.intercept,
        "digest": P.digest,
    }
