"""Safe balls: the distance of a run's points to the solution, after each of its first epochs, and the radius."""

import numpy as np
from claims import claim
from problems import problem

import cdlab
from cdlab import theory

EPOCHS = 8


def distances(method, loss, l1):
    P = problem(loss, l2=0.1, l1=l1)
    best = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-13, max_passes=100_000)
    radius = theory.bound(method, "value", theorem="safe ball")
    run, found, promised = cdlab.iterate(P, method, sampling="permutation", seed=0), [], []
    for _ in range(EPOCHS):
        gap, alpha = next(run).gap, run.alpha
        if method == "rcd":  # whose record may be of alpha = 0
            alpha = P.alpha(run.w)
            gap = P.gap(run.w, alpha)
        found.append(np.linalg.norm(run.w - best.w if method == "sdca" else alpha - P.alpha(best.w)))
        promised.append(float(radius.for_problem(P, gap0=gap)))
    return np.array(found), np.array(promised)


for method, loss, l1 in (
    ("sdca", "hinge", 0.0),
    ("sdca", "smooth_hinge", 0.03),
    ("sdca", "squared", 0.0),
    ("rcd", "squared", 0.03),
    ("rcd", "logistic", 0.0),
):
    claim(method, f"safe ball: a distance to the solution and the gap; {loss}, l1 = {l1:g}", kind="exact")(
        lambda seeds, setting=(method, loss, l1): distances(*setting)
    )
