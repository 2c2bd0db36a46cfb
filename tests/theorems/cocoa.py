"""CoCoA+ in weights n_k/n, with and without its global step: the dual error of each round, over seeds."""

import numpy as np
from bounds import posed, solved
from claims import claim

from cdlab import distributed, theory

PARTS = 4
PROBLEMS = [("logistic", 0.1, 0.0), ("squared", 0.02, 0.0), ("smooth_hinge", 0.05, 0.02)]
ROUNDS = 12


def promised_rate(P, with_step, local_epochs):
    known = {"nodes": PARTS, "local_epochs": local_epochs}
    rate = 1 - 1 / theory.bound("cocoa", "K").for_problem(P, **known)
    if with_step:
        return rate
    (step,) = (b for b in theory.lemmas() if (b.method, b.theorem) == ("cocoa", "global step"))
    return rate / (1 - step.for_problem(P))


def dominance(which, with_step, local_epochs, seeds):
    (P, _), (best, _, _) = posed(*which), solved(*which)
    shards = [(P.X[k : k + P.n // PARTS], P.y[k : k + P.n // PARTS]) for k in range(0, P.n, P.n // PARTS)]
    found = []
    for seed in seeds:
        s = distributed.solve(
            shards, loss=which[0], l2=which[1], l1=which[2], parts=PARTS, tol=0, max_rounds=ROUNDS, seed=seed,
            local_epochs=local_epochs, global_step=with_step,
        )  # fmt: skip
        found.append(best - s.trace.column("dual"))
    rate, times = promised_rate(P, with_step, local_epochs), np.arange(1, ROUNDS + 1)
    return np.maximum(found, 0)[:, 1:], (best - P.dual_at_zero) * rate**times  # with a step they are one step further


for case in PROBLEMS:
    for step in (True, False):
        for epochs in (1, 3):
            title = f"smooth dual: {case}, {'with' if step else 'without'} step, {epochs} epochs"
            claim("cocoa", title)(lambda seeds, c=case, s=step, e=epochs: dominance(c, s, e, seeds))
