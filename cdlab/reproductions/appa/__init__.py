"""Frostig, Ge, Kakade & Sidford, Un-regularizing (2015)."""

from ..items import Paper, ordered
from . import acceleration, condition, figures, variants

_ORDER = ("fig1", "fig2", "fig3", "warm", "stage", "recentre", "decrease", "tab1", "tab1-ls", "acc")

PAPER = Paper(
    "appa",
    "Un-regularizing: approximate proximal point and faster stochastic algorithms",
    "Frostig, Ge, Kakade & Sidford (2015), arXiv:1506.07512.",
    items=ordered("appa", _ORDER, figures.ITEMS, variants.ITEMS, condition.ITEMS, acceleration.ITEMS),
    notes=[
        "The paper minimises sums, and its theory's mu and lambda are n times ours; its experiments divide the loss "
        "by n.",
        "CIFAR-10 and Protein are not to be had: cover type stands for both, with random Fourier features and with a "
        "column of ones. Of CIFAR only size, features and a problem that is not separable are kept.",
        "The paper does not give the bandwidth of its random Fourier features: the median distance is taken.",
        "The constants (19) and (20) of Theorem 2.9 are lost; sigma here is derived anew.",
        "x' = 2x - s holds only without l2 and l1; 'min over R^n' is over R^d.",
    ],
)
