"""
What do the data look like to a coordinate method?
==================================================

Nonzeros and squared norms of rows and of columns. Dual methods pay for a row at each step, primal ones for a column.
"""

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=1000, d=400, density=0.05, skew=1.0, row_spread=0.5, seed=0)
picture = plots.structure(cdlab.Problem(X, y, l2=1e-3))
