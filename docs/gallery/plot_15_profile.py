"""
Which method is good on many problems?
======================================

A sweep over data sets and weights: the share of problems that each method solved within a factor of the best.
"""

from tempfile import mkdtemp

import cdlab
from cdlab import plots

grid = {
    "data": [f"synthetic:n={n},d={d},seed={seed}" for n, d in ((200, 20), (60, 200)) for seed in range(3)],
    "loss": "logistic",
    "l2": ["1/n", "0.1/n", "0.01/n"],
    "method": ["sdca@permutation", "rcd@permutation", "apcg", "lbfgs"],
    "max_passes": 100,
    "tol": 1e-6,
}
store = cdlab.sweep(grid, store=mkdtemp())  # a folder of yours, which loses no finished run
picture = plots.performance_profile(store, 1e-4)

# %%
# The height at 1 is the share of problems on which a method was the fastest; the right end, the share it solved at
# all. A curve further up and to the left is better.
