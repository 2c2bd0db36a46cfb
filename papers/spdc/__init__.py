"""Zhang & Xiao, Stochastic primal-dual coordinate method for regularized empirical risk minimization (2015)."""

from ..items import Paper
from . import growth, perturbed, races, rows

PAPER = Paper(
    "spdc",
    "Stochastic primal-dual coordinate method for regularized empirical risk minimization",
    "Zhang & Xiao (2015), ICML; the long version, arXiv:1409.3257, has the proofs.",
    items=[
        races.FIG1,
        races.FIG2,
        perturbed.TAB1,
        rows.TAB2,
        growth.BATCH,
        growth.PROCESSORS,
        growth.FULLBATCH,
        growth.KAPPA,
        perturbed.NONSMOOTH,
        rows.WEIGHTED,
        rows.NORMS,
        growth.LAZY,
        growth.APCG,
    ],
    notes=[
        "The paper's x is our w, its y our -alpha, its dual step sigma our s; AFG is our agd. Its smoothed hinge is "
        "ours with gamma = 1 (tests/losses/test_losses.py).",
        "The rate has the largest row length R: one long row ruins it. Rows are scaled as each item says, or drawn "
        "by their lengths (Algorithm 2).",
        "RCV1 and News20 as LIBSVM has them are not available here; their stand-ins are named with each verdict.",
        "Section 1.1 prints the inequality of strong convexity with x and y interchanged, and on R^n. It is g(x) >= "
        "g(y) + g'(y)^T (x - y) + (lambda/2)||x - y||^2, on R^d (tests/papers/test_misprints.py).",
        "Algorithm 1 updates x with Delta/m, (6), and u with Delta/n, (7). That is no misprint: u stays X'y/n, and "
        "Delta/m stands for the examples that were not drawn, too (tests/papers/test_misprints.py).",
        "Corollary 1 lacks a parenthesis in C: what it divides by is "
        "min{1/(2 tau) + lambda, (1/(4 sigma) + gamma)/m} (tests/papers/test_misprints.py).",
        "Algorithm 2 has no lines of u and of xbar in our copy. They are those of Algorithm 1, with Delta/n for u: "
        "with the 1/(p_k n) of its line of x it stalls (tests/methods/test_spdc.py).",
        "Theorem 2 prints 2 gamma/n on the left. Derived anew it is 2 gamma/(n + 1), or gamma/(p_i n) for each y_i "
        "(tests/papers/test_misprints.py); in our runs the printed form held, too (tests/theorems/spdc.py).",
        "On sparse data x^(t1-1) is not given by 'the same formula' if t1 = t0 + 1: its exponent is -1 then, and u "
        "has changed. xbar has to be stored (tests/methods/test_spdc.py).",
        "The lazy updates for l1 and l2 together are in an appendix that our copy lacks; ours are derived anew "
        "(tests/numerics/test_lazy.py).",
    ],
)
