"""Certificate files: the claim is the exact gap of what is written, and the file is checked before it is said to be.

docs/proofs.md describes the file; `cdlab.checker` reads and checks it. What is here calls it for the claim and to check
what was written; it calls nothing of what is here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .. import checker
from .._version import __version__
from ..losses import Loss, unweighted
from ..numerics.files import atomic_write
from ..problems.box import WITHOUT
from ..problems.labels import LabelMap
from ..problems.problem import Problem
from .feasible import exact_share, feasible


class Verdict(NamedTuple):
    """What `cdlab.checker` has proved of a file that it accepted.

    Attributes
    ----------
    gap, primal, dual : float
        P(w) - min P is at most `gap`, P(w) at most `primal`, and min P at least `dual`.
    path : str
        The file.
    """

    gap: float
    primal: float
    dual: float
    path: str

    def __str__(self) -> str:
        return f"{self.path}: P(w) - min P <= {self.gap!r}, checked"


@dataclass(frozen=True)
class DataDescription:
    """How the numbers of a problem come from a file of data, as the checker repeats it.

    Attributes
    ----------
    labels : sequence of (label, number), or None
        What each label in the file became; None: they are the numbers.
    label_column : int or None
        Of a table: the position of the label.
    rows : "all", "train" or "test"
        Of an archive with `is_test`.
    scale : float, (n,) array or None
        What each value of a row was divided by.
    constant : float or None
        The value of a constant last column of X, which is a penalised intercept and is not in the file.
    """

    labels: Any = None
    label_column: int | None = None
    rows: str = "all"
    scale: Any = None
    constant: float | None = None


def describe(problem: Problem, labels: Any = None, **others: Any) -> DataDescription:
    """A description whose labels are those of the problem, unless they are numbers that stayed what they were."""
    return DataDescription(labels=labels_of(problem.label_map) if labels is None else labels, **others)


def write_certificate(
    path: str | os.PathLike[str],
    problem: Problem,
    w: np.ndarray,
    b: Any,
    alpha: np.ndarray,
    data: DataDescription = DataDescription(),
    about: str | None = None,
) -> Verdict:
    """Write the certificate of a point of a problem, whole or not at all, and check what was written.

    Parameters
    ----------
    path : str or path
        The file.
    problem : Problem
        As users have made it, with an l2, an l1 or two finite bounds of each feature.
    w, b : (d,) array and number; (d, K) and (K,) with softmax
        Coefficients, and the free intercept, where the problem has one.
    alpha : (n,) array; (n, K) with softmax
        A dual point, feasible but for rounding.
    data : DataDescription
        How the numbers come from a file.
    about : str, optional
        Free text, which is shown as not checked.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        If the problem has no such proof, or its loss is not one of `cdlab.checker.LOSSES`.
    OSError
        If the file cannot be written.
    RuntimeError
        If the checker rejects what was written: then there is no file.
    """
    known, rows, _ = _statement(problem, w, b, alpha, data, about or f"cdlab {__version__}")

    def sums(known: dict[str, Any]) -> list[Any]:
        return checker.sums_of(checker.read_problem(known), known, rows, problem.y.tolist())

    return write_claim(path, known, sums)


def write_claim(
    path: str | os.PathLike[str], known: dict[str, Any], sums: Callable[[dict[str, Any]], list[Any]]
) -> Verdict:
    """Write a certificate with the exact claim of the sums that `checker.sums_of` gives; read it, and check it."""
    primal, dual = checker.bounds_of(checker.read_problem(known), sums(known))
    known["claim"] = {"gap": _up(primal - dual), "primal": _up(primal), "dual": -_up(-dual)}

    def check(name: str) -> None:
        written = checker.read_certificate(name)
        checker.prove(written, checker.read_problem(written), sums(written))

    write_sealed(path, known, check)
    return Verdict(**known["claim"], path=str(path))


def write_sealed(path: str | os.PathLike[str], known: dict[str, Any], check: Callable[[str], Any]) -> str:
    """Write fields and their seal, which is returned, whole or not at all: if the file passes this check.

    Raises
    ------
    OSError
        If it cannot be written.
    RuntimeError
        If the check, which is given the file's name, rejects what was written.
    """
    text = json.dumps(known, allow_nan=False)[:-1] + ", "
    seal = hashlib.sha256(text.encode()).hexdigest()
    with atomic_write(path) as file:
        file.write(f'{text}"seal": "{seal}"}}'.encode())
        file.flush()
        try:
            check(file.name)
        except checker.Rejected as reason:
            raise RuntimeError(f"the checker rejects what was written: {reason}") from None
    return seal


def exact_gap(problem: Problem, w: np.ndarray, b: Any, alpha: np.ndarray) -> tuple[float, np.ndarray]:
    """P(w) - D, exact but rounded up, and the feasible point near alpha, scaled as that, whose D it is."""
    known, rows, point = _statement(problem, w, b, alpha, DataDescription(), "")
    what = checker.read_problem(known)
    primal, dual = checker.bounds_of(what, checker.sums_of(what, known, rows, problem.y.tolist()))
    if problem.outputs:
        point[np.arange(problem.n), problem.y.astype(np.intp)] = -point.sum(axis=1)
    return _up(primal - dual), point * (problem.n / float(np.sum(_weights(problem))))


def _weights(problem: Problem) -> np.ndarray:
    return np.ones(problem.n) if problem.sample_weight is None else problem.sample_weight


def _statement(
    problem: Problem, w: np.ndarray, b: Any, alpha: np.ndarray, data: DataDescription, about: str
) -> tuple[dict[str, Any], Any, np.ndarray]:
    """What a certificate says but for its claim, the rows of its data, and its dual point, which is feasible."""
    if not problem.is_certified:
        needs = "an l2, an l1 or two finite bounds of each feature"
        raise ValueError(f"a certificate needs {needs}: without a regulariser there is no such proof")
    loss = unweighted(problem.loss)
    check_loss(loss)
    known_loss = checker.read_loss(fields_of(loss))
    kind = known_loss.kind
    X = problem.features if problem.intercept else problem.X
    X = X if data.constant is None else X[:, :-1]
    rows, y, s = rows_of(X), problem.y, _weights(problem)
    n, K = problem.n, problem.outputs[0] if problem.outputs else 1
    if problem.intercept:
        w = np.concatenate([w, np.reshape(b, (1, *w.shape[1:]))])
    offset = None if problem.offset is None else packed(problem.offset)
    terms = {
        "loss": fields_of(loss),
        "l2": problem.l2,
        "l1": problem.l1,
        "intercept": "free" if problem.intercept else data.constant,
        "weights": None if problem.sample_weight is None else packed(s),
        **({"offset": offset} if offset is not None or problem.bounded else {}),
        **(_of_features(problem) if problem.bounded else {}),
    }
    described = {
        "examples": n,
        "features": X.shape[1],
        "classes": K if kind == "classes" else None,
        "labels": plain_labels(data.labels),
        "label_column": data.label_column,
        "rows": data.rows,
        "scale": packed_or_number(data.scale),
        "sha256": digest_of(rows, y, X.shape[1]),
    }
    known = statement(terms, described, about, w, None)
    S = sum(map(Fraction, s.tolist()), Fraction(0))
    limits = _limits(checker.read_problem(known), S)
    exceeds = None
    if any(map(any, limits)):
        own = y.astype(np.intp) if kind == "classes" else None
        exceeds = exact_share(_with_constant(rows, X.shape[1], data.constant), limits, own)
    alpha, _ = problem.feasible_point(alpha)  # but for rounding: the point whose D is known
    point = feasible(alpha * (float(S) / n), y, s, known_loss, problem.intercept, exceeds)
    return {**known, "alpha": packed(point)}, rows, point


def _of_features(problem: Problem) -> dict[str, Any]:
    """Bounds and factors as a certificate has them."""
    given: dict[str, Any] = {}
    for field, (name, usual) in zip(checker.FEATURES, WITHOUT.items(), strict=True):
        x = np.broadcast_to(getattr(problem, name), problem.features.shape[1])
        given[field] = packed(x) if (x != usual).any() else None
    return given


def _limits(problem: checker.Problem, S: Fraction) -> list[tuple[Fraction, Fraction]]:
    """One over the largest -V_j and V_j where the conjugate of g is finite, exactly; 0 where every one is."""
    limits = []
    for low, high, p in zip(problem.lower, problem.upper, problem.factor, strict=True):
        l2, l1 = problem.l2 * Fraction(p), problem.l1 * Fraction(p)
        below, above = (1 / (l1 * S) if l2 == 0 and math.isinf(end) else Fraction(0) for end in (low, high))
        limits.append((below, above))
    return limits


def statement(
    problem: dict[str, Any], data: dict[str, Any], about: str, w: np.ndarray, alpha: str | None
) -> dict[str, Any]:
    """The fields of a certificate in their order, without its claim and its seal; what is in them tells its version."""
    version = 3 if "shards" in data else 4 if "lower" in problem else 2 if "offset" in problem else 1
    head = {"file": "cdlab certificate", "version": version, "problem": problem, "data": data, "claim": {}}
    return {**head, "about": about, "w": packed(w), "alpha": alpha}


def check_loss(loss: Loss) -> None:
    """Refuse a loss that the checker does not know."""
    if loss.name not in checker.LOSSES:
        raise ValueError(f"the loss {loss.name} has no certificate files: they are of {', '.join(checker.LOSSES)}")


def fields_of(loss: Loss) -> dict[str, Any]:
    """The loss as a certificate names it."""
    return {"name": loss.name, **{str(name): getattr(loss, str(name)) for name in checker.LOSSES[loss.name][3:]}}


def labels_of(label_map: LabelMap | None) -> list[tuple[Any, float]] | None:
    """What labels became, unless they are numbers that stayed what they were."""
    known: list[tuple[Any, float]] = list((label_map or {}).items())
    return None if all(not isinstance(x, str) and float(x) == y for x, y in known) else known


def rows_of(X: Any) -> list[tuple[list[int], list[float]]]:
    """The rows of X as (columns, values) without zeros, columns rising."""
    X = sp.csr_array(X)
    X.eliminate_zeros()
    X.sort_indices()
    ends, columns, values = X.indptr.tolist(), X.indices.tolist(), X.data.tolist()
    return [(columns[a:b], values[a:b]) for a, b in zip(ends[:-1], ends[1:], strict=True)]


def _with_constant(rows: Any, d: int, constant: float | None) -> Any:
    return rows if constant is None else [([*columns, d], [*values, constant]) for columns, values in rows]


def digest_of(rows: Any, y: np.ndarray, d: int) -> str:
    """The SHA-256 of the sizes, and of row ends, columns, values and labels as 64-bit integers and doubles."""
    found = hashlib.sha256(f"{len(rows)} {d}\n".encode())
    found.update(np.cumsum([0, *(len(columns) for columns, _ in rows)], dtype="<i8").tobytes())
    for k, kind in ((0, "<i8"), (1, "<f8")):
        found.update(np.array([x for row in rows for x in row[k]], dtype=kind).tobytes())
    found.update((y + 0.0).astype("<f8").tobytes())
    return found.hexdigest()


def packed(x: Any) -> str:
    """Base64 of the zlib stream of doubles, row by row."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(x, dtype="<f8").tobytes())).decode()


def packed_or_number(scale: Any) -> Any:
    """A scale as a certificate has it: null, one number, or one for each row."""
    return packed(scale) if np.ndim(scale) else scale


def plain_labels(labels: Any) -> list[list[Any]] | None:
    """Labels and their numbers as JSON has them."""
    return labels and [[label if isinstance(label, str) else float(label), float(x)] for label, x in labels]


def _up(x: Fraction) -> float:
    """The smallest double that is at least a fraction."""
    found = x.numerator / x.denominator
    return found if Fraction(found) >= x else math.nextafter(found, math.inf)
