"""`catalog`: all that can be chosen, in words."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import param

from ... import datasets
from ..._version import __version__
from ...datasets.catalogue import catalogue
from ...losses import LOSSES
from ...methods import METHODS
from ...methods.listing import group_of, stepping_side, summary_of
from ...samplings import SAMPLINGS, Uniform
from ..visitor_limits import limits
from ..words import sentence
from .choices import Choices, number_ranges, takes_batches
from .data_sources import FAMILIES, SYNTHETIC, UPLOAD, at_hand
from .facts import DRAWERS
from .predicting import why_too_large
from .problems import largest_entries
from .schema import Card, Catalog, MethodEntry, Named, Preset, Slider
from .stories import STORIES
from .typeset import mathml
from .updates import LETTERS, UPDATES

THUMBNAIL_SIDE = 16
THUMBNAIL_DENSITY = 0.15  # With fewer entries no pattern could be seen.
ARROW = {"corner": 1.0, "column": 1.0, "row": 1.0}

CARDS = {  # title, words, the choices that make it, sliders
    "dense": (
        "No zeros: every example has every feature.",
        {"data": SYNTHETIC, "density": 1.0, "skew": 0.0},
        ["n", "d", "condition", "row_spread", "noise"],
    ),
    "sparse": (
        "Mostly zeros, and no feature is more frequent than another.",
        {"data": SYNTHETIC, "density": 0.05, "skew": 0.0},
        ["density", "skew", "n", "d", "row_spread", "condition", "noise"],
    ),
    "words": (
        "Mostly zeros; a few features occur almost everywhere, like the words of a language.",
        {"data": SYNTHETIC, "density": 0.05, "skew": 1.3},
        ["density", "skew", "n", "d", "row_spread", "condition", "noise"],
    ),
    "heavy row": (
        "One example has every feature and is much heavier than the others, and one feature is in every example.",
        {"data": "arrow", **ARROW},
        ["n", "d", "row", "column", "corner"],
    ),
    "long rows": (
        "A few examples have every feature, all others just one: the worst for the dual.",
        {"data": "worst_dual", "density": 0.05},
        ["density", "n", "d"],
    ),
    "full columns": (
        "A few features are in every example, all others in just one: the worst for the primal.",
        {"data": "worst_primal", "density": 0.05},
        ["density", "n", "d"],
    ),
    "all alike": (
        "Every two examples are equally alike: the worst for a fixed order.",
        {"data": "sun_ye", "n": 40},
        ["n", "correlation"],
    ),
}

SLIDERS = [
    Slider("density", "nonzeros", "Share of the entries of X that are not zero.", 0.002, 1.0, "log", False, "%"),
    Slider("skew", "skew", "How uneven the words' frequencies are: 0 all alike, about 1 as in a language.",
           0.0, 2.5, "linear", False),
    Slider("n", "rows", "Examples: the rows of X.", 10, 20_000, "log", True),
    Slider("d", "columns", "Features: the columns of X.", 2, 5_000, "log", True),
    Slider("l2", "λ", "Weight of ½‖w‖², in units of 1/n.", 1e-4, 1e3, "log", False, "/n"),
    Slider("condition", "condition", "Of the features' covariance: above 1 some directions are much longer.",
           1.0, 1e4, "log", False),
    Slider("row_spread", "row spread", "Standard deviation of the logarithm of the rows' norms.",
           0.0, 2.0, "linear", False),
    Slider("noise", "noise", "In the labels, relative to x'w.", 0.0, 5.0, "linear", False),
    Slider("row", "first row", "Entries of the first row but the first.", 0.1, 100.0, "log", False),
    Slider("column", "first column", "Entries of the first column but the first.", 0.1, 100.0, "log", False),
    Slider("corner", "corner", "The first entry of the first row.", 0.1, 100.0, "log", False),
    Slider("correlation", "correlation", "Inner product of each two examples, which have norm 1.",
           0.0, 0.99, "linear", False),
    Slider("l1", "L1 weight", "Weight of ‖w‖₁: above 0 most weights become exactly 0.", 0.0, 1.0, "log", False),
    Slider("gamma", "smoothing γ", "The loss is 1/γ-smooth; smaller is closer to a kink.", 1e-3, 10.0, "log", False),
    Slider("quantile", "quantile", "Of the pinball loss: the share of labels that should be below the prediction.",
           0.001, 0.999, "linear", False),
    Slider("tol", "target", "The relative gap at which a run ends; 0: none.", 0.0, 0.1, "log", False),
    Slider("passes", "limit", "A run ends after so many passes.", 10, 10_000, "log", True, "passes"),
    Slider("batch", "batch", "Coordinates updated at once, by methods that can.", 1, 256, "log", True),
    Slider("seeds", "draws", "Runs of each method with other random numbers.", 1, 20, "linear", True),
    Slider("seed", "seed", "Of the first draw: the same seed, the same curves.", 0, 2**31 - 1, "linear", True),
    Slider("data_seed", "seed of the data", "The same seed, the same data.", 0, 2**31 - 1, "linear", True),
]  # fmt: skip

SAMPLING_WORDS = {
    "uniform": "every line equally often",
    "importance": "heavy lines more often",
    "permutation": "each once a pass, in a new order",
    "paired_permutation": "in a new order, and back again",
    "cyclic": "each once a pass, in one order",
    "fixed_permutation": "each once a pass, in one random order",
    "symmetric": "forth, and back again",
    "norms": "half uniform, half by norm",
    "lipschitz": "by the root of norm² plus γλn",
    "clipped": "as importance, none rare",
    "mixture": "some uniform, the others by importance",
}
LOSS_WORDS = {
    "logistic": "log(1 + exp(−margin)): smooth everywhere",
    "smooth_hinge": "the hinge with its kink rounded by γ",
    "squared": "½ (prediction − label)²",
    "hinge": "1 − margin, at least 0: it has a kink",
    "squared_hinge": "half the square of the hinge",
    "huber": "the absolute error with its kink rounded by γ",
    "absolute": "|prediction − label|: it has a kink",
    "pinball": "|prediction − label|, weighed by a quantile: it has a kink",
    "epsilon_insensitive": "the absolute error beyond 0.1",
    "squared_epsilon_insensitive": "½ (the absolute error beyond 0.1)²",
    "softmax": "minus the log-probability of the right class",
}
STEP_WORDS = {"primal": "one weight, down its column", "dual": "one example, along its row"}
METHOD_WORDS = {  # where a step is not simply one of its side's; then further words by which it is found
    "rcd": ("", "randomized coordinate descent, primal"),
    "sdca": ("", "stochastic dual coordinate ascent, exact step, liblinear"),
    "quartz": ("one example, a step of fixed length", "primal-dual, mini-batch, batch, ESO"),
    "acc_rcd": ("one weight, with momentum", "momentum, acceleration, accelerated, Nesterov"),
    "apcg": ("one example, with momentum", "momentum, acceleration, accelerated, Nesterov"),
    "adasdca": ("the example that promises most", "adaptive"),
    "adasdca_plus": ("examples that promise much", "adaptive"),
    "greedy": ("the weight with the largest slope", "Gauss-Southwell, steepest"),
    "spdc": (
        "one example and all weights, at a saddle point",
        "saddle point, primal-dual, momentum, batch",
    ),
    "asdca": ("a batch of examples, with momentum", "momentum, mini-batch, batch, acceleration"),
    "sdna": ("a block of examples, by Newton's step", "Newton, mini-batch, batch, block"),
    "primal_sdna": ("a block of weights, by Newton's step", "Newton, mini-batch, batch, block"),
    "accprox_sdca": ("sdca on easier problems, with momentum", "momentum, proximal point, catalyst"),
    "appa": ("sdca on easier problems, one after another", "proximal point, un-regularising"),
    "acc_appa": ("sdca on easier problems, with momentum", "momentum, proximal point, catalyst"),
    "dual_appa": ("sdca on easier problems, kept going", "proximal point, un-regularising"),
    "sgd": ("all weights, by one example's slope", "stochastic gradient descent, SGD, Pegasos"),
    "sag": ("all weights, by remembered slopes", "stochastic average gradient, variance reduction"),
    "saga": ("all weights, by corrected slopes", "variance reduction, stochastic gradient descent, batch"),
    "svrg": ("all weights, by corrected slopes", "variance reduction, stochastic gradient descent"),
    "lsvrg": ("all weights, by corrected slopes", "loopless, variance reduction, stochastic gradient descent, batch"),
    "rda": ("all weights, by the mean of all slopes", "dual averaging, sparse, L1"),
    "gd": ("all weights, by the full gradient", "gradient descent, steepest descent, batch gradient"),
    "agd": ("all weights, by the gradient with momentum", "gradient descent, momentum, Nesterov, acceleration"),
    "fista": ("all weights, by the gradient with momentum", "gradient descent, momentum, Nesterov, L1, proximal"),
    "lbfgs": ("all weights, by gradients and their memory", "quasi-Newton, BFGS, gradient descent"),
    "newton_cd": ("all weights, by the curvature", "Newton, second order, glmnet"),
    "ssnal": ("all weights, by the curvature of a smoothed loss", "Newton, augmented Lagrangian, proximal point, SVM"),
    "kaczmarz": ("one equation, along its row", "linear system, projection"),
    "acc_kaczmarz": ("one equation, with momentum", "linear system, momentum"),
    "acc_cd": ("one weight of a linear system, with momentum", "linear system, momentum, least squares"),
}
TERMS = {
    "primal": "The problem as it is stated: find the weights w that make P small. A primal method has an α, too: αᵢ is "
    "minus the slope of φᵢ at xᵢ·w. Its D is the largest so far, at first D(0).",
    "dual": "The same problem, seen from the examples: find the multipliers α that make D large. A dual method has a "
    "w, too: w(α). Its P is the smallest so far.",
    "P": "The mean loss over all examples, plus a term that keeps w small. To be made small.",
    "D": "A lower bound on P, for every α and every w. To be made large.",
    "weight": "A number for each feature, that is, for each column of X. An example x is predicted by x·w.",
    "multiplier": "A number for each example, that is, for each row of X: how strongly the example pulls at w.",
    "w": "The weights: one for each feature, that is, for each column of X. An example x is predicted by x·w.",
    "α": "The multipliers: one for each example, that is, for each row of X: how strongly it pulls at w.",
    "w(α)": "The weights that belong to α: the sum of all rows, each times its multiplier, over λn; with an L1 term "
    "its prox. At the best α they are the best w, so that the dual side answers the primal question.",
    "x": "An example: a row of X.",
    "n": "The number of examples, the rows of X. The number of features, its columns, is d.",
    "pass": "As much work as reading every nonzero of X once, however a method spends it: a step costs the entries "
    "that it reads.",
    "×10 clock": "An axis on which each line to the right is ten times as many passes: first and last ones both "
    "have room, and ten times fewer is the same length everywhere. On the even clock a constant rate is a straight "
    "line.",
    "gap": "P(w) − D(α), with the best w and α so far. The minimum of P lies between the two, so P(w) is at most "
    "the gap above it: a certificate that needs no known answer. The relative gap is its share of P(0) − D(α), of what "
    "there was to gain.",
    "φ": "The loss of one example: how much a prediction x·w costs, given the label.",
    "φ*": "The conjugate of the loss φ, of which D is made: φ*(a) is the largest value of a·u − φ(u) over all "
    "predictions u. So a·u − φ*(a) is never above φ(u), and D never above P.",
    "γ": "The loss is 1/γ-smooth: its slope changes by at most 1/γ where the prediction changes by 1. At a kink γ is "
    "0.",
    "λ": "The weight of ½‖w‖²: the larger, the nearer w stays to 0, and the easier the problem.",
    "ε": "The target: the relative gap at which a run ends.",
    "κ": "The condition number, max ‖xᵢ‖²/(γλ). The larger, the harder: bounds of dual methods grow like 1 + κ/n, "
    "with momentum like its root; those of primal ones likewise, with the heaviest column instead of the heaviest row. "
    "From where on momentum helps differs from method to method; a race shows it.",
    "L": "How smooth P is: its slope changes by at most L along a step of length 1. In ln(L/(ελ)): theorems bound what "
    "one side still lacks, and the gap is at most about L/λ times that. With a kink L is the loss's steepest slope.",
    "P*": "The minimum of P. The suboptimality of w is P(w) − P*.",
    "w*": "The best w, at which P is P*.",
    "K": "The steps that a bound asks for per factor e by which the gap shall fall: K·ln(…) in all. A step reads W "
    "entries, so that KW/nnz are passes.",
    "W": "The entries that a step reads, on average over the draws.",
    "skew": "Zipf's exponent: the k-th word is in about 1/k^skew as many examples as the first.",
    "norm²": "The squares of a line's entries, added up. The heavier a line, the smaller a step along it must be.",
    "entries × norm²": "What a line costs, its entries, times how small its steps must be, its norm². Summed: C_P, "
    "C_D, of which bounds with importance draws are made; with uniform ones the heaviest line alone counts. Bars show "
    "the lines, the heaviest first; those that are named, with their share of the sum, are dark.",
    "set by": "The bound is the largest over all lines; this line has the largest.",
    "nonzeros": "The share of the entries of X that are not zero.",
    "C_P": "entries × norm² summed over the columns: what primal steps cost. With importance draws the side with the "
    "smaller sum has the better bound; with uniform ones the heaviest lines are compared instead.",
    "C_D": "entries × norm² summed over the rows: what dual steps cost. With importance draws the side with the "
    "smaller sum has the better bound; with uniform ones the heaviest lines are compared instead.",
    "rcd": "Random coordinate descent: one weight a step, all others held.",
    "sdca": "Stochastic dual coordinate ascent: the exact best step on one example's multiplier.",
    "quartz": "Dual steps that go a fixed share of the way from a multiplier to where its example pulls it. With "
    "uniform draws all go the share that suits the heaviest row. sdca takes exact steps instead.",
    "bound": "A number of passes that is enough, on average, for every data set with these norms. It pairs the "
    "heaviest line with the flattest direction, which no data need have: most need far fewer.",
    "on average": "Over the random draws: of the mean of many runs, not of each one.",
    "sampling": "Which column or row the next step takes: at random, all equally or some more often, or in an order.",
    "importance": "Heavy lines are drawn more often, in proportion to their norm² plus γλn. The bound then is about "
    "the mean line, weighted by entries, and not the heaviest.",
    "permutation": "Each line once a pass, in a new random order every time. Often quicker than independent draws.",
    "momentum": "Each step keeps some of the direction of those before: bounds grow like 1/√λ instead of 1/λ.",
    "factor e": "2.718: passes per factor e are those in which the error falls to 1/e of what it was. From 1 to 10⁻⁶ "
    "takes 13.8 times as many.",
    "damped steps": "Steps that are shorter than the best one along their line: as short as the bound needs them for "
    "the worst data. quartz takes them; exact steps are the best ones.",
    "exact steps": "The best step along its line, as sdca takes it.",
    "simulated": "In runs of their own, with other random numbers than the race.",
    "kink": "A point where the loss bends so sharply that it has no gradient.",
    "prox": "Soft threshold: moves a weight towards 0 by an amount, and onto 0 if it was nearer than that. The amount "
    "is λ₁/Lⱼ for a step of rcd along weight j, where P is curved at most by Lⱼ, and λ₁/λ for w(α).",
    "ESO": "Expected separable overapproximation: what the steps of a random batch do together is at most a sum of "
    "one term a line, with a number v for each. The more a batch's lines share, the larger v and the smaller the step.",
    "saddle point": "A pair of w and α at which no other w makes the function smaller, and no other α larger.",
    "proximal point": "A hard problem is solved as a series of easier ones, each with a pull towards the last answer.",
}


@cache
def catalog() -> Catalog:
    """The catalog of what this process offers."""
    parameters = Choices.param.objects()
    return Catalog(
        engine="python",
        version=__version__,
        defaults=Choices().values(),
        cards=[
            Card(name, name, words, sets, sliders, thumbnail(sets)) for name, (words, sets, sliders) in CARDS.items()
        ],
        sliders=SLIDERS,
        presets=[preset(name) for name in at_hand()],
        samplings=[
            Named(name, SAMPLING_WORDS.get(name, summary_of(kind)), "drawn" if kind.has_theorem else "in an order")
            for name, kind in SAMPLINGS.items()
        ],
        losses=[
            Named(name, LOSS_WORDS.get(name, ""), "classification" if loss().classification else "regression")
            for name, loss in LOSSES.items()
        ],
        methods=[method(name) for name in METHODS],
        stories=list(STORIES.values()),
        limits={"entries": limits().entries, "upload": limits().upload},
        drawers=list(DRAWERS),
        terms=TERMS,
        ranges=number_ranges(),
        names={name: list(each.objects) for name, each in parameters.items() if isinstance(each, param.Selector)}
        | {"data": [*FAMILIES, UPLOAD, *at_hand()]},
    )


def method(name: str) -> MethodEntry:
    cls, side = METHODS[name], stepping_side(METHODS[name])
    words, search = METHOD_WORDS.get(name, ("", ""))
    return MethodEntry(
        name=name,
        side=side,
        words=words or STEP_WORDS[side],
        sentence=sentence(summary_of(cls)),
        group=group_of(cls),
        search=[each.strip() for each in search.split(",")] if search else [],
        update=", ".join(mathml(part) for part in UPDATES[name].split(r", \quad ")) if name in UPDATES else "",
        update_words=LETTERS.get(name, ""),
        draws=cls().draws(Uniform()) is not None,
        batches=takes_batches(name),
    )


def preset(name: str) -> Preset:
    known, described = catalogue().get(name), datasets.describe(name)
    stored = int(known.stored or 0) if known else 0
    return Preset(name, described.about, described.n, described.d, stored, why_too_large(name))


def thumbnail(sets: dict) -> list[list[float]]:
    """A small matrix of a kind, as levels between 0 and 1."""
    small = Choices(**sets | {"n": THUMBNAIL_SIDE, "d": THUMBNAIL_SIDE})
    if "density" in FAMILIES[small.data].asks and small.density < 1:
        small = small.but(density=THUMBNAIL_DENSITY)
    cells = largest_entries(FAMILIES[small.data].call(small)()[0], THUMBNAIL_SIDE, THUMBNAIL_SIDE)
    top = float(cells.max())
    return [[round(math.sqrt(x / top), 2) for x in row] for row in np.asarray(cells)]
