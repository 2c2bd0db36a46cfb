"""The result of solving: the point reached, how far it is certified, the run that can go on, and a file of it all.

The file is an NPZ archive of w and alpha, and of one line of JSON with the rest. No pickles.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import expit, softmax

from .. import losses
from ..numerics import checks, files, profiles, tables
from ..numerics.json_numbers import is_json_number, to_json_number
from ..problems import labels
from ..problems.points import Points
from ..problems.rounding import is_within_rounding
from ..problems.settled import WITHOUT_REGULARISER, ProvedCoordinates, settled_at
from ..problems.weights import with_offset
from . import in_html
from .limits import STATUSES, Limits, Status, drive
from .running import Run
from .trace import DECIMALS_RTOL, Record, Trace, relative_gap, share_of_gap

if TYPE_CHECKING:
    from ..problems.problem import Problem
    from ..proofs import Proved, Verdict

PROBABILITY_LOSSES = ("logistic", "softmax")  # the losses that model probabilities
FILE_KIND, FILE_VERSION = "cdlab solution", 1
DAMAGED_FILE_ERRORS = (  # what reading a file that was not written here, or was changed since, can raise
    ValueError, TypeError, KeyError, EOFError, RecursionError, MemoryError, RuntimeError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
MAX_ABOUT_BYTES = 1 << 28  # of JSON: enough for a trace of a million records


@dataclass(eq=False, repr=False)  # of arrays: == would be an array, and a repr as long as they are
class Solution:
    """The result of a run: the best point that it measured, and how far that is certified.

    Attributes
    ----------
    w : (d,) primal point; (d, K) with softmax
    alpha : (n,) dual point; (n, K) with softmax; None where parts of the data hold it
    gap, relative_gap : float
        max(0, P(w) - D(alpha)), which bounds P(w) - P(w*), and its ratio to P(0) - D(alpha); inf: nothing certified.
    status : Status
        Why the run ended: "tolerance reached", "gradient small", "rounding limit" (float64 comes no nearer), "pass
        limit", "time limit", "stopped" or "diverged".
    trace : Trace
        The records of the run, in order.
    label_map : dict or None
        The number that each label became, a sign or the index of a class; None for regression.
    intercept : float, or (K,) array with softmax
        The number that decision values add to X w; 0.0 for a problem without an intercept.
    loss : str or None
        The name of the loss; None in a file that says nothing of it.
    feature_names : tuple of str, or None
        The columns of training, where it was a frame or a table with names.
    zero_based : bool or "auto"
        How `cdlab.datasets.load` should read new data, if ``cdlab solve`` read LIBSVM text; "auto": not known.
    has_offset : bool
        Whether the problem had offsets, so that predictions need those of their examples.
    """

    w: np.ndarray
    alpha: np.ndarray | None
    gap: float
    relative_gap: float
    status: Status
    trace: Trace
    label_map: dict[Any, float] | None = None
    run: Run | None = None
    intercept: float | np.ndarray = 0.0
    loss: str | None = None
    feature_names: tuple[str, ...] | None = None
    zero_based: bool | Literal["auto"] = "auto"
    has_offset: bool = False

    def __repr__(self) -> str:
        known = self._facts
        certified = f"relative_gap = {known['relative_gap']}, gap = {known['gap']}"
        certified += f" ({self._unregularised})" if self._unregularised else ""
        settled = f"certain: {self.certified.brief}, " if self.certified is not None and self.certified.values else ""
        where = f"{known['passes']} passes; w {known['w']}, alpha {known['alpha']}"
        return f"Solution({known['status']}: {certified}, {settled}{where})"

    def _repr_html_(self) -> str:
        settled = str(self.certified) if self.certified is not None and self.certified.values else self._unregularised
        return in_html.notebook_html("Solution", in_html.facts_table(list(self._facts.items())), settled, index=True)

    @property
    def _unregularised(self) -> str:
        """The reason why nothing is certified, if that is the want of a regulariser; else ""."""
        known = None if self.run is None else self.run.problem
        free = known is not None and not known.is_certified and not math.isfinite(self.gap)
        return WITHOUT_REGULARISER if free else ""

    @property
    def _facts(self) -> dict[str, str]:
        """Facts that are printed, by name."""
        passes = self.trace.records[-1].passes if self.trace.records else 0.0
        return {
            "status": str(self.status), "relative_gap": f"{self.relative_gap:.2g}", "gap": f"{self.gap:.2g}",
            "passes": f"{passes:.4g}", "w": str(self.w.shape),
            "alpha": "in parts" if self.alpha is None else str(self.alpha.shape),
        }  # fmt: skip

    @property
    def record(self) -> Record | None:
        """The record of w and alpha, as `record_of` chooses it; None for an empty trace."""
        return record_of(self.trace, self.status) if self.trace.records else None

    @cached_property
    def certified(self) -> ProvedCoordinates | None:
        """The coordinates of the optimum that this solution's certificate proves; its `str` is a sentence.

        Made when it is first asked for, by up to four products with X, each half a pass. None with softmax, and for a
        solution without its run: ``cdlab.certificates.balls(problem, solution)`` has it there, too.
        """
        if self.run is None or self.alpha is None or self.run.problem.outputs:
            return None
        problem = self.run.problem
        return settled_at(problem.centred, Points(problem.point(self.w, self.intercept), self.alpha))

    @property
    def active(self) -> int | None:
        """The coordinates that a run with screening still visited in the end; None for one without."""
        left = self.trace.records[-1].active if self.trace.records else np.nan
        return None if np.isnan(left) else int(left)

    def resume(self, **limits: Any) -> Solution:
        """Go on where this solution stopped, as if it never had: same state, same random numbers.

        Parameters
        ----------
        **limits
            tol, max_passes, max_seconds and stop, as for `solve`; they count from the start of the run, and no warning
            says that the tolerance was missed.

        Returns
        -------
        Solution
            A new one, whose trace is this one's, continued.

        Raises
        ------
        ValueError
            If the solution was loaded or copied (it has no run), or a limit is not a number >= 0.
        """
        if self.run is None:
            raise ValueError("this solution was loaded or copied without its run; call solve again with start=solution")
        stop = limits.pop("stop", None)
        checks.callable_or_none("stop", stop, "a Record")
        drive(self.run, Limits(**limits), stop=stop)
        return solution_of(self.run)

    def decision_function(self, X: Any, offset: Any = None) -> np.ndarray:
        """The decision values X w + intercept + offset of new examples.

        Parameters
        ----------
        X : (m, d) array or scipy sparse matrix
            Rows are examples, with the features of training.
        offset : (m,) array or number, optional
            That of these examples; 0, the default unless training had one, gives the baseline.

        Returns
        -------
        (m,) array; (m, K) with softmax

        Raises
        ------
        ValueError
            If X is not a matrix of finite numbers with d columns, those of training in their order where names tell;
            without the offset where training had one.
        """
        tables.check_feature_names(X, self.feature_names)
        X = profiles.validated_matrix(X)
        if X.shape[1] != self.w.shape[0]:
            raise ValueError(f"X has {X.shape[1]} features, and this solution has {self.w.shape[0]}")
        if offset is not None and self.w.ndim > 1:
            raise ValueError("softmax takes no offset, which is for losses of one prediction: leave offset out")
        return with_offset(X @ self.w + self.intercept, offset, self.has_offset)

    def predict(self, X: Any, offset: Any = None) -> np.ndarray:
        """The predicted labels (m,) of new examples (m, d), as given in training; regression: the decision values.

        A decision value of 0 is predicted as the negative class, as in scikit-learn. Raises as `decision_function`.
        """
        z = self.decision_function(X, offset)
        return z if self.label_map is None else labels.predicted_labels(z, self.label_map)

    def predict_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """The probabilities (m, K) of the classes for new examples (m, d), in the order of `label_map`.

        Raises
        ------
        ValueError
            As `decision_function`; if the loss is neither logistic nor softmax, which alone model probabilities.
        """
        if self.loss not in PROBABILITY_LOSSES:
            told = "an unknown loss" if self.loss is None else f"the {self.loss} loss"
            able = " or ".join(PROBABILITY_LOSSES)
            raise ValueError(f"probabilities need {able}, and this is a solution with {told}")
        z = self.decision_function(X, offset)
        return softmax(z, axis=1) if z.ndim == 2 else np.column_stack([expit(-z), expit(z)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all but the run to one NPZ file, for `cdlab.load_solution`; whole, or not at all.

        Raises
        ------
        TypeError, ValueError
            If `path` is no name of a file.
        OSError
            If the file cannot be written.
        """
        about: dict[str, Any] = {"status": self.status, "gap": to_json_number(self.gap)}
        about["relative_gap"] = to_json_number(self.relative_gap)
        b = self.intercept
        about["intercept"] = (
            [to_json_number(each) for each in b.tolist()] if isinstance(b, np.ndarray) else to_json_number(b)
        )
        about["loss"] = self.loss
        about["labels"] = None if self.label_map is None else list(self.label_map.items())
        about["feature_names"], about["zero_based"] = self.feature_names, self.zero_based
        about["has_offset"] = self.has_offset
        arrays = {"w": self.w} if self.alpha is None else {"w": self.w, "alpha": self.alpha}
        _write_archive(path, arrays, about, self.trace)

    def save_certificate(
        self,
        path: str | os.PathLike[str],
        *,
        labels: Sequence[tuple[Any, float]] | None = None,
        label_column: int | None = None,
        rows: Literal["all", "train", "test"] = "all",
        scale: float | np.ndarray | None = None,
        about: str | None = None,
    ) -> Verdict:
        """Write a file that proves how far this solution is from the optimum, and check it.

        `cdlab/checker.py`, which needs Python alone, checks it anywhere: ``cdlab check FILE DATA``.

        Parameters
        ----------
        path : str or path
            The file; written whole, or not at all.
        labels : sequence of (label, number), optional
            What each label in DATA became; by default as the problem mapped them.
        label_column : int, optional
            Of a table: the position of the label.
        rows : "all", "train" or "test", default "all"
            Of an NPZ with `is_test`: which rows were solved.
        scale : float or (n,) array, optional
            What the values of each row of DATA were divided by.
        about : str, optional
            Free text, which the checker shows as not checked.

        Returns
        -------
        Verdict
            With `gap`, `primal` and `dual`: what the file proves, without rounding.

        Raises
        ------
        ValueError
            For a solution that was loaded or copied, whose problem is not known, and without a regulariser.
        OSError
            If the file cannot be written.
        """
        from ..proofs import describe, write_certificate  # few read or write them

        problem, alpha = self._problem_and_alpha()
        data = describe(problem, labels, label_column=label_column, rows=rows, scale=scale)
        return write_certificate(path, problem, self.w, self.intercept, alpha, data, about)

    def proved(self) -> Proved:
        """Prove digits of the optimum: intervals that contain w* and the intercept, with all rounding.

        As many as this point allows: a smaller tol proves more. `print` shows them, and nothing that is not proved. Up
        to 300,000 nonzeros the gap is exact, as in a certificate; beyond, it has a bound of its rounding.

        Returns
        -------
        Proved
            With `low`, `high`, `intercept`, `digits`, `signs`, `zeros`, and `decisions` of new examples.

        Raises
        ------
        ValueError
            For a solution that was loaded or copied, whose problem is not known, and for a loss of your own.

        Examples
        --------
        >>> import cdlab
        >>> P = cdlab.Problem([[0.5], [1.0], [2.0]], [1, 2, 3], loss="squared", l2=0.1)
        >>> print(cdlab.solve(P, tol=1e-12).proved())  # doctest: +ELLIPSIS
        Proved of the optimum w*, digits cut off (..) and not rounded:
        w[0] = 1.53...
        """
        from ..proofs import prove  # few ask for them

        problem, alpha = self._problem_and_alpha()
        return prove(problem, self.w, self.intercept, alpha)

    def _problem_and_alpha(self) -> tuple[Problem, np.ndarray]:
        if self.run is None or self.alpha is None:
            raise ValueError(
                "this solution was loaded or copied without its problem: cdlab.certify takes it with the data"
            )
        return self.run.problem, self.alpha

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "run": None}  # a run holds generators, which cannot be pickled


def load_solution(path: str | os.PathLike[str]) -> Solution:
    """Read a solution that `Solution.save` wrote. It can predict and be a start; it cannot be resumed.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Solution

    Raises
    ------
    OSError
        If there is no such file.
    TypeError, ValueError
        If `path` is no name of a file, or the file is not a solution, or damaged: what it certifies must be what its
        own records say.
    """
    arrays, about, trace = _read_archive(path)
    try:
        if about.get("status") not in STATUSES:
            raise ValueError(f"its status is {about.get('status')!r}")
        gap, relative = _number(about, "gap"), _number(about, "relative_gap")
        known, status = _label_map(about.get("labels")), Status(about["status"])
        intercept = _number_or_vector(about, "intercept") if "intercept" in about else 0.0  # 0.x wrote none
        if not isinstance(loss := about.get("loss"), str | None):
            raise ValueError("its loss is not a name")
        if not isinstance(base := about.get("zero_based", "auto"), bool) and base != "auto":
            raise ValueError(f"its zero_based is {checks.short_repr(base)}")
        if not isinstance(offset := about.get("has_offset", False), bool):
            raise ValueError(f"its has_offset is {checks.short_repr(offset)}")
        w, alpha, names = arrays["w"], arrays.get("alpha"), _feature_names(about.get("feature_names"), len(arrays["w"]))
        _check_shapes(w, alpha, intercept, known)
        if status != Status.DIVERGED and not all(np.isfinite(each).all() for each in (*arrays.values(), intercept)):
            raise ValueError(f"its w, alpha or intercept is not finite, and its status is {str(status)!r}")
        _check_certificate(gap, relative, trace, status)
        return Solution(w, alpha, gap, relative, status, trace, known, None, intercept, loss, names, base, offset)
    except ValueError as error:
        raise ValueError(f"{path} is not a solution saved by cdlab: {error}") from None


def _check_shapes(
    w: np.ndarray, alpha: np.ndarray | None, b: float | np.ndarray, known: dict[Any, float] | None
) -> None:
    """Refuse parts that do not belong together: nothing could be predicted by them."""
    classes = w.shape[1:]
    dual = None if alpha is None else alpha.shape
    if (dual is not None and dual[1:] != classes) or np.shape(b) not in ((), classes):
        raise ValueError(f"its w {w.shape}, alpha {dual} and intercept {np.shape(b)} do not belong together")
    values = sorted(known.values()) if known is not None else None
    if values is not None and values != list(range(classes[0])) if classes else not {*(values or ())} <= {-1.0, 1.0}:
        raise ValueError("its labels are not those of its w")


def _check_certificate(gap: float, relative: float, trace: Trace, status: Status) -> None:
    """Refuse gaps other than those of the record that `record_of` chooses, which `Trace` compares with its P and D."""
    known, known_relative = np.inf, np.inf
    if trace.records:
        record = record_of(trace, status)
        known, known_relative = record.gap, relative_gap(record, trace.at_zero)
    if not (_agrees(gap, known) and _agrees(relative, known_relative)):
        told = f"its gap is {gap:.6g} and its relative_gap {relative:.6g}"
        raise ValueError(f"{told}, and its best record makes them {known:.6g} and {known_relative:.6g}")


def _agrees(told: float, known: float) -> bool:
    return told == known or abs(told - known) <= DECIMALS_RTOL * abs(known) < np.inf


def _label_map(pairs: Any) -> dict[Any, float] | None:
    if pairs is None:
        return None
    good = isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | float | int)
        and isinstance(pair[1], float | int) for pair in pairs
    )  # fmt: skip
    if not good:
        raise ValueError("its labels are not pairs of a label and a number")
    return {label: float(value) for label, value in pairs}


def _feature_names(names: Any, d: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    if not (isinstance(names, list) and len(names) == d and all(isinstance(name, str) for name in names)):
        raise ValueError(f"its feature_names are not the names of {d} columns")
    return tuple(names)


def record_of(trace: Trace, status: Status) -> Record:
    """The record of a run whose point is its solution: the first one with the smallest gap.

    It is the last record where that ended the run, no gap is finite, or the last gap is within its rounding.
    """
    last = trace.records[-1]
    if status in (Status.TOLERANCE, Status.GRADIENT_SMALL) or is_within_rounding(last.gap, last.rounding):
        return last
    best = min(trace.records, key=attrgetter("gap"))
    return best if math.isfinite(best.gap) else last


def solution_of(run: Run) -> Solution:
    """The solution that a run has come to: its best point, as that point's record certifies it."""
    trace, status = run.trace, Status(run.status)
    record = record_of(trace, status)
    points = run.best.points if record is run.best.record else run.points
    assert points is not None, "the best record comes with its points"
    w, b = run.problem.coefficients(np.array(points.w))
    known, names, loss = run.problem.label_map, run.problem.feature_names, losses.unweighted(run.problem.loss).name
    relative = share_of_gap(record.gap, record.dual, run.at_zero)
    alpha, added = np.array(points.alpha), run.problem.offset is not None
    return Solution(w, alpha, record.gap, relative, status, trace, known, run, b, loss, names, has_offset=added)


def _write_archive(
    path: str | os.PathLike[str], arrays: dict[str, np.ndarray], about: dict[str, Any], trace: Trace
) -> None:
    """Write everything, or leave what was there."""
    content = {"file": FILE_KIND, "version": FILE_VERSION, **about, "trace": trace.to_plain()}
    text = json.dumps(content, allow_nan=False)
    with files.atomic_write(checks.file_name("path", path)) as file:
        parts: dict[str, Any] = {**arrays, "about": np.frombuffer(text.encode(), np.uint8)}
        np.savez_compressed(file, **parts)


def _read_archive(path: str | os.PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any], Trace]:
    """The arrays, the description and the trace that `_write_archive` was given.

    Raises
    ------
    OSError
        If the file cannot be opened.
    TypeError, ValueError
        If `path` is no name of a file, or it is not such a file, in a sentence that says what is wrong in it.
    """
    path = checks.file_name("path", path)
    files.check_is_file(path, "a saved solution")
    with open(path, "rb") as file:
        try:
            return _parse_archive(file)
        except (*DAMAGED_FILE_ERRORS, OSError) as error:  # a damaged directory makes it seek to before the file's start
            what = f"it has no {error.args[0]}" if isinstance(error, KeyError) and error.args else str(error)
            what = "it is damaged" if isinstance(error, OSError | zlib.error) else what
            raise ValueError(f"{path} is not a solution saved by cdlab: {what}") from None


def _parse_archive(file: IO[bytes]) -> tuple[dict[str, np.ndarray], dict[str, Any], Trace]:
    archive = _open_archive(file)
    if "about" not in archive.files:
        raise ValueError("it has no part named about")
    parts: Any = archive.zip  # open, as the archive is
    if parts.getinfo("about.npy").file_size > MAX_ABOUT_BYTES:
        raise ValueError("its description is longer than any that is written")
    content = json.loads(archive["about"].tobytes())
    if not isinstance(content, dict) or content.get("file") != FILE_KIND:
        raise ValueError("it is something else")
    if content.get("version") != FILE_VERSION:
        raise ValueError(f"it has version {content.get('version')!r}, and this cdlab reads {FILE_VERSION}")
    arrays: dict[str, np.ndarray] = {
        name: _float_array(name, archive[name]) for name in ("w", "alpha") if name == "w" or name in archive.files
    }
    return arrays, content, Trace.from_plain(content.get("trace"))


def _open_archive(file: IO[bytes]) -> np.lib.npyio.NpzFile:
    """The parts of an NPZ file; they are read from the open file."""
    if not zipfile.is_zipfile(file):
        raise ValueError("it is not an archive")
    file.seek(0)
    return np.load(file, allow_pickle=False)


def _number(content: dict[str, Any], name: str) -> float:
    """A number of the description, as `json_numbers.to_json_number` writes it."""
    value: Any = content.get(name)
    if not is_json_number(value):
        raise ValueError(f"its {name} is {checks.short_repr(value)}, not a number")
    return float(value)


def _number_or_vector(content: dict[str, Any], name: str) -> float | np.ndarray:
    """A number of the description, or where it is a list the vector of its numbers."""
    value = content.get(name)
    return np.array([_number({name: x}, name) for x in value]) if isinstance(value, list) else _number(content, name)


def _float_array(name: str, x: np.ndarray) -> np.ndarray:
    if not isinstance(x, np.ndarray) or x.dtype != np.float64 or x.ndim not in (1, 2) or x.size == 0:
        raise ValueError(f"its {name} is not a vector or matrix of float64 with something in it")
    return x
