"""Zhang & Xiao, Stochastic primal-dual coordinate method for regularized empirical risk minimization (2015)."""

from ..items import Paper, ordered
from . import growth, iterations, nonsmooth, perturbed, races, rows

_ORDER = (
    "fig1", "fig2", "tab1", "tab2", "batch", "processors", "fullbatch", "kappa", "nonsmooth", "weighted", "norms",
    "lazy", "apcg",
)  # fmt: skip

PAPER = Paper(
    "spdc",
    "Stochastic primal-dual coordinate method for regularized empirical risk minimization",
    "Zhang & Xiao (2015), arXiv:1409.3257.",
    items=ordered(
        "spdc", _ORDER, races.ITEMS, perturbed.ITEMS, rows.ITEMS, growth.ITEMS, nonsmooth.ITEMS, iterations.ITEMS
    ),
    notes=[
        "The paper's x is our w, its y our -alpha, its dual step sigma our s; AFG is our agd.",
        "Algorithm 1 as printed updates x with Delta/m and u with Delta/n: both are right, and mean different sums.",
        "The rate has the largest row length R: one long row ruins it. Rows are scaled as each item says, or drawn by "
        "their lengths (Algorithm 2).",
        "RCV1 and News20 as LIBSVM has them are not to be had here; their stand-ins are named with each verdict.",
    ],
)
