"""What the chooser offers, said once: cards, sliders, chips, methods, the words that explain them. Plain values."""

from __future__ import annotations

from typing import Any

from ...methods import METHODS
from ...methods.listing import group_of, summary_of
from ...samplings import SAMPLINGS
from ..choices.cards import CARDS, example, real
from ..choices.choices import Choices
from ..choices.data_sources import UPLOAD, too_large
from ..choices.guesses import GUESSES
from ..choices.sliders import NOBODY
from ..stage.thumbnails import thumbnail
from ..visitor_limits import limits
from ..words import sentence

CELLS = 24  # along each side of a card's picture
FRONT = 4  # cards in view; the others stand under "more"
CHIPS = ("uniform", "importance", "permutation", "cyclic")
# name: (label, lowest, highest, step, logarithmic); of a logarithmic slider these are powers of ten
SLIDERS = {
    "density": ("density", -3, 0, 0.05, True),
    "skew": ("skew", 0, 3, 0.1, False),
    "n": ("n", 0.5, 5, 0.05, True),
    "d": ("d", 0, 5, 0.05, True),
}
TERMS = {
    "primal": "The primal side steps on weights: one feature, a column of X, at a time. Full gradient methods, listed "
    "with it, step on all of them at once.",
    "dual": "The dual side steps on alpha, of which each example has one entry: one example, a row of X, at a time. "
    "Stochastic gradient methods, listed with it, draw examples too, but step on the weights.",
    "sampling": "How the next coordinate is drawn. The bars are the probabilities p, from the first to the last.",
    "guess": "Who needs fewer passes to the target? A pass is as much work as reading every nonzero of X once.",
}


def layout() -> dict[str, Any]:
    """All of it, for JSON."""
    choices = Choices()
    return {
        "cards": [
            {"name": name, "title": card.title, "words": card.words, "picture": thumbnail(example(name), CELLS)}
            for name, card in CARDS.items()
        ],
        "front": FRONT,
        "real": [{"name": name, "beyond": sentence(why) if (why := too_large(name)) else ""} for name in real()],
        "upload": {"value": UPLOAD, "most": 1e6 * limits().upload, "words": choices.param.upload.doc},
        "sliders": [
            {"name": name, "label": label, "low": low, "high": high, "step": step, "log": log}
            | {"words": choices.param[name].doc, "whole": name in ("n", "d"), "bounds": choices.param[name].bounds}
            for name, (label, low, high, step, log) in SLIDERS.items()
        ],
        "chips": list(CHIPS),
        "samplings": [{"name": name, "words": summary_of(kind)} for name, kind in SAMPLINGS.items()],
        "nobody": NOBODY,
        "methods": [
            {"name": name, "side": kind.side, "group": group_of(kind), "words": summary_of(kind)}
            for name, kind in METHODS.items()
        ],
        "guesses": list(GUESSES),
        "terms": TERMS,
    }
