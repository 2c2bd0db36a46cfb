"""
Why did the race not come out as predicted?
===========================================

The bounds promised another ratio than the runs showed. The causes, ranked, each with its share of the difference.
"""

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=200, d=30, task="regression", row_spread=0.5, seed=0)
P = cdlab.Problem(X, y, "squared", l2=0.1 / len(y))
race = cdlab.race(P, ["sdca@permutation", "rcd@permutation"], seeds=range(5), max_passes=60)
picture = plots.race(race)
for cause in cdlab.explain(race):
    print(cause)

# %%
# The bounds put the dual ahead; the race went the other way. The ranked causes say what of the difference each
# accounts for: above 100% where others work against it.
