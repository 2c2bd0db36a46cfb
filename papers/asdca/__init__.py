"""Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent (2013)."""

from ..items import Paper
from . import figure, naive, tables

PAPER = Paper(
    "asdca",
    "Accelerated mini-batch stochastic dual coordinate ascent",
    "Shalev-Shwartz & Zhang (2013), arXiv:1305.2581.",
    items=[
        figure.FIG1,
        figure.DATA,
        tables.TAB1,
        tables.TAB3,
        tables.NODES_PAY,
        tables.PARALLEL,
        naive.NAIVE,
    ],
    notes=[
        "Tables 1 to 3, the table of data, the batch sizes and the lambda of the experiments are missing from our "
        "copy: tables are rebuilt from the formulas (tests/theory/test_paper_tables.py, for Table 3 "
        "tests/papers/test_asdca_items.py), and l2 = 1/n.",
        "astro-ph and CCAT are not available: 20 Newsgroups and Reuters-21578 stand for them.",
        "This ASDCA is not the accelerated Prox-SDCA that other papers call so.",
        "In the general form alpha_i is a vector of R^d, and the argument of D a d x n matrix. For linear predictors "
        "alpha_i is a number times x_i, and only the number is kept (tests/papers/test_misprints.py).",
    ],
)
