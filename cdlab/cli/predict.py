"""``cdlab predict SOLUTION FILE``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from .. import datasets
from ..datasets import csv_text
from ..datasets.catalogue import expand_home, is_table
from ..datasets.parts import check_finite, widened
from ..numerics.files import atomic_write
from ..problems import labels
from ..runs.solution import PROBABILITIES, Solution, load_solution
from . import specs
from .options import Parser, check_target, written
from .printing import number
from .watching import Progress

TOLD = """columns
  one prediction a line, in the order of the examples: the class, as the labels
  of training are written; for a regression loss the value
  with --proba the probability of each class instead, separated by spaces, in
  the order that stderr tells
"""


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "predict",
        "SOLUTION FILE [options]",
        description="""Predict the labels of new data by a solution that cdlab solve --solution or
Solution.save wrote. Where FILE has labels, stderr tells how many are met.""",
        epilog=TOLD
        + """
exit codes
  0    predicted
  2    bad input, or --out could not be written

examples
  cdlab solve mushrooms --l2 1/n --solution s.npz
  cdlab predict s.npz mushrooms
  cdlab predict s.npz new.csv --proba --out predicted.txt""",
    )
    group = parser.add_argument_group("the prediction")
    group.add_argument("solution", type=specs.nonempty, metavar="SOLUTION", help="the file of a solution")
    group.add_argument(
        "file", type=specs.nonempty, metavar="FILE",
        help="a known data set or a file, as for cdlab solve; a CSV or TSV file may have no labels: one that has as "
        "many columns as the solution has features",
    )  # fmt: skip
    group.add_argument("--label", metavar="COLUMN", help="column of a CSV or TSV FILE that is its label, as for solve")
    group.add_argument(
        "--split", choices=("train", "test", "all"), default="train", help="part of FILE to use (default: %(default)s)"
    )
    group.add_argument(
        "--scale", choices=("none", "unit"), default="none", help="unit: rows of norm 1, as in training"
    )  # of the mean the solution knows nothing
    group.add_argument("--proba", action="store_true", help=f"probabilities; losses: {', '.join(PROBABILITIES)}")
    output = parser.add_argument_group("output")
    output.add_argument("--out", metavar="FILE", help="write the predictions there instead of stdout")
    output.add_argument("--quiet", action="store_true", help="predictions alone, nothing on stderr")
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    check_target(args.out)
    solution = load_solution(args.solution)
    if not (np.isfinite(solution.w).all() and np.isfinite(solution.intercept).all()):
        raise ValueError(f"{args.solution}: its w is not finite, so nothing is predicted ({solution.status})")
    with Progress(args.quiet) as progress:
        progress.show(f"reading {args.file}")
        X, y, told = _data(args, solution)
        lines = _lines(solution, X, args.proba)
        if told:
            progress.say(told)
        if args.proba:
            progress.say(f"classes: {' '.join(map(_word, solution.label_map or ()))}")
        if y is not None:
            progress.say(_score(solution, X, y))
    text = "\n".join(lines)
    if args.out is None:
        return 0, text
    return (0 if written(args.out, lambda: _write(args.out, text)) else 2), ""


def _write(path: str, text: str) -> None:
    with atomic_write(path) as file:
        file.write(f"{text}\n".encode())


def _data(args: argparse.Namespace, solution: Solution) -> tuple[Any, np.ndarray | None, str]:
    """X with the features of the solution, the labels if there are any, and what was taken as label."""
    d, path = solution.w.shape[0], expand_home(args.file)
    if is_table(path) and path.is_file() and args.label is None and csv_text.columns_of(path) == d:
        if args.split != "train":
            raise ValueError(f"--split {args.split} is for data with labels; name the file of that part")
        X = csv_text.read_features(path)
        check_finite(path, X, np.zeros(X.shape[0]))
        X = X if args.scale == "none" else datasets.scaled(X, args.scale)
        return X, None, f"label: none, all {d} columns are features"
    X, y = datasets.load(args.file, split=args.split, scale=args.scale, label=args.label)
    column = datasets.label_column(args.file, label=args.label)
    if X.shape[1] > d or (column and X.shape[1] < d):  # LIBSVM text does not tell of empty columns at the end
        raise ValueError(f"{args.file} has {X.shape[1]} features, and the solution {args.solution} has {d}")
    return widened(Path(args.file), X, d), y, f"label: {column}" if column else ""


def _lines(solution: Solution, X: Any, proba: bool) -> list[str]:
    if proba:
        return [" ".join(map(repr, row)) for row in solution.predict_proba(X).tolist()]
    return [_word(each) for each in solution.predict(X).tolist()]


def _word(label: Any) -> str:
    """A label as it is written in data: 1 and not 1.0."""
    return label if isinstance(label, str) else repr(label).removesuffix(".0")


def _score(solution: Solution, X: Any, y: np.ndarray) -> str:
    """How well the labels are met, in a line."""
    try:
        labels.apply_label_map(y, solution.label_map)
    except ValueError as error:
        return f"no error is known: {error}"
    predicted = solution.predict(X)
    if solution.label_map is not None:
        wrong = int(np.count_nonzero(predicted != y))
        return f"error {number(wrong / y.size)}: {wrong} of {y.size} wrong (accuracy {number(1 - wrong / y.size)})"
    squares, spread = float(np.mean((predicted - y) ** 2)), float(np.var(y))
    return f"mean squared error {number(squares)} (R^2 {number(1 - squares / spread if spread > 0 else None)})"
