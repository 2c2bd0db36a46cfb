"""Frostig, Ge, Kakade & Sidford, Un-regularizing (2015)."""

from ..items import Paper
from . import acceleration, condition, figures, variants

PAPER = Paper(
    "appa",
    "Un-regularizing: approximate proximal point and faster stochastic algorithms",
    "Frostig, Ge, Kakade & Sidford (2015), arXiv:1506.07512.",
    items=[
        figures.FIG1,
        figures.FIG2,
        figures.FIG3,
        variants.WARM,
        variants.STAGE,
        variants.RECENTRE,
        variants.DECREASE,
        condition.TAB1,
        condition.TAB1_LS,
        acceleration.ACC,
    ],
    notes=[
        "The paper minimises sums: its theory's mu and lambda are n times ours, and its kappa is R^2/(gamma n mu) in "
        "our terms (tests/theory/test_appa_totals.py). Its experiments divide the loss by n.",
        "CIFAR-10 and Protein are not available: cover type stands for both. With random Fourier features it has d = "
        "n/5 as CIFAR, but 10,000 rows and 2,000 features for 50,000 and 10,000; with a column of ones it has d = 55 "
        "of rank 53, so that mu = 0, for Protein's 75 and one. Its columns are scaled to [0, 1].",
        "MNIST is cut from 60,000 to 12,000 rows, and has 2,400 random Fourier features for 12,000.",
        "SDCA starts at alpha = 0, and APPA at y_hat(x_0) as in Algorithm 3; 'APPA from alpha = 0' is ours, and shown.",
        "The paper does not give the bandwidth of its random Fourier features: the median distance is taken.",
        "Figures 1 to 3 and the stage sizes have up to 119 trials a problem: panels that are close get no seeds "
        "beyond five there.",
        "Assumption 1.1's inequality of strong convexity has to begin with F(y) >=, and 'min over R^n' is over R^d: "
        "it is the dual problem that is over R^n (tests/papers/test_misprints.py).",
        "In the definition of an oracle ||f - f^opt||/c is the plain difference, (f(s) - f^opt)/c "
        "(tests/theorems/appa.py).",
        "Theorem 2.4 calls an oracle of accuracy c = 2(lambda + mu)/mu. That is c' = 1/2 in Lemma 2.3: a call leaves "
        "(lambda + mu/2)/(lambda + mu) of the error (tests/theory/test_appa_lemmas.py, tests/theorems/appa.py).",
        "The constants (19) and (20) of Theorem 2.10 are missing from our copy; sigma here is derived anew "
        "(tests/theory/test_appa_lemmas.py, tests/theorems/dual_appa.py).",
        "x' = 2x - s holds only without l2 and l1; with l2 it is x + lambda/(l2 + lambda) (x - s) "
        "(tests/methods/test_outer_loops.py).",
        "The gamma in the phi_i of regularised logistic regression is not ours: it is the weight of a ridge term, "
        "divided by 2n, so that our l2 is gamma/n (tests/papers/test_misprints.py).",
    ],
)
