"""
Where do permutations beat independent draws?
=============================================

Everywhere on equicorrelated data, by a factor that is known in closed form.
"""

from cdlab import plots

picture = plots.permutation_gain()
print(plots.permutation_gain_sentence())
