"""The result of a face-off: the sums of the matrix, the work of both sides, and the verdict in words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .derivative_cost import Speed, check_cost
from .exact_steps import ExactSteps

if TYPE_CHECKING:
    import pandas

TIE_FACTOR = 1.25  # bounds nearer than this factor predict nothing
# Bounds nearer than this do not settle a race: on text and gene expression those of docs/faceoff.md differ from
# T_P/T_D by up to 3.3.
RELIABLE_FACTOR = 4.0
# From this many examples per feature on the data can make P far more strongly convex than l2 does: in races of
# docs/faceoff.md with as many (importance sampling) the dual's lead is up to so many times smaller than T_P/T_D.
MANY_EXAMPLES_PER_FEATURE = 10
MAX_OVERSTATED_LEAD = 200
PRINTED_WIDTH = 100  # characters
METHOD_OF_SIDE = {"primal": "rcd", "dual": "sdca"}
ROUNDING = 1e-12  # T_P and K_D are equal but for rounding where every line has one nonzero


@dataclass(frozen=True)
class Work:
    """The work that the bounds predict for one sampling, up to the factor log(c/eps). None where there is no bound.

    Attributes
    ----------
    K_P, K_D, W_P, W_D, T_P, T_D : float or None
        Iterations K, expected visited nonzeros of an iteration W, and nonzeros visited in all T = K W, on the primal
        and dual side.
    """

    K_P: float | None = None
    K_D: float | None = None
    W_P: float | None = None
    W_D: float | None = None
    T_P: float | None = None
    T_D: float | None = None

    @property
    def ratio(self) -> float | None:
        """T_P/T_D: above 1 the bound favours the dual."""
        return self.T_P / self.T_D if self.T_P is not None and self.T_D else None


@dataclass(frozen=True)
class Theorem3:
    """Theorem 3 of Csiba & Richtarik (2016), and where these data lie between its bounds.

    F <= C_P <= n F, F <= C_D <= d F and 1/d <= C_P/C_D <= n, with F = ||X||_F^2. n and d count the rows and columns
    that are not empty: the theorem excludes the others, which add nothing to F, C_P and C_D.

    Attributes
    ----------
    C_P_bounds, C_D_bounds : (low, high)
    ratio_bounds : (low, high) or None
        None if X = 0.
    ratio : float or None
        C_P/C_D; None if X = 0.
    position : float or None
        Where the ratio lies between its bounds on a log scale, from 0 (the primal's best case) to 1 (the dual's). None
        if X = 0 or n = d = 1.
    """

    C_P_bounds: tuple[float, float]
    C_D_bounds: tuple[float, float]
    ratio_bounds: tuple[float, float] | None
    ratio: float | None
    position: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class FaceOff:
    """Primal against dual on one data set. K, W, T and ratio are for importance sampling.

    ``print`` shows the sums, K, W, T, the ratios and the verdict.

    Attributes
    ----------
    n, d, nnz : int
        Examples, features and nonzeros.
    n_nonempty, d_nonempty : int
        Examples and features with a nonzero. Theorem 3, K, W and T count only these: from w = 0 the feature of an empty
        column never moves, and the dual variable of an empty row is known in closed form.
    F, C_P, C_D : float
        Squared Frobenius norm, and the two sums that decide the face-off. C_P/F and C_D/F are the mean numbers of
        nonzeros of a column and of a row, weighted by squared norms.
    ratio_table : float or None
        T_P/T_D with beta/(l2 n) = 1, the convention of the paper's Table 1. None if X = 0.
    theorem3 : Theorem3
    importance, uniform : Work
        K, W, T and ratio of these samplings. Importance sampling's, which minimises K and T, are also attributes here:
        K_P, K_D, W_P, W_D, T_P, T_D and ratio.
    by_sampling : mapping of str to Work
        K, W, T and ratio of the samplings that were asked for.
    T_P_acc, T_D_acc : float or None
        Visited nonzeros of accelerated coordinate descent with p ~ sqrt(L), per factor e as the others:
        sum_j r_j sqrt(1 + beta/(l2 n) ||X_:j||^2) and the same over rows; None for a file that is only scanned.
    derivative_cost, derivative_cost_source : float and str, or None
        Cost of one loss derivative in visited nonzeros, and where the number comes from. None for a matrix alone.
    speed : Speed or None
        Seconds a visit and an update take on this machine, if they were measured.
    exact : ExactSteps or None
        What exact steps with uniform draws do, which no bound here says: passes of each side from 0 to a relative gap
        of 1e-6, estimated, and per factor e in the end, to half a pass. None where a side has no bound, and for a file
        that is only scanned.
    dense : bool
        Whether X is stored as a dense array.
    reason : str or None
        Why some of K, T and ratio are None; None if all of them are known.
    """

    n: int
    d: int
    n_nonempty: int
    d_nonempty: int
    nnz: int
    F: float
    C_P: float
    C_D: float
    ratio_table: float | None
    theorem3: Theorem3
    importance: Work = Work()
    uniform: Work = Work()
    by_sampling: Mapping[str, Work] = field(default_factory=dict)
    T_P_acc: float | None = None
    T_D_acc: float | None = None
    derivative_cost: float | None = None
    derivative_cost_source: str | None = None
    speed: Speed | None = None
    exact: ExactSteps | None = field(default=None, compare=False)
    dense: bool = False
    reason: str | None = None

    @property
    def K_P(self) -> float | None:
        """Iterations of the primal, per factor e of accuracy."""
        return self.importance.K_P

    @property
    def K_D(self) -> float | None:
        """Iterations of the dual, per factor e of accuracy."""
        return self.importance.K_D

    @property
    def W_P(self) -> float | None:
        """Expected nonzeros that an iteration of the primal visits."""
        return self.importance.W_P

    @property
    def W_D(self) -> float | None:
        """Expected nonzeros that an iteration of the dual visits."""
        return self.importance.W_D

    @property
    def T_P(self) -> float | None:
        """Nonzeros that the primal visits in all, K_P W_P, per factor e of accuracy."""
        return self.importance.T_P

    @property
    def T_D(self) -> float | None:
        """Nonzeros that the dual visits in all, K_D W_D, per factor e of accuracy."""
        return self.importance.T_D

    @property
    def ratio(self) -> float | None:
        """T_P/T_D: above 1 the bound favours the dual."""
        return self.importance.ratio

    @property
    def ratio_acc(self) -> float | None:
        """T_P_acc/T_D_acc: above 1 the bounds of accelerated methods favour the dual."""
        return self.T_P_acc / self.T_D_acc if self.T_P_acc is not None and self.T_D_acc else None

    def cost_P(self, derivative_cost: float | None = None) -> float | None:
        """(1 + k) T_P: the primal's work if a loss derivative costs k visited nonzeros; each nonzero needs one.

        Parameters
        ----------
        derivative_cost : float, optional
            k; by default the one of this face-off.

        Raises
        ------
        ValueError
            If it is not a number >= 0.
        """
        k = self._cost_or_own(derivative_cost)
        return None if k is None or self.T_P is None else (1 + k) * self.T_P

    def cost_D(self, derivative_cost: float | None = None) -> float | None:
        """T_D + k K_D: the dual's work if a loss derivative costs k visited nonzeros; each iteration needs one.

        Parameters and errors are those of `cost_P`.
        """
        k = self._cost_or_own(derivative_cost)
        return None if k is None or self.T_D is None or self.K_D is None else self.T_D + k * self.K_D

    def _cost_or_own(self, derivative_cost: float | None) -> float | None:
        return self.derivative_cost if derivative_cost is None else check_cost(derivative_cost)

    @property
    def seconds_P(self) -> float | None:
        """Seconds of the primal on this machine, per factor e of accuracy. None unless derivative_cost was measured.

        Visits and derivatives are counted at the speed of the processor's cache, with the cost of an update added:
        larger data take longer, on both sides. In a dense X the solvers pass through zeros, too: these take time, and
        are not visits.
        """
        if self.speed is None or self.K_P is None or self.T_P is None:
            return None
        entries = self.K_P * self.n if self.dense else self.T_P
        return self.speed.visit * (1 + self.speed.derivative_cost) * entries + self.speed.update * self.K_P

    @property
    def seconds_D(self) -> float | None:
        """Seconds of the dual; see `seconds_P`."""
        if self.speed is None or self.K_D is None or self.T_D is None:
            return None
        entries = self.K_D * self.d if self.dense else self.T_D
        return self.speed.visit * (entries + self.speed.derivative_cost * self.K_D) + self.speed.update * self.K_D

    @property
    def break_even(self) -> float | None:
        """(T_D - T_P)/(T_P - K_D): the primal wins while a derivative costs less. None if T_P <= K_D.

        Below 0 the dual wins at any cost. Where it is None, expensive derivatives do not hurt the primal more than the
        dual.
        """
        T_P, T_D, K_D = self.T_P, self.T_D, self.K_D
        if T_P is None or T_D is None or K_D is None or T_P <= K_D * (1 + ROUNDING):
            return None
        return (T_D - T_P) / (T_P - K_D)

    @property
    def winner(self) -> str | None:
        """The side that T_P/T_D favours, "primal" or "dual"; None for a tie, and where there is no ratio.

        The bounds' word, as in the paper; `recommended` weighs it against what exact steps do.
        """
        return winner(self.ratio)

    @property
    def recommended(self) -> str | None:
        """The side to use by what exact steps do from 0; None: race the two, or there is no ratio."""
        return _recommended(self)[0]

    @property
    def verdict(self) -> str:
        """Recommendation; then, by lines, which side the bounds favour, by what factor, and how far to trust that."""
        return _verdict(self)

    def __str__(self) -> str:
        return _printed(self)

    def _repr_html_(self) -> str:
        from ..runs import in_html  # by notebooks only

        sums, caption, ratios = _summary(self)
        table = (caption, self.table().reset_index()) if caption else ()
        return in_html.notebook_html("\n".join(sums), *table, ratios, self.verdict)

    def __repr__(self) -> str:
        ratio = "" if self.ratio is None else f", T_P/T_D={self.ratio:.3g}"
        return f"FaceOff(n={self.n}, d={self.d}, nnz={self.nnz}{ratio}, recommended={self.recommended!r})"

    def to_dict(self) -> dict[str, Any]:
        """Fields and properties as plain numbers, words, lists, dicts and None: ready for JSON."""
        own = asdict(replace(self, exact=None))
        plain = own.pop("importance") | own
        names = ("ratio", "ratio_acc", "break_even", "seconds_P", "seconds_D", "winner", "recommended", "verdict")
        plain |= {name: getattr(self, name) for name in names}
        plain["uniform"]["ratio"] = self.uniform.ratio
        for label, work in self.by_sampling.items():
            plain["by_sampling"][label]["ratio"] = work.ratio
        plain["speed"] = None if self.speed is None else self.speed._asdict()
        plain["exact"] = None if self.exact is None else self.exact.to_dict()
        return plain

    def table(self) -> pandas.DataFrame:
        """K, W, T and passes = T/nnz by side and sampling; NaN where there is no bound."""
        import pandas as pd

        rows = {}
        for side, letter in (("primal", "P"), ("dual", "D")):
            for sampling, work in {"uniform": self.uniform, "importance": self.importance, **self.by_sampling}.items():
                K, W, T = (getattr(work, f"{quantity}_{letter}") for quantity in "KWT")
                rows[side, sampling] = K, W, T, T / self.nnz if T is not None and self.nnz else None
        index = pd.MultiIndex.from_tuples(rows, names=["side", "sampling"])
        return pd.DataFrame(list(rows.values()), index=index, columns=["K", "W", "T", "passes"], dtype=float)


# ------------------------------------------------------------ in words
def winner(ratio: float | None) -> str | None:
    """The side that T_P/T_D favours; None for a tie, and where there is no ratio (None or NaN)."""
    if ratio is None or not (ratio >= TIE_FACTOR or ratio <= 1 / TIE_FACTOR):
        return None
    return "dual" if ratio > 1 else "primal"


def _verdict(f: FaceOff) -> str:
    """The lines of `FaceOff.verdict`: what to use, what the bounds say, and what they do not know."""
    if f.ratio is None:
        return f"There is no verdict: {f.reason}."
    side, by_uniform = winner(f.ratio), winner(f.uniform.ratio)
    words = [_recommendation(f), f"With importance sampling {ratio_in_words(f.ratio)}."]
    if by_uniform != side and f.uniform.ratio is not None:
        words.append(f"With uniform sampling {ratio_in_words(f.uniform.ratio)}.")
    if side and max(f.ratio, 1 / f.ratio) < RELIABLE_FACTOR:
        words.append(f"Bounds within a factor of {RELIABLE_FACTOR:g} do not settle a race: run it.")
    words += caveats(f.n_nonempty, f.d_nonempty, side)
    if f.exact is not None:
        words.append(f.exact.sentence(side))
    P, D = f.cost_P(), f.cost_D()
    if f.derivative_cost and P and D:
        counted = f"Counting a loss derivative as {f.derivative_cost:.3g} visited nonzeros"
        words.append(f"{counted} ({f.derivative_cost_source}), {ratio_in_words(P / D)}.")
    return "\n".join(words)


def _recommendation(f: FaceOff) -> str:
    """Recommend what to use, in a sentence."""
    side, why = _recommended(f)
    if side is None:
        return f"What to use: race rcd against sdca, since {why}."
    return f"What to use: the {side} side, such as {METHOD_OF_SIDE[side]}: {why}."


def _recommended(f: FaceOff) -> tuple[str | None, str]:
    """The side to use, or none, and why: what exact steps do decides, where it is known."""
    if f.ratio is None:
        return None, ""
    if f.exact is not None:
        side = f.exact.ahead
        if side is None:
            return None, f.exact.doubt
        return side, "exact steps are ahead there" + (", and so are the bounds" if side == f.winner else "")
    # sdca's steps are no shorter than those of the bounds, which says nothing of it where they favour the primal
    if f.winner == "dual" and f.ratio >= RELIABLE_FACTOR and not _overstates(f.n_nonempty, f.d_nonempty, f.winner):
        return f.winner, f"the bounds differ by more than a factor of {RELIABLE_FACTOR:g}"
    return None, "the bounds do not settle it"


def _overstates(n: int, d: int, side: str | None) -> bool:
    """Tell whether T_P/T_D can exceed the dual's lead by far."""
    return side == "dual" and n >= MANY_EXAMPLES_PER_FEATURE * d


def caveats(n: int, d: int, side: str | None) -> list[str]:
    """Sentences on why a race may differ from T_P/T_D.

    Parameters
    ----------
    n, d : int
        Examples and features that are not empty.
    side : "primal", "dual" or None
        The side that T_P/T_D favours.
    """
    words = []
    if _overstates(n, d, side):
        words.append(
            f"There are {n / d:.3g} times as many examples as features, so that the data can make P far more strongly "
            f"convex than l2 does, which the bounds do not see: the dual's lead can be {MAX_OVERSTATED_LEAD} times "
            "smaller than this, and at a small l2 the primal can win."
        )
    if side != "dual":
        words.append(
            "This is about rcd and quartz, whose steps are as short as the bounds require; sdca takes the exact step "
            "of the dual, and can still be ahead of rcd."
        )
    return words


def ratio_in_words(ratio: float) -> str:
    """A ratio of the primal's work to the dual's as a clause: which side it favours, and by what factor."""
    side, factor = winner(ratio), max(ratio, 1 / ratio)
    if side is None:
        return f"the bounds call it a tie (T_P/T_D = {ratio:.3g})"
    return f"the bounds favour the {side} by a factor of {factor:.3g}"


def wrapped_lines(text: str, width: int) -> str:
    """The text with each of its lines wrapped."""
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))


def _printed(f: FaceOff) -> str:
    """The text of ``print(f)``: the sums, K, W and T as a table, the ratios and the verdict."""
    sums, caption, ratios = _summary(f)
    lines = [*sums]
    if caption:
        lines += ["", caption, f.table().to_string(float_format="{:.4g}".format, na_rep="-")]
    if ratios:
        lines += ["", ratios]
    return "\n".join([*lines, "", wrapped_lines(f.verdict, PRINTED_WIDTH)])


def _summary(f: FaceOff) -> tuple[list[str], str, str]:
    """Lines about the sums, the caption of the table of K, W and T (empty where there is none), and the ratios."""
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
    table_caption = "iterations K, visits of an iteration W, visits T = K W (per factor e of accuracy), passes T/nnz"
    ratios = {"importance": f.ratio, "uniform": f.uniform.ratio, "accelerated": f.ratio_acc}
    ratios |= {"at beta = l2 n": f.ratio_table}
    known = [f"{ratio:.4g} ({name})" for name, ratio in ratios.items() if ratio is not None]
    above = f"T_P/T_D, above 1 for the dual: {', '.join(known)}" if known else ""
    return lines, table_caption if bounded else "", above
