"""
Exact expectation, bound and runs in one picture
================================================

The expected error of SDCA is a curve that can be computed; 30 runs scatter around it, and the theorem stays above.
"""

import numpy as np

import cdlab
from cdlab import plots, theory

X, y = cdlab.datasets.make(n=8, d=12, task="regression", seed=1)
P = cdlab.Problem(X, y, "squared", l2=1 / len(y))
rate = theory.exact_rate(P, "sdca", "uniform")
best = cdlab.reference(P).primal

race = cdlab.race(P, ["sdca"], seeds=range(30), max_passes=20, tol=0)
passes = race.traces[0].column("passes")
mean = np.mean([trace.column("primal") for trace in race.traces], axis=0) - best
grid = np.arange(21.0)
bound = np.asarray(theory.bound("sdca").curve(P, grid, P0=P.primal(np.zeros(P.d)) - best))

picture = plots.expected_error(
    rate, 20, bounds={"theorem": (grid, bound)}, measured={"mean of 30 runs": (passes, mean)}
)
print(plots.expected_error_sentence(rate))

# %%
# The triangles lie on the exact curve; the theorem stays at its start for these 20 passes.
