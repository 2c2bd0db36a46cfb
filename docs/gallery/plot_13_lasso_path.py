"""
Which features enter first?
===========================

A Lasso path of 50 weights, each certified. Few features are left at a large weight; the picture counts them.
"""

import numpy as np

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=100, d=300, task="regression", seed=0)
P = cdlab.Problem(X, y, "squared", l2=0)
largest = cdlab.paths.largest_l1(P)
path = cdlab.path(P, l1=np.geomspace(largest, largest / 100, 50), tol=1e-6)

table = path.to_frame().iloc[1:][::-1]  # from the smallest weight; at the largest w = 0
curve = plots.Curve("features in use", "primal", [(table["l1"], table["nonzeros"])])
picture = plots.panels([plots.Panel([curve], "", "l1", "features", x_log=True)], columns=1)
print(path)

# %%
# From right to left: no feature at the largest weight, about a hundred of the 300 at a hundredth of it.
