"""The verdict of a face-off: which side the bounds favour, in a word, in sentences and as a table."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import FaceOff

TOO_CLOSE = 1.25  # bounds nearer than this factor predict nothing
# Bounds nearer than this do not settle a race: on text and gene expression those of docs/faceoff.md differ from
# T_P/T_D by up to 3.3.
RELIABLE = 4.0
# Examples a feature from which on the data can make P far more strongly convex than l2 does: races of docs/faceoff.md
# with as many differ from T_P/T_D by up to 200.
MANY = 10
WIDTH = 100  # of printed sentences


def winner(ratio: float | None) -> str | None:
    """The side that T_P/T_D favours; None for a tie, and where there is no ratio (None or NaN)."""
    if ratio is None or not (ratio >= TOO_CLOSE or ratio <= 1 / TOO_CLOSE):
        return None
    return "dual" if ratio > 1 else "primal"


def verdict(f: FaceOff) -> str:
    """The paragraph `FaceOff.verdict`: what the bounds say with importance sampling, and what they do not know."""
    if f.ratio is None:
        return f"There is no verdict: {f.reason}."
    side, by_uniform = winner(f.ratio), winner(f.uniform.ratio)
    words = [f"With importance sampling {said(f.ratio)}."]
    if by_uniform != side and f.uniform.ratio is not None:
        words.append(f"With uniform sampling {said(f.uniform.ratio)}.")
    if side and max(f.ratio, 1 / f.ratio) < RELIABLE:
        words.append(f"Bounds within a factor of {RELIABLE:g} do not settle a race: run it.")
    words += doubts(f.n_nonempty, f.d_nonempty, side)
    P, D = f.cost_P(), f.cost_D()
    if f.derivative_cost and P and D:
        counted = f"Counting a loss derivative as {f.derivative_cost:.3g} visited nonzeros"
        words.append(f"{counted} ({f.derivative_cost_source}), {said(P / D)}.")
    return " ".join(words)


def doubts(n: int, d: int, side: str | None) -> list[str]:
    """Sentences on why a race may differ from T_P/T_D.

    Parameters
    ----------
    n, d : int
        Examples and features that are not empty.
    side : "primal", "dual" or None
        The side that T_P/T_D favours.
    """
    words = []
    if side == "dual" and n >= MANY * d:
        words.append(
            f"There are {n / d:.3g} times as many examples as features, so that the data can make P far more strongly "
            "convex than l2 does, which the bounds do not see: the dual's lead can be a hundredth of this, and at a "
            "small l2 the primal can win."
        )
    if side != "dual":
        words.append(
            "This is about rcd and quartz, whose steps are as short as the bounds require; sdca takes the exact step "
            "of the dual, and can still be ahead of rcd."
        )
    return words


def said(ratio: float) -> str:
    """A ratio of the primal's work to the dual's as a clause: which side it favours, and by what factor."""
    side, factor = winner(ratio), max(ratio, 1 / ratio)
    if side is None:
        return f"the bounds call it a tie (T_P/T_D = {ratio:.3g})"
    return f"the bounds favour the {side} by a factor of {factor:.3g}"


def printed(f: FaceOff) -> str:
    """The text of ``print(f)``: the sums, K, W and T as a table, the ratios and the verdict."""
    sums, work, ratios = told(f)
    lines = [*sums]
    if work:
        lines += ["", work, f.table().to_string(float_format="{:.4g}".format, na_rep="-")]
    if ratios:
        lines += ["", ratios]
    return "\n".join([*lines, "", *textwrap.wrap(f.verdict, WIDTH)])


def told(f: FaceOff) -> tuple[list[str], str, str]:
    """Lines about the sums, what the table of K, W and T is (empty where there is none), and the ratios."""
    place = f.theorem3
    head = f"{f.n:,} examples, {f.d:,} features, {f.nnz:,} nonzeros"
    if (f.n, f.d) != (f.n_nonempty, f.d_nonempty):
        head += f"; {f.n_nonempty:,} examples and {f.d_nonempty:,} features are not empty, and only they count"
    lines = [head, f"C_P = {f.C_P:.4g}, C_D = {f.C_D:.4g}, ||X||_F^2 = {f.F:.4g}"]
    if place.ratio is not None and place.ratio_bounds is not None:
        low, high = place.ratio_bounds
        lines[1] += f", C_P/C_D = {place.ratio:.4g}"
        lines.append(
            f"C_P/C_D lies between 1/d = {low:.3g}, the primal's best case, and n = {high:.4g}, the dual's"
            + (f": {place.position:.0%} of the way on a log scale" if place.position is not None else "")
        )
    bounded = f.T_P is not None or f.T_D is not None
    work = "iterations K, visits of an iteration W, visits T = K W (per factor e of accuracy), passes T/nnz"
    ratios = {"importance": f.ratio, "uniform": f.uniform.ratio, "accelerated": f.ratio_acc}
    ratios |= {"at beta = l2 n": f.ratio_table}
    known = [f"{ratio:.4g} ({name})" for name, ratio in ratios.items() if ratio is not None]
    above = f"T_P/T_D, above 1 for the dual: {', '.join(known)}" if known else ""
    return lines, work if bounded else "", above
