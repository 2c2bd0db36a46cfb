"""Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016). Our X (n, d) is the transpose of theirs."""

from ..items import Paper
from . import figures, matrices, text_claims

PAPER = Paper(
    "faceoff",
    "Coordinate descent face-off: primal or dual?",
    "Csiba & Richtarik (2016), arXiv:1605.08982.",
    items=[
        matrices.FIG1,
        figures.FIG2A,
        figures.FIG2B,
        figures.FIG2C,
        figures.FIG2D,
        figures.FIG3,
        matrices.TAB1,
        matrices.BOUNDS,
        text_claims.DENSE,
        text_claims.SAMPLING,
        matrices.DERIVATIVE,
        matrices.SKEW,
    ],
    untested=[
        ("SAG, SVRG and similar methods should be viewed as dual methods", "It is a way to look at methods."),
    ],
    notes=[
        "The paper's X has features as rows; here rows are examples, so its large first column is our large first row.",
        "All experiments: logistic loss, l2 = 1/n, X divided by its mean row norm. Labels of made matrices, and most "
        "sizes, are missing from our copy of it; labels here are random signs, drawn twice.",
        "Table 1 takes beta/(l2 n) = 1; the logistic loss has beta = 1/4. Predictions are given in both conventions "
        "(tests/papers/test_misprints.py).",
        "Theorem 5 asks for n^2 + 3n nonzeros, for d >= n, and Corollary 6 for n^2 + 3n features. Both are right; "
        "they are so with n^2 - 1 nonzeros and floor((n + 1)^2/4) features, too, and from n = 3 on with no smaller "
        "numbers (tests/faceoffs/test_gale_ryser.py, tests/faceoffs/test_binary.py).",
    ],
)
