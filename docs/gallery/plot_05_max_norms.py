"""
What does importance sampling save?
===================================

Uniform sampling pays for the largest norm, importance sampling for a mean. The length of each line is what uneven norms
cost.
"""

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=400, d=100, row_spread=1.0, density=0.2, seed=0)
face = cdlab.faceoff(cdlab.Problem(X, y, loss="logistic", l2=1e-3))
picture = plots.max_norms(face)
print(plots.max_norms_sentence(face))
