"""Newton's local rate: each iteration from w = 0 on, at an l2 where the first one is near enough already."""

from functools import cache

import numpy as np
from claims import claim
from problems import problem

import cdlab
from cdlab import theory
from cdlab.methods import NewtonCD

PRECISE = 1e-6  # the least distance that is compared: its square is beyond rounding


@cache
def distances(P, inner):
    """||w - w*|| after 0, 1, 2, ... iterations, w* known to rounding."""
    w = cdlab.solve(P, "fista", tol=0, max_passes=5000).w
    method, found = NewtonCD(inner=inner), [np.linalg.norm(w)]
    S, rng = method.init(P, "uniform"), np.random.default_rng(0)
    while found[-1] > PRECISE:
        S = method.epoch(P, S, rng)
        found.append(np.linalg.norm(S.w - w))
    return np.array(found)


def step(loss, l2, inner):
    P = problem(loss, l2=l2)
    e = distances(P, inner)
    return e[1:], float(theory.bound("newton_cd").for_problem(P)) * e[:-1] ** 2


PRINTED = "Lee, Sun & Saunders 2014, Theorem 3.4: ||w+ - w*|| <= M R gamma L_f/(2 l2) ||w - w*||^2"

for loss, l2, inner in (("logistic", 0.1, "gram"), ("logistic", 0.1, "dual"), ("logistic", 1.0, "gram")):
    claim("newton_cd", f"{PRINTED}; {loss}, l2 = {l2:g}, {inner}", kind="exact")(
        lambda seeds, setting=(loss, l2, inner): step(*setting)
    )
