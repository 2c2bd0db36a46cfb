"""``cdlab faceoff FILE``."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np

from .. import datasets, faceoffs, regularizers
from ..datasets.catalogue import shipped
from ..datasets.libsvm import FROM_1
from ..datasets.streaming import MAX_CLASSES
from ..faceoffs import FaceOff
from ..faceoffs.result import wrapped_lines
from ..problems.labels import make_label_map
from . import values
from .options import OutputOptions, ProblemOptions
from .output import VerbProgress, number, table, to_json, versions
from .values import read_by

SENTENCE_WIDTH = 100  # characters


def _cost(text: str) -> float | str:
    return text if text == "measured" else values.number(text)


def faceoff(
    problem: ProblemOptions,
    *,
    stream: bool = False,
    derivative_cost: Annotated[float | str | None, read_by(_cost, "NUMBER")] = None,
    output: OutputOptions = OutputOptions(),
) -> tuple[int, str]:
    """Primal or dual? Which coordinate descent needs less work on these data.

    On the primal (rcd) coordinates are features, on the dual (quartz, sdca) they
    are examples. Computed from the bounds, without solving. For a sampling that
    takes coordinate k with probability p_k,

        K = max_k (beta v_k + l2 n) / (p_k l2 n)   iterations, up to a logarithm
        W = sum_k p_k c_k                          nonzeros visited an iteration
        T = K W                                    nonzeros visited in all

    where beta is the smoothness of the loss, and v_k, c_k are the squared norm and
    the nonzeros of column k (primal) or row k (dual). Importance sampling, p_k
    proportional to beta v_k + l2 n, makes K and T smallest (Theorem 2); then

        T_P = nnz + beta/(l2 n) C_P,  C_P = sum_j ||X_:j||_0 ||X_:j||^2  (columns)
        T_D = nnz + beta/(l2 n) C_D,  C_D = sum_i ||x_i||_0 ||x_i||^2    (rows)

    and 1/d <= C_P/C_D <= n (Theorem 3). T_P/T_D > 1 favours the dual. Empty rows
    and columns are not coordinates: K, n and d count the others. Beside the bounds
    stand the passes that exact steps with uniform draws take in the end, from the
    smallest eigenvalue of each side: the winner can be the other one.
    --derivative-cost measured also predicts seconds. --stream reads a LIBSVM file
    once and keeps only sums, for files that are too large for memory.
    Source: Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016)

    Parameters
    ----------
    stream
        LIBSVM text only: read FILE once and keep only sums over its columns; without a test part beside it.
    derivative_cost
        As `faceoff`.

    Columns
    -------
    side, sampling  primal or dual, uniform or importance
    K, W, T         as above; "-" where there is no bound, and the reason below
    passes          T/nnz

    Exit codes
    ----------
    0 done, 2 bad input, 130 interrupted

    Examples
    --------
    cdlab faceoff mushrooms
    cdlab faceoff mushrooms --scale mean --l2 1/n    as in the paper
    cdlab faceoff huge.svm.gz --l2 1/n --stream      in bounded memory
    cdlab faceoff a9a --l2 1/n --derivative-cost measured
    """
    if problem.intercept:
        raise ValueError("faceoff compares bounds that need a regulariser of every coordinate: leave out --intercept")
    if problem.features:
        raise ValueError("faceoff compares bounds of features without limits: leave out --lower and its like")
    P: Any
    with VerbProgress(output.quiet) as progress:
        if stream:
            scan, P = _scan(problem, progress)
            problem = replace(problem, zero_based=scan.zero_based)
            found = faceoffs.faceoff(scan, loss=P.loss, l2=P.l2, derivative_cost=derivative_cost)
        else:
            problem, P = problem.load(progress)
            found = faceoffs.faceoff(P, derivative_cost=derivative_cost)
    if output.json:
        result = {"verb": "faceoff", "problem": problem.to_dict(P), "faceoff": found.to_dict(), "versions": versions()}
        return 0, to_json(result)
    rows = found.table().reset_index()
    lines = [problem.headline(P), "", table(list(rows.columns), rows.to_dict("records")), "", *_report(found, stream)]
    return 0, "\n".join(lines)


def _scan(problem: ProblemOptions, progress: VerbProgress) -> tuple[datasets.Scan, SimpleNamespace]:
    """The sums over the rows of a file, and the facts about its problem that are shown."""
    if problem.split != "train":
        raise ValueError(
            f"--stream reads FILE alone and cannot find its --split {problem.split}: name the file of that part"
        )
    if problem.label is not None or problem.drop or problem.offset is not None:
        raise ValueError("--stream reads LIBSVM text, which has no columns: leave out --label, --drop and --offset")
    if problem.dense is not None:
        raise ValueError("--stream does not store X: leave out --dense and --sparse")
    loss, start = values.loss(problem.loss), time.monotonic()

    def show(at: datasets.Scanned) -> None:
        if progress.due:
            share = f" ({at.bytes / at.total:.0%})" if at.total else ""
            progress.show(
                f"{problem.file}: {at.examples} examples, {at.nonzeros} nonzeros, {at.bytes / 1e6:.0f} MB of text"
                f"{share}, {time.monotonic() - start:.0f} s"
            )

    scan = datasets.scan(
        problem.file, n_features=problem.n_features, scale=problem.scale, zero_based=problem.zero_based, progress=show
    )
    if problem.zero_based == "auto" and not scan.zero_based and problem.file not in shipped():
        progress.say(FROM_1)
    if scan.labels is not None:
        make_label_map(np.array(scan.labels), loss)
    elif loss.classification:
        raise ValueError(
            f"{problem.file} has more than {MAX_CLASSES} distinct labels, which cannot be classes: use a regression "
            "loss (squared, absolute, pinball, ...)"
        )
    l2, l1 = (regularizers.parse_weight(weight)(scan.n) for weight in (problem.l2, problem.l1))
    if l1 != 0:
        raise ValueError("--stream takes l1 = 0 only: with l1 > 0 the primal side has no bound")
    facts = SimpleNamespace(
        n=scan.n, d=scan.d, nnz=scan.nnz, X=None, loss=loss, l2=l2, l1=l1, intercept=False, digest=None
    )
    return scan, facts


def _report(f: FaceOff, streamed: bool) -> list[str]:
    bounds = f.theorem3
    lines = [f"C_P = {number(f.C_P)}, C_D = {number(f.C_D)}, ||X||_F^2 = {number(f.F)}"]
    if (f.n, f.d) != (f.n_nonempty, f.d_nonempty):
        lines.append(
            f"{f.n_nonempty} of {f.n} rows (n) and {f.d_nonempty} of {f.d} columns (d) are not empty: only they count "
            "in Theorem 3 and in K"
        )
    if bounds.ratio_bounds is not None:
        low, high = bounds.ratio_bounds
        lines.append(
            f"C_P/C_D = {number(bounds.ratio)}, between 1/d = {number(low)} and n = {number(high)} (Theorem 3)"
            + (f", at {bounds.position:.0%} of the way on a log scale" if bounds.position is not None else "")
        )
    if f.ratio is not None:
        lines.append(f"T_P/T_D = {number(f.ratio)} with importance sampling and the loss's own smoothness")
    if f.uniform.ratio is not None:
        lines.append(f"T_P/T_D = {number(f.uniform.ratio)} with uniform sampling")
    if f.ratio_acc is not None:
        lines.append(
            f"T_P/T_D = {number(f.ratio_acc)} for accelerated methods with p proportional to sqrt(L): "
            f"{number(f.T_P_acc)} against {number(f.T_D_acc)} visits"
        )
    elif streamed and f.ratio is not None:
        lines.append("no T_P/T_D for accelerated methods: it needs every row's own norm, and --stream keeps none")
    lines.append(f"T_P/T_D = {number(f.ratio_table)} with beta/(l2 n) = 1, the convention of the paper's Table 1")
    if f.exact is not None:
        passes = f"primal {f.exact.from_zero_P.rough}, dual {f.exact.from_zero_D.rough}"
        if not math.isnan(f.exact.from_zero_P.low):
            lines.append(
                f"passes of exact steps with uniform draws, from 0 to a relative gap of 1e-6, estimated: {passes}"
            )
        passes = f"primal {f.exact.passes_P}, dual {f.exact.passes_D}"
        lines.append(f"passes of exact steps with uniform draws, per factor e in the end: {passes}")
    elif streamed and f.ratio is not None:
        lines.append("no passes of exact steps: they need products with X, and --stream keeps none")
    if f.reason is not None:
        lines.append(f'"-" stands where there is no bound: {f.reason}')
    if f.ratio is not None:
        lines.append(f"the bounds favour: {f.winner or 'neither side'}")
        lines.append(wrapped_lines(f.verdict, SENTENCE_WIDTH))
        lines.append(f"derivative cost: {number(f.derivative_cost)} visited nonzeros ({f.derivative_cost_source})")
        lines.append(_break_even(f))
        if f.seconds_P is not None and f.seconds_D is not None:
            lines.append(
                f"predicted seconds on this machine, per factor e of accuracy: primal {number(f.seconds_P)}, dual "
                f"{number(f.seconds_D)}; more where the data do not fit the processor's cache"
            )
    return lines


def _break_even(f: FaceOff) -> str:
    if f.break_even is None:
        return "break-even: none; T_P <= K_D, so the primal's work does not grow faster with that cost than the dual's"
    if f.break_even <= 0:
        return "break-even: none; by the bounds the dual side wins whatever a loss derivative costs"
    return (
        f"break-even: by the bounds the primal side wins while a loss derivative costs less than {number(f.break_even)}"
    )
