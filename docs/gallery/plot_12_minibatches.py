"""
How much does a mini-batch cost?
================================

Examples of a batch are updated from the same point, so steps have to be shorter: the bound for m examples at a time
(expected separable overapproximation) says by how much. On sparse data a batch is nearly free, on dense data it is not.
"""

import cdlab
from cdlab import plots, samplings, theory

sizes = [1, 2, 4, 8, 16, 32, 64, 128]
curves = []
for name, density in (("sparse rows", 0.02), ("dense rows", 1.0)):
    X, y = cdlab.datasets.make(n=256, d=200, density=density, seed=0)
    P = cdlab.Problem(X, y, loss="logistic", l2=0.1 / len(y))
    rounds = [theory.bound("quartz", "K", samplings.TauNice(m)).for_problem(P) for m in sizes]
    curves.append(plots.Curve(name, "dual" if name == "sparse rows" else "full", [(sizes, rounds)]))

picture = plots.panels([plots.Panel(curves, "", "examples in a batch", "rounds per factor e", x_log=True)], columns=1)

# %%
# On sparse rows a batch of 128 needs 40 times fewer rounds than single examples. On dense rows the line is flat:
# steps are as much shorter as there are more of them.
