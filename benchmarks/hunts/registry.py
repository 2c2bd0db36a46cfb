"""Hunts: each theorem, lemma and stage that is ours as a statement about data, state and admissible error.

A statement of the theory whose source says that it is ours has to be here, or to have an exact rate that can be
attacked, or a reason why there is nothing to hunt: `unhunted` lists those that do not.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cdlab import theory
from cdlab.samplings import NormsBlocks, TauNice
from cdlab.theory.attacks import Statement, rates
from cdlab.theory.bound import Bound, Uncovered
from cdlab.theory.named_samplings import name_sampling
from cdlab.theory.registry import all_theorems

from . import one_step, points, stages
from .promises import Promise

OURS = re.compile(r"derived|own derivation|\bours?\b|corrected|sharp|extended|carried over|checked by our")
BLOCKS = {"tau_nice": TauNice(2), "norms_blocks": NormsBlocks(2)}  # blocks that are listed
UNLISTED = ("independent", "bucket", "distributed")
Key = tuple[str, str]  # method and theorem


class Hunt(NamedTuple):
    """A ratio of what is promised and seen, and what is searched beside the data."""

    ratio: Callable[..., float]
    state: Mapping[str, str]
    loss: str = "squared"
    shape: tuple[int, int] = (3, 2)

    @property
    def words(self) -> str:
        """What the ratio is about: of a theorem, the step or stage that it rests on."""
        about = self.ratio.func if isinstance(self.ratio, functools.partial) else self.ratio
        return " ".join((about.__doc__ or "").split("\n\n")[0].split())

    def statement(self, bound: Bound) -> Statement:
        """The statement that a theorem is, with a sampling that can be listed.

        Raises
        ------
        ValueError
            For other blocks.
        """
        state = dict(self.state)
        if bound.sampling in BLOCKS and bound.asked_sampling is None:
            bound = replace(bound, asked_sampling=name_sampling(BLOCKS[bound.sampling]))
        if bound.sampling in UNLISTED:
            raise ValueError(f"the {bound} cannot be attacked: only blocks of TauNice and NormsBlocks are listed")
        if bound.sampling == "given" and bound.asked_sampling is None and "share" not in state:
            state["share"] = "n" if bound.side == "dual" else "d"
        ratio = functools.partial(_covered, functools.partial(self.ratio, Promise(bound)))
        name = ", ".join([f"{bound.method}: {bound.theorem}", *{bound.sampling} - {"any", "none"}])
        words = self.words if bound.counts and self.words else bound.target
        return Statement(name, words, ratio, 2, state, self.loss, self.shape)


def _covered(ratio: Callable[..., float], problem: Any, **state: Any) -> float:
    """The ratio, 0 on a problem that the theorem is not about."""
    try:
        return ratio(problem, **state)
    except Uncovered:
        return 0.0


def _with(ratio: Callable[..., float], **fixed: Any) -> Callable[..., float]:
    return functools.partial(ratio, **fixed)


W, ALPHA, LABELS = {"w": "d"}, {"alpha": "n"}, {"y": "n", "l1": ""}
TWO = {"x": "d", "z": "d"}
STAGE = {"x": "d", "u": "d", "weight": "", "size": ""}
DUAL_STEP = Hunt(one_step.gain_of_dual_step, ALPHA | LABELS)
DAMPED = Hunt(one_step.gain_of_damped_step, ALPHA | LABELS)
IN_BLOCKS = Hunt(_with(one_step.gain_of_damped_step, rounds=20), ALPHA | {"y": "n"}, shape=(4, 2))
HALVED = Hunt(one_step.fall_of_halved, {"x": "n", **LABELS})
APPA = Hunt(_with(stages.fall_of_appa, rule=stages.CLOSE), STAGE)
APPA_ORACLE = Hunt(_with(stages.fall_of_appa, rule=stages.ORACLE), STAGE)
ACC_APPA = Hunt(_with(stages.fall_of_acc_appa, rule=stages.CLOSE), {"v": "d", **STAGE})
ACC_ORACLE = Hunt(_with(stages.fall_of_acc_appa, rule=stages.ORACLE), {"v": "d", **STAGE})
DUAL_ORACLE = Hunt(stages.fall_of_dual_appa, {"x": "d", "alpha": "n", "u": "n", "weight": ""})
SPECTRAL, BELOW = Hunt(one_step.fall_of_spectral, {"e": "n"}), Hunt(one_step.no_K_below, {})
PERTURBED = {
    what: Hunt(
        lambda promise, problem, amount, what=what: points.perturbed(problem, what, amount), {"y": "n", "amount": ""}
    )
    for what in ("loss", "regulariser", "both")
}
SUBGRADIENT = Hunt(one_step.distance_to_any_point, {"w": "d", "u": "d", "size": "", "y": "n"}, "hinge")
GATE = {"gate": "nd"}


def _sum(what: str, least: bool = False, binary: bool = False) -> Hunt:
    return Hunt(
        _with(points.range_of_sums, what=what, least=least, binary=binary), GATE, shape=(3, 4) if binary else (3, 2)
    )


def _primal_ahead(count: str) -> Hunt:
    return Hunt(_with(points.primal_ahead_from, count=count), GATE, shape=(3, 4))


def _work(power: float, side: str) -> Hunt:
    return Hunt(_with(points.total_work, power=power), {"share": side, **GATE})


def _uniform(side: str) -> Hunt:
    def ratio(promise: Promise, problem: Any, gate: Any) -> float:
        (best,) = (b for b in all_theorems() if (b.method, b.theorem) == ("faceoff", f"eq. (15), {side}"))
        return points.uniform_work(promise, problem, gate, Promise(best))

    return Hunt(ratio, GATE)


HUNTS: Mapping[Key, Hunt] = {
    ("acc_appa", "exact prox"): Hunt(_with(stages.fall_of_acc_appa, rule=""), {"v": "d", **STAGE}),
    ("acc_appa", "inexact prox, a stage"): ACC_ORACLE,
    ("acc_appa", "inexact prox"): ACC_ORACLE,
    ("acc_appa", "relative gap"): ACC_APPA,
    ("acc_cd", "least squares"): Hunt(one_step.fall_of_accelerated_columns, {"x": "d", "v": "d"}),
    ("acc_kaczmarz", "consistent"): Hunt(one_step.fall_of_accelerated_rows, {"x": "n", "v": "n"}, shape=(3, 3)),
    ("acc_rcd", "best total"): _work(0.5, "d"),
    ("acc_rcd", "convex"): Hunt(one_step.fall_of_approx, {"size": "", **TWO, **LABELS}, shape=(3, 3)),
    ("acc_rcd", "proximal"): Hunt(one_step.fall_of_proximal_momentum, TWO | LABELS, shape=(3, 3)),
    ("acc_rcd", "smooth"): Hunt(one_step.fall_of_momentum, TWO | {"y": "n"}, shape=(3, 3)),
    ("accprox_sdca", "warm start"): Hunt(stages.warm_start, {"now": "d", "last": "d", "first": "d"}),
    ("adasdca", "one step"): Hunt(one_step.gain_of_adaptive_step, ALPHA | LABELS),
    ("apcg", "dual"): Hunt(one_step.fall_of_proximal_momentum, {"x": "n", "z": "n", "y": "n"}, "smooth_hinge"),
    ("apcg", "gap of a dual point"): Hunt(points.gap_of_dual_point, ALPHA | LABELS),
    ("apcg", "primal step from a dual point"): Hunt(points.step_from_dual_point, ALPHA | LABELS),
    ("appa", "lemma 3.1"): Hunt(_with(stages.fall_of_appa, rule=""), STAGE),
    ("appa", "lemma 3.2"): APPA_ORACLE,
    ("appa", "relative gap"): APPA,
    ("appa", "relative gap, any l1"): APPA,
    ("appa", "theorem 2.4"): APPA_ORACLE,
    ("dual_appa", "dual oracle"): DUAL_ORACLE,
    ("dual_appa", "dual oracle, a stage"): DUAL_ORACLE,
    ("dual_appa", "relative gap"): APPA,
    ("cocoa", "global step"): Hunt(one_step.gain_of_global_step, ALPHA | LABELS),
    ("cocoa", "local steps"): Hunt(one_step.gain_of_local_steps, ALPHA | LABELS, shape=(4, 2)),
    ("faceoff", "best accelerated total, dual"): _work(0.5, "n"),
    ("faceoff", "corollary 6"): _primal_ahead("d"),
    ("faceoff", "eq. (15), dual"): _work(1.0, "n"),
    ("faceoff", "eq. (15), primal"): _work(1.0, "d"),
    ("faceoff", "eq. (19)"): _sum("C_D", least=True, binary=True),
    ("faceoff", "eq. (20)"): _sum("C_P", least=True, binary=True),
    ("faceoff", "eq. (21)"): _sum("C_D", binary=True),
    ("faceoff", "eq. (22)"): _sum("C_P", binary=True),
    ("faceoff", "lemma 7"): Hunt(points.curvature, {"w": "d", "h": "d", "y": "n"}, "logistic"),
    ("faceoff", "lemma 8"): Hunt(points.curvature_of_blocks, {"w": "d", "h": "d", "y": "n", **GATE}, shape=(3, 3)),
    ("faceoff", "theorem 3"): _sum("C_P/C_D"),
    ("faceoff", "theorem 3, C_D"): _sum("C_D"),
    ("faceoff", "theorem 3, C_P"): _sum("C_P"),
    ("faceoff", "theorem 3, lower"): _sum("C_P/C_D", least=True),
    ("faceoff", "theorem 4"): _sum("C_P/C_D", binary=True),
    ("faceoff", "theorem 4, lower"): _sum("C_P/C_D", least=True, binary=True),
    ("faceoff", "theorem 5"): _primal_ahead("nnz"),
    ("faceoff", "theorem 5, this d"): _primal_ahead("nnz")._replace(shape=(4, 5)),
    ("faceoff", "uniform, dual"): _uniform("dual"),
    ("faceoff", "uniform, primal"): _uniform("primal"),
    ("gd", "strongly convex"): Hunt(one_step.fall_of_full_step, W | LABELS),
    ("greedy", "gs"): Hunt(_with(one_step.fall_of_greedy_step, scaled=False), W | {"y": "n"}, shape=(3, 3)),
    ("greedy", "gsl"): Hunt(_with(one_step.fall_of_greedy_step, scaled=True), W | {"y": "n"}, shape=(3, 3)),
    ("kaczmarz", "any order"): Hunt(one_step.fall_of_ordered_rows, {"u": "d"}, shape=(3, 3)),
    ("lsvrg", "l2 in g"): Hunt(one_step.fall_of_lsvrg, W | {"snapshot": "d"} | LABELS),
    ("newton_cd", "quadratic"): Hunt(points.quadratic_near_optimum, W | {"y": "n"}, "logistic"),
    ("primal_sdna", "exact curvature"): Hunt(one_step.fall_of_smooth_block_newton, W | {"y": "n"}, "logistic", (3, 3)),
    ("quartz", "averaged"): Hunt(one_step.fall_of_averaged_quartz, W | ALPHA | LABELS),
    ("quartz", "dual-free"): Hunt(one_step.fall_of_distances, ALPHA | {"y": "n"}),
    ("quartz", "plain"): DAMPED,
    ("quartz", "plain dual"): DAMPED,
    ("rcd", "convex"): Hunt(one_step.fall_of_convex_potential, W | LABELS, shape=(3, 3)),
    ("rcd", "halved"): HALVED._replace(state={"x": "d", **LABELS}, shape=(3, 3)),
    ("rcd", "safe ball"): Hunt(points.ball_around_alpha, W | LABELS),
    ("rcd", "smooth"): Hunt(one_step.fall_of_primal_step, W | LABELS, shape=(3, 3)),
    ("rcd", "spectral"): SPECTRAL._replace(state={"e": "d"}, shape=(3, 3)),
    ("rcd", "spectral, from below"): BELOW._replace(shape=(3, 3)),
    ("sag", "l2 in the table"): Hunt(one_step.rate_of_sag, {}),
    ("saga", "l2 in g"): Hunt(one_step.fall_of_saga, W | {"table": "n"} | LABELS),
    ("saga", "smooth"): Hunt(one_step.fall_of_saga, W | {"table": "n"} | LABELS),
    ("sdca", "added l2, weight"): Hunt(points.cost_of_added_l2, {"accuracy": ""} | LABELS),
    ("sdca", "good dual, bad primal"): Hunt(points.bad_primal, W | {"y": "n"}),
    ("sdca", "halved"): HALVED,
    ("sdca", "halved dual"): HALVED,
    ("sdca", "main lemma"): DUAL_STEP,
    ("sdca", "main lemma, lipschitz"): Hunt(one_step.gain_of_lipschitz_step, ALPHA | {"y": "n"}, "hinge"),
    ("sdca", "safe ball"): Hunt(points.ball_around_w, ALPHA | LABELS),
    ("sdca", "smooth"): DUAL_STEP,
    ("sdca", "smooth dual"): DUAL_STEP,
    ("sdca", "spectral"): SPECTRAL,
    ("sdca", "spectral, from below"): BELOW,
    ("sdna", "exact curvature"): Hunt(one_step.fall_of_block_newton, {"e": "n"}),
    ("sdna", "smooth"): IN_BLOCKS,
    ("sdna", "smooth dual"): IN_BLOCKS,
    ("sgd", "average"): SUBGRADIENT,
    ("sgd", "root steps"): SUBGRADIENT,
    ("spdc", "both distances"): Hunt(one_step.distances_within, {"x": "d", "before": "d", "dual": "n"}),
    ("spdc", "one step"): Hunt(one_step.fall_of_spdc, {"x": "d", "before": "d", "dual": "n"}),
    ("spdc", "suboptimality"): Hunt(
        lambda promise, problem, w: points.by_distance(problem, w, "primal"), W | {"y": "n"}
    ),
    ("spdc", "perturbed both, as printed"): PERTURBED["both"],
    **{
        ("spdc", f"perturbed {what}{given}"): hunt
        for what, hunt in PERTURBED.items()
        for given in ("", ", delta given")
    },
}

EXEMPT: Mapping[Key, str] = {  # why there is nothing to hunt
    **dict.fromkeys(
        [("faceoff", f"eq. ({k})") for k in (12, 13)]
        + [("faceoff", f"eq. ({k}), {side}") for k in (14, 16) for side in ("dual", "primal")],
        "a definition, evaluated",
    ),
    **dict.fromkeys([("faceoff", "ratio"), ("faceoff", "ratio, table 1")], "the quotient of two that are hunted"),
    ("faceoff", "break-even"): "the cost at which T_P and T_D are equal: solved, and checked by putting it in",
    ("faceoff", "i.i.d. entries"): "an expectation in closed form, without an inequality",
    **dict.fromkeys([("greedy", f"{rule}, ideal cost") for rule in ("gs", "gsl")], "the hunted K, of cheaper steps"),
    (
        "accprox_sdca",
        "certified stages",
    ): "the paper's rate; its cost is the lemma 'warm start', hunted, in a formula",
    ("agd", "strongly convex"): "the count for the printed growth of A_k: an equation, solved",
    ("apcg", "gap"): "the rate of 'dual', hunted, times the lemma 'gap of a dual point', hunted from any state",
    ("apcg", "primal step"): "the rate of 'dual', hunted, times the lemma, hunted from any state",
    ("cocoa", "smooth dual"): "its two lemmas, hunted, and sdca's 'smooth dual' on each part, hunted by its exact rate",
    ("sdca", "lipschitz"): "'main lemma, lipschitz', hunted, summed over the averaged iterates",
    ("sdca", "lipschitz dual"): "'main lemma, lipschitz', hunted, and a recursion that is solved",
    ("sdca", "last point"): "'last point with the hinge', hunted, of what 'lipschitz dual' leaves of D* - D",
    ("sdca", "drawn iterate"): "the main lemma, hunted, summed, and the least of a function by differentiation",
    ("sdca", "added l2"): "'smooth' and 'added l2, weight', both hunted, for half of eps each",
}


# ------------------------------------------------------------ lemmas that theorems rest on, by name
def _lemma(name: str, words: str, ratio: Callable[..., float], state: Mapping[str, str], **more: Any) -> Statement:
    return Statement(name, words, ratio, 1, state, **more)


def _by_distance(what: str) -> Callable[..., float]:
    return _with(points.by_distance, what=what)


LEMMAS: Mapping[str, Statement] = {
    each.name: each
    for each in (
        _lemma("gap of a point", "P(w) - D(alpha(w)) is at most (L/l2)(P(w) - P*)", points.gap_of_primal, W | LABELS),
        _lemma(
            "gap of a dual point",
            "P(w(alpha)) - D(alpha) is at most (L/l2)(D* - D)",
            points.gap_of_dual,
            ALPHA | LABELS,
        ),
        _lemma(
            "gap by distance",
            "without l1, P(w) - D(alpha(w)) is at most L^2/(2 l2) ||w - w*||^2",
            _by_distance("gap"),
            W | {"y": "n"},
        ),
        _lemma(
            "dual by distance",
            "D* - D(alpha(w)) is at most L_f L/(2 l2) ||w - w*||^2",
            _by_distance("dual"),
            W | LABELS,
        ),
        _lemma(
            "own gap by distance",
            "the gap of alpha(w) at its own w is at most L_f L^2/(2 l2^2) ||w - w*||^2",
            _by_distance("own gap"),
            W | LABELS,
        ),
        _lemma(
            "last point with the hinge",
            "the gap of alpha is at most sqrt(2 H u), u = D* - D(alpha) <= H/2, and else u + H/2",
            points.last_point_of_hinge,
            ALPHA | {"y": "n"},
            loss="hinge",
        ),
        replace(
            IN_BLOCKS._replace(loss="smooth_hinge").statement(
                theory.bound("quartz", sampling=TauNice(2), theorem="plain dual")
            ),
            name="a block's exact steps after the ESO step",
            words="of any smooth loss they gain at least the ESO step's share of the gap, on average",
        ),
        _lemma(
            "appa, start over end",
            "a stage from alpha(x) has at most (1 + sqrt(q))^2 (L + lambda)^2/(lambda (l2 + lambda)) of its last gap",
            stages.start_over_end_of_appa,
            {"x": "d", "u": "d", "weight": ""},
        ),
        _lemma(
            "acc_appa, oracle at x",
            "an oracle that starts at x, of accuracy 2 (1 + rho) sqrt(rho) or more, leaves 1 - r/2 of V",
            stages.fall_with_oracle,
            {"v": "d", **STAGE},
        ),
        _lemma(
            "acc_appa, start over end",
            "a stage from alpha(x) has at most (16/9)(1 + rho)(1 + sqrt(rho))(L + lambda)^2/(lambda (l2 + lambda)) of "
            "its last gap, with relaxed gaps",
            stages.start_over_end_of_acc_appa,
            {"x": "d", "v": "d", "u": "d", "weight": ""},
        ),
        _lemma(
            "oracle, start",
            "at alpha(x) the dual error is at most L_f/(l2 + lambda) times f(x) - f*",
            stages.start_of_oracle,
            {"x": "d", "center": "d", "weight": ""},
        ),
        _lemma(
            "oracle, start over end",
            "at alpha(x) it is at most (c + 1)(L + lambda)/(l2 + lambda) times the gap at the end",
            stages.start_over_end_of_oracle,
            {"x": "d", "center": "d", "u": "d", "weight": "", "size": ""},
        ),
        _lemma(
            "warm duals, start",
            "the next stage starts with a dual error of at most 2 e + lambda ||x' - x||^2",
            stages.start_of_warm_duals,
            {"x": "d", "alpha": "n", "weight": ""},
        ),
        _lemma(
            "warm duals, start over end",
            "with relative gaps, it is at most 64 ((lambda + mu)/mu)^3 times the last gap and the gain of f* - P*",
            stages.cost_of_warm_duals,
            {"x": "d", "u": "n", "then": "n", "weight": ""},
        ),
    )
}


# ------------------------------------------------------------ all of them
def statement_of(bound: Bound) -> Statement:
    """What a bound says about the exact rate of its method; where there is none, about any state.

    Raises
    ------
    ValueError
        For a bound that neither can be said of.
    """
    try:
        return rates.statement_of(bound)
    except ValueError:
        if (bound.method, bound.theorem) not in HUNTS:
            raise
        return HUNTS[bound.method, bound.theorem].statement(bound)


def hunts() -> dict[str, Statement]:
    """Every statement that is hunted from any state, by name: theorems and lemmas that are ours, and what they rest on.

    Of a theorem with several samplings those with any probabilities, or else the last, and blocks of two.
    """
    found = dict(LEMMAS)
    for key, hunt in HUNTS.items():
        about = [b for b in all_theorems() if (b.method, b.theorem) == key]
        serial = [b for b in about if b.sampling not in BLOCKS]
        given = [b for b in serial if b.sampling == "given"]
        for b in (*(given or serial)[-1:], *(b for b in about if b.sampling in BLOCKS)):
            statement = hunt.statement(b)
            found[statement.name] = statement
    return found


def unhunted() -> tuple[Bound, ...]:
    """Theorems and lemmas of cdlab that are ours, with known constants, and that nothing hunts: there must be none."""

    def is_hunted(b: Bound) -> bool:
        try:
            return bool(statement_of(b))
        except ValueError:
            return False

    about: dict[Key, list[Bound]] = {}
    for b in all_theorems():
        if OURS.search(b.source) and b.kind != "asymptotic" and (b.method, b.theorem) not in EXEMPT:
            about.setdefault((b.method, b.theorem), []).append(b)
    return tuple(bounds[0] for bounds in about.values() if not any(map(is_hunted, bounds)))
