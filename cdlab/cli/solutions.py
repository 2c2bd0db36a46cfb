"""``cdlab certify MODEL FILE`` and ``cdlab predict SOLUTION FILE``: what is done with a solution in a file."""

from __future__ import annotations

import math
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from .. import certificates, checker, datasets
from ..certificates.bounding import Task, task_at
from ..certificates.certifying import certify_tasks
from ..datasets import csv_text
from ..datasets.catalogue import expand_home
from ..datasets.csv_text import Columns
from ..datasets.formats import is_table
from ..datasets.parts import check_finite, widened
from ..numerics import checks
from ..numerics.files import atomic_write, check_is_file
from ..problems import labels
from ..problems.problem import Problem
from ..runs.solution import DAMAGED_FILE_ERRORS, PROBABILITY_LOSSES, Solution, load_solution
from .options import Column, OutputOptions, ProblemOptions, Split, ZeroBased, default
from .output import VerbProgress, number, to_json, try_to_save
from .values import Columns as ColumnList
from .values import File, Limit, Number, OutFile, nonempty, read_by

ARRAY_NAMES = {  # in MODEL: as `cdlab solve --solution` writes them, and as scikit-learn's attributes are called
    "w": "w",
    "coef": "w",
    "coef_": "w",
    "intercept": "intercept",
    "intercept_": "intercept",
    "alpha": "alpha",
}
Rows = tuple[Any, np.ndarray | None, np.ndarray | None]  # X, labels and offsets
LOSSES_WITH_PROBABILITIES = ", ".join(PROBABILITY_LOSSES)


def certify(
    model: Annotated[str, read_by(nonempty, "MODEL")],
    /,
    problem: ProblemOptions,
    *,
    tol: Number | None = None,
    max_passes: Limit = default(certificates.certify, "max_passes"),
    certificate: OutFile | None = None,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """How far the coefficients in MODEL are from the optimum, at most.

    The optimum is that of

        P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

    MODEL is an NPZ file: a solution that cdlab saved, or an array named w (or
    coef) with, where predictions are x_i'w + b, one named intercept. With
    --intercept b has no weight in P. Files with pickles are not read.

    Parameters
    ----------
    model
        NPZ file with w, and perhaps intercept.
    tol
        Exit with 1 above this relative gap.
    max_passes
        As `certify`.
    certificate
        Write a file that proves the distance, for cdlab check.

    Values
    ------
    primal         P(w), the mean loss and the regulariser
    dual           the best lower bound of P(w*) that was found
    gap            at most so far is P(w) above P(w*), rounding included
    at_least       at least so far
    relative_gap   gap / max(P(0) - dual, 1e-6 P(0)), which --tol limits;
                   with an intercept P(0) is that of the best constant
    rounding       the share of gap that is there because float64 rounds

    Exit codes
    ----------
    0    there is a number (with --tol: a relative gap of at most T)
    1    there is none, or the relative gap is larger than T
    2    bad input, or --certificate could not be written

    Examples
    --------
    cdlab solve mushrooms --l2 1/n --solution w.npz
    cdlab certify w.npz mushrooms --l2 1/n
    cdlab certify w.npz mushrooms --l2 1/n --tol 1e-4 --json
    """
    arrays, s = _arrays(model)
    solved = "" if s is None else s.trace.meta.get("problem", "")
    if s is not None and problem.zero_based == "auto":
        problem = replace(problem, zero_based=s.zero_based)
    with VerbProgress(output.quiet) as progress:
        problem, P = problem.load(progress)
        if solved and solved != repr(P):
            progress.say(f"{model} solves {solved}; what is certified here is its distance from the optimum of {P!r}")
        task, description = _task(model, P, arrays), problem.description() if certificate is not None else {}
        progress.show("searching a bound")
        found = certify_tasks([task], model, max_passes)
    code = 0 if math.isfinite(found.gap) and (tol is None or found.relative_gap <= tol) else 1
    code = code if try_to_save(certificate, partial(found.save_certificate, **description)) else 2
    if output.json:
        names = ("primal", "dual", "gap", "relative_gap", "at_least", "rounding")
        result = {**{name: getattr(found, name) for name in names}, "why": found.why or None}
        return code, to_json({"verb": "certify", "problem": problem.to_dict(P), "result": result})
    return code, f"{problem.headline(P)}\n{found}"


def check(
    certificate: Annotated[str, read_by(nonempty, "CERTIFICATE")],
    data: Annotated[str, read_by(nonempty, "DATA")],
    labels: Annotated[str | None, read_by(nonempty, "LABELS")] = None,
    /,
) -> tuple[int, str]:
    """Check a certificate by cdlab/checker.py alone: w is so near the optimum on DATA.

    The checker needs Python and nothing else, and computes without rounding.
    Copy it to check anywhere:

        python checker.py CERTIFICATE DATA

    Parameters
    ----------
    certificate
        As `cdlab solve --certificate` and `cdlab certify --certificate` write it.
    data
        A known data set, or a file: LIBSVM text, CSV or TSV, NPZ or NPY; text may be compressed. Of a certificate of
        shards: their folder.
    labels
        NPY file of the labels, where DATA is an NPY file.

    Values
    ------
    P(w) - min P   at most so far is w above the optimum: exact, rounded up
    min P          between which numbers it lies, in 25 digits
    from the certificate
                   its least and largest number, where the file has it

    Exit codes
    ----------
    0    ACCEPT: what is proved is printed
    1    REJECT: the first statement that is false is printed
    2    UNREADABLE: bad input, or a file that cannot be read

    Examples
    --------
    cdlab solve mushrooms --l2 1/n --certificate mushrooms.cert
    cdlab check mushrooms.cert mushrooms
    """
    path = data if Path(data).is_dir() else str(datasets.file_of(data))
    words = [sys.executable, "-I", "-S", checker.__file__, certificate, path, *([labels] if labels else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.rstrip("\n")


def _arrays(path: str) -> tuple[dict[str, np.ndarray], Solution | None]:
    """The arrays of MODEL: w (d,) or (d, K), and where it has them intercept, a number or (K,), and alpha.

    With the solution, where MODEL is one.
    """
    check_is_file(Path(path), "a saved solution")
    with open(path, "rb") as file:
        try:
            if not zipfile.is_zipfile(file):
                raise ValueError("it is no archive of named arrays")
            file.seek(0)
            archive = np.load(file, allow_pickle=False)
            if "about" not in archive.files:
                known = {name: checks.real_array(name, archive[name]) for name in archive.files if name in ARRAY_NAMES}
                return _as_in_cdlab(known), None
        except (*DAMAGED_FILE_ERRORS, TypeError) as error:
            raise ValueError(f"{path} is no NPZ file of coefficients: {checks.error_message(error)}") from None
    s = load_solution(path)
    dual = {} if s.alpha is None else {"alpha": s.alpha}
    return {"w": s.w, **dual, "intercept": np.asarray(s.intercept)}, s


def _as_in_cdlab(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays by cdlab's names, and in its shapes: scikit-learn's coef_ has a row for each class, or one."""
    found = {ARRAY_NAMES[name]: x for name, x in arrays.items()}
    if "w" not in found:
        raise ValueError("it has no array named w, coef or coef_")
    if "w" not in arrays and found["w"].ndim == 2:
        found["w"] = found["w"][0] if len(found["w"]) == 1 else found["w"].T
    if "intercept" in found and found["intercept"].shape == (1,):
        found["intercept"] = found["intercept"][0]
    return found


def _task(model: str, problem: Problem, arrays: dict[str, np.ndarray]) -> Task:
    b = arrays.get("intercept")
    if problem.intercept and b is None:
        raise ValueError(f"{model} has no array named intercept, and --intercept asks for one: leave it out")
    if not problem.intercept and b is not None and b.any():
        raise ValueError(f"{model} has an intercept: add --intercept, with which it has no weight in P")
    return task_at(problem, arrays["w"], b if problem.intercept else None, arrays.get("alpha"))


# ---------------------------------------------------------------- predict
def predict(
    solution: Annotated[str, read_by(nonempty, "SOLUTION")],
    file: File,
    /,
    *,
    label: Column = None,
    split: Split = "train",
    scale: Literal["none", "unit"] = "none",  # of the mean the solution knows nothing
    drop: ColumnList = (),
    offset: Column = None,
    zero_based: ZeroBased = default(datasets.load, "zero_based"),
    proba: bool = False,
    out: OutFile | None = None,
    quiet: bool = False,
) -> tuple[int, str]:
    """Predict the labels of new data by a solution.

    It is one that cdlab solve --solution or Solution.save wrote. Where FILE has
    labels, stderr tells how many are met.

    Parameters
    ----------
    solution
        The file of a solution.
    file
        A known data set or a file, as for cdlab solve; a CSV or TSV file may have no labels. Where training and FILE
        have headers, columns are found by their names; else all columns must be features, or all but the label.
    label
        Column of a CSV or TSV FILE that is its label, as for cdlab solve.
    drop
        Columns of a CSV or TSV FILE to leave out, as for cdlab solve; those found by their names need no --drop.
    offset
        Column of a CSV or TSV FILE, or array of an NPZ FILE, that is added to predictions as in training; the word
        none: predict the baseline.
    zero_based
        The indices of LIBSVM text start at 0, or at 1 (default: as in training, where SOLUTION tells).
    split
        As `datasets.load`.
    scale
        unit: rows of norm 1, as in training.
    proba
        Probabilities; losses: {LOSSES_WITH_PROBABILITIES}.
    out
        Write the predictions there instead of stdout.
    quiet
        Predictions alone, nothing on stderr.

    Columns
    -------
    one prediction a line, in the order of the examples: the class, as the labels
    of training are written; for a regression loss the value
    with --proba the probability of each class instead, separated by spaces, in
    the order that stderr tells

    Exit codes
    ----------
    0    predicted
    2    bad input, or --out could not be written

    Examples
    --------
    cdlab solve mushrooms --l2 1/n --solution s.npz
    cdlab predict s.npz mushrooms
    cdlab predict s.npz new.csv --proba --out predicted.txt
    """
    model = load_solution(solution)
    if not (np.isfinite(model.w).all() and np.isfinite(model.intercept).all()):
        raise ValueError(f"{solution}: its w is not finite, so nothing is predicted ({model.status})")
    if model.has_offset and offset is None:
        raise ValueError(f"{solution} was trained with an offset: --offset names that of {file}, or none: the baseline")
    with VerbProgress(quiet) as progress:
        progress.show(f"reading {file}")
        column = None if offset == "none" else offset
        base = model.zero_based if zero_based == "auto" else zero_based
        (X, y, added), taken = _features(solution, model, file, Columns(label, drop, column), split, base)
        added = np.zeros(X.shape[0]) if offset == "none" else added
        X = X if scale == "none" else datasets.scaled(X, scale)
        if proba:
            lines = [" ".join(map(repr, row)) for row in model.predict_proba(X, added).tolist()]
        else:
            lines = [_label_text(each) for each in model.predict(X, added).tolist()]
        for sentence in filter(None, taken):
            progress.say(sentence)
        if proba:
            progress.say(f"classes: {' '.join(map(_label_text, model.label_map or ()))}")
        if y is not None:
            progress.say(_score(model, X, y, added))
    text = "\n".join(lines)
    if out is None:
        return 0, text
    return (0 if try_to_save(out, partial(_write, text)) else 2), ""


def _write(text: str, path: str) -> None:
    with atomic_write(path) as file:
        file.write(f"{text}\n".encode())


def _features(
    solution: str, model: Solution, file: str, columns: Columns, split: str, zero_based: bool | Literal["auto"]
) -> tuple[Rows, tuple[str, ...]]:
    """X with the features of the solution, labels and offsets if there are any; and what was taken, as the label."""
    path, d = expand_home(file), model.w.shape[0]
    if path.is_file() and is_table(path):
        layout = csv_text.layout_of(path, columns)
        if model.feature_names is not None and layout.header and split == "train":
            return _named_features(solution, model.feature_names, path, layout, columns)
        if columns.label is None and len(layout.features) + 1 == d:
            if split != "train":
                raise ValueError(f"--split {split} is for data with labels; name the file of that part")
            X, added = csv_text.read_features(path, columns)
            check_finite(path, X, np.zeros(X.shape[0]))
            return (X, None, added), (f"label: none, all {d} columns are features",)
    X, y = data = datasets.load(file, split=split, zero_based=zero_based, **columns._asdict())
    column = datasets.label_column(file, **columns._asdict())
    if X.shape[1] > d or (column and X.shape[1] < d):  # LIBSVM text does not tell of empty columns at the end
        raise ValueError(f"{file} has {X.shape[1]} features, and the solution {solution} has {d}")
    return (widened(Path(file), X, d), y, data.offset), (*data.taken, f"label: {column}" if column else "")


def _named_features(
    solution: str, names: tuple[str, ...], path: Path, layout: csv_text.Layout, columns: Columns
) -> tuple[Rows, tuple[str, ...]]:
    """As `_features`, of a table with a header: the columns that have the names of training, in their order."""
    if missing := [name for name in names if name not in layout.header]:
        raise ValueError(f"{path} lacks the columns {', '.join(missing)}, with which {solution} was trained")
    y, taken, label = None, "label: none", layout.label.name
    if label not in names:
        try:
            X, y, added = csv_text.read_csv(path, columns, names)
            check_finite(path, X, y)
            taken = f"label: {layout.label}"
        except ValueError:  # a column with gaps is no label, unless somebody calls it that
            if columns.label is not None:
                raise
            y, taken = None, f"label: none, as {label} is not filled in"
    if y is None:
        X, added = csv_text.read_features(path, columns, names)
        check_finite(path, X, np.zeros(X.shape[0]))
    used = {*names, *([] if y is None else [label]), *(layout.header[k] for k in layout.offset)}
    others = [name for name in layout.header if name not in used]
    return (X, y, added), (taken + (f"; not used: {', '.join(others)}" if others else ""),)


def _label_text(label: Any) -> str:
    """A label as it is written in data: 1 and not 1.0."""
    return label if isinstance(label, str) else repr(label).removesuffix(".0")


def _score(solution: Solution, X: Any, y: np.ndarray, offset: Any) -> str:
    """Share of the labels that are met, in a line."""
    try:
        labels.apply_label_map(y, solution.label_map)
    except ValueError as error:
        return f"no error is known: {error}"
    predicted = solution.predict(X, offset)
    if solution.label_map is not None:
        wrong = int(np.count_nonzero(predicted != y))
        return f"error {number(wrong / y.size)}: {wrong} of {y.size} wrong (accuracy {number(1 - wrong / y.size)})"
    squares, spread = float(np.mean((predicted - y) ** 2)), float(np.var(y))
    return f"mean squared error {number(squares)} (R^2 {number(1 - squares / spread if spread > 0 else None)})"
