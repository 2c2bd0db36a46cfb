"""Every method in a few plain words: what it does, for those who do not know its name."""

from __future__ import annotations

LINES = {
    "sdca": "exact steps on one example at a time",
    "quartz": "fixed steps on one example at a time, those of the face-off's theorem",
    "adasdca": "draws the examples that still promise most, worked out anew at every step",
    "adasdca_plus": "draws the examples that still promise most, worked out anew once a pass",
    "asdca": "accelerated, dual, with small batches of examples",
    "apcg": "accelerated, dual, one example at a time",
    "rcd": "one feature at a time, with a step for each; the face-off's primal side",
    "acc_rcd": "accelerated, primal, one feature at a time",
    "greedy": "always the feature with the largest gradient; nothing is drawn",
    "spdc": "accelerated, keeps a primal and a dual point side by side",
    "accprox_sdca": "accelerated, dual, sdca inside of a proximal loop",
    "appa": "dual steps on easier problems, one after another; needs no regulariser",
    "acc_appa": "accelerated, dual steps on easier problems, one after another",
    "dual_appa": "the same easier problems, each begun where the last one ended",
    "sgd": "plain stochastic gradient, with steps that shrink",
    "sag": "stochastic gradient with a memory of every example's last gradient",
    "saga": "stochastic gradient with a memory, corrected so that it is right on average",
    "svrg": "stochastic gradient, corrected by a full gradient now and then",
    "rda": "averages all gradients so far; made for sparse solutions",
    "gd": "the full gradient, step after step",
    "agd": "accelerated full gradient that finds its own step",
    "fista": "accelerated full gradient with a constant step",
    "lbfgs": "full gradients and a memory of the curvature; a yardstick without a theorem",
    "newton_cd": "full gradients and the curvature itself: few iterations, each of many passes",
    "kaczmarz": "satisfies one equation of X w = y at a time",
    "acc_kaczmarz": "accelerated, one equation of X w = y at a time",
    "acc_cd": "accelerated, one feature of a least-squares problem at a time",
}


def line(name: str) -> str:
    """What the method of this name does, in a few words; of a method of the user's own, nothing."""
    return LINES.get(name, "")
