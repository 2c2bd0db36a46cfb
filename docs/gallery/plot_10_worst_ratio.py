"""
Could binary data always favour the primal?
===========================================

The largest C_P/C_D of n examples, d features and alpha nonzeros. Where a curve is below 1 the primal bound is better
for all binary data of that size (Csiba & Richtárik 2016, Figure 1).
"""

from cdlab import plots

picture = plots.worst_ratio()
print(plots.worst_ratio_sentence())
