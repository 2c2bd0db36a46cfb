"""
What do the data look like to a coordinate method?
==================================================

Nonzeros and squared norms of rows and of columns. Dual methods pay for a row at each step, primal ones for a column.
"""

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=1000, d=400, density=0.05, skew=1.0, row_spread=0.5, seed=0)
picture = plots.structure(cdlab.Problem(X, y, l2=1e-3))

# %%
# Rows have 8 to 32 nonzeros, columns from 5 to 1,000: a primal step on a frequent feature costs as much as a hundred
# on rare ones. Norms spread likewise, which is what importance sampling is for.
