"""
Why did the race not come out as predicted?
===========================================

The bounds promised another ratio than the runs showed. Two sentences: the cause of the lead, and what the bounds miss.
"""

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=200, d=30, task="regression", row_spread=0.5, seed=0)
P = cdlab.Problem(X, y, "squared", l2=0.1 / len(y))
race = cdlab.race(P, ["sdca", "rcd"], seeds=range(5), max_passes=2000, tol=1e-6)
picture = plots.race(race)
print(cdlab.explain(race))

# %%
# A cause is named where a race without it, with seeds of its own, shows that half of the lead goes with it. Every
# number says whose it is, and whether it was measured, simulated, promised by a theorem or computed exactly.
