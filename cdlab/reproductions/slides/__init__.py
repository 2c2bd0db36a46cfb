"""The slides on stochastic dual coordinate ascent and Prox-SDCA of Shalev-Shwartz and Zhang."""

from ..items import Paper, ordered
from . import losses, rates, smoothing, speed

_ORDER = (
    "losses", "sdca-sgd", "tuning", "dca-order", "smoothing-loss", "smoothing-error", "smoothing-time",
    "good-dual-bad-primal", "rates", "gd", "l1l2", "l1", "lemma",
)  # fmt: skip

PAPER = Paper(
    "slides",
    "Prox-SDCA: the slides",
    "Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent and its proximal extension (slides).",
    items=ordered("slides", _ORDER, rates.ITEMS, losses.ITEMS, smoothing.ITEMS, speed.ITEMS),
    untested=[
        ("Collins et al. and exponentiated gradient are related", "It is about other methods' analyses."),
        ("Frank-Wolfe's rate", "It is about another method's analysis."),
        ("SMO and liblinear work well in practice", "It names no experiment; cdlab bench compares with liblinear."),
        ("the final question, about other problems", "It is a question."),
    ],
    notes=[
        "The slides' lambda multiplies g, and is our l2; CCAT's lambda is kept as l2 n.",
        "CCAT (781,265 documents) is not available: Reuters-21578 and 20 Newsgroups stand for it.",
        "The slides' square loss has no 1/2.",
        "Axes are passes: those of the slides are missing from our copy, but for one, duality gap against runtime.",
    ],
)
