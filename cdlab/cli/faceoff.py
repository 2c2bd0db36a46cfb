"""``cdlab faceoff FILE``."""

from __future__ import annotations

import argparse
import platform
import textwrap
import time
from typing import NamedTuple

import numpy as np

from .. import __version__, datasets, faceoffs, losses
from ..datasets.streaming import MAX_CLASSES
from ..faceoffs import FaceOff
from ..losses import Loss
from ..problems.labels import make_label_map
from ..problems.problem import Problem
from . import specs
from .options import Parser, add_output, add_problem, described, headline, load_problem
from .printing import number, table, to_json
from .watching import Progress

WIDTH = 100  # of sentences


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "faceoff",
        "FILE [options]",
        description="""Which needs less work on this data set: coordinate descent on the primal (rcd:
coordinates are features) or on the dual (quartz, sdca: coordinates are
examples)? Computed from the bounds, without solving. For a sampling that takes
coordinate k with probability p_k,

    K = max_k (beta v_k + l2 n) / (p_k l2 n)   iterations, up to a logarithm
    W = sum_k p_k c_k                          nonzeros visited an iteration
    T = K W                                    nonzeros visited in all

where beta is the smoothness of the loss, and v_k, c_k are the squared norm and
the nonzeros of column k (primal) or row k (dual). Importance sampling, p_k
proportional to beta v_k + l2 n, makes K and T smallest (Theorem 2); then

    T_P = nnz + beta/(l2 n) C_P,  C_P = sum_j ||X_:j||_0 ||X_:j||^2  (columns)
    T_D = nnz + beta/(l2 n) C_D,  C_D = sum_i ||x_i||_0 ||x_i||^2    (rows)

and 1/d <= C_P/C_D <= n (Theorem 3). T_P/T_D > 1 favours the dual. Empty rows
and columns are not coordinates: K, n and d count the others.
--derivative-cost measured also predicts seconds. --stream reads a LIBSVM file
once and keeps only sums, for files that are too large for memory.
Source: Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016)""",
        epilog="""columns
  side, sampling  primal or dual, uniform or importance
  K, W, T         as above; "-" where there is no bound, and the reason below
  passes          T/nnz

exit codes
  0 done, 2 bad input, 130 interrupted

examples
  cdlab faceoff mushrooms
  cdlab faceoff mushrooms --scale mean --l2 1/n    as in the paper
  cdlab faceoff huge.svm.gz --l2 1/n --stream      in bounded memory
  cdlab faceoff a9a --l2 1/n --derivative-cost measured""",
    )
    add_problem(parser)
    parser.add_argument_group("reading").add_argument(
        "--stream", action="store_true",
        help="LIBSVM text only: read FILE once and keep only sums over its columns; without a test part beside it",
    )  # fmt: skip
    parser.add_argument_group("the cost model").add_argument(
        "--derivative-cost", type=_cost, metavar="K",
        help="cost of one loss derivative in visited nonzeros: a number, or measured, once on this machine "
        "(default: assumed)",
    )  # fmt: skip
    add_output(parser)
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    if args.intercept:
        raise ValueError("faceoff compares bounds that need a regulariser of every coordinate: leave out --intercept")
    problem: Problem | _Streamed
    with Progress(args.quiet) as progress:
        if args.stream:
            data, problem = _scanned(args, progress)
            f = faceoffs.faceoff(data, loss=problem.loss, l2=problem.l2, derivative_cost=args.derivative_cost)
        else:
            problem = load_problem(args, progress)
            f = faceoffs.faceoff(problem, derivative_cost=args.derivative_cost)
    if args.json:
        versions = {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()}
        found = {"verb": "faceoff", "problem": described(args, problem), "faceoff": f.to_dict(), "versions": versions}
        return 0, to_json(found)
    rows = f.table().reset_index()
    lines = [
        headline(args, problem),
        "",
        table(list(rows.columns), rows.to_dict("records")),
        "",
        *_sentences(f, args.stream),
    ]
    return 0, "\n".join(lines)


class _Streamed(NamedTuple):
    """The facts about a problem that are printed, for data that are only read once and not kept."""

    n: int
    d: int
    nnz: int
    loss: Loss
    l2: float
    l1: float
    intercept: bool = False
    digest: None = None
    X: None = None


def _scanned(args: argparse.Namespace, progress: Progress) -> tuple[datasets.Scan, _Streamed]:
    if args.split != "train":
        raise ValueError(
            f"--stream reads FILE alone and cannot find its --split {args.split}: name the file of that part"
        )
    if args.label is not None:
        raise ValueError("--stream reads LIBSVM text, which has no columns to choose from: leave out --label")
    if args.dense is not None:
        raise ValueError("--stream does not store X: leave out --dense and --sparse")
    loss, start = losses.resolve(args.loss), time.monotonic()

    def tell(at: datasets.Scanned) -> None:
        if progress.due:
            share = f" ({at.bytes / at.total:.0%})" if at.total else ""
            progress.show(
                f"{args.file}: {at.examples} examples, {at.nonzeros} nonzeros, {at.bytes / 1e6:.0f} MB of text{share}, "
                f"{time.monotonic() - start:.0f} s"
            )

    found = datasets.scan(args.file, n_features=args.n_features, scale=args.scale, progress=tell)
    _check_labels(args.file, found.labels, loss)
    l1 = args.l1(found.n)
    if l1 != 0:
        raise ValueError("--stream takes l1 = 0 only: with l1 > 0 the primal side has no bound")
    return found, _Streamed(found.n, found.d, found.nnz, loss, args.l2(found.n), l1)


def _check_labels(file: str, found: tuple[float, ...] | None, loss: Loss) -> None:
    """Refuse labels that a Problem would refuse."""
    if found is not None:
        make_label_map(np.array(found), loss)
    elif loss.classification:
        raise ValueError(
            f"{file} has more than {MAX_CLASSES} distinct labels, which cannot be classes: use a regression loss "
            "(squared, absolute, huber)"
        )


@specs.spoken
def _cost(text: str) -> float | str:
    return text if text == "measured" else specs.number(text)


def _sentences(f: FaceOff, streamed: bool) -> list[str]:
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
    if f.reason is not None:
        lines.append(f'"-" stands where there is no bound: {f.reason}')
    if f.ratio is not None:
        lines.append(f"predicted winner: {f.winner or 'none, a tie'}")
        lines += textwrap.wrap(f.verdict, WIDTH)
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
        return "break-even: none; the dual side wins whatever a loss derivative costs"
    return f"break-even: the primal side wins while a loss derivative costs less than {number(f.break_even)}"
