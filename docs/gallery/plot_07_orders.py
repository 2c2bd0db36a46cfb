"""
Which order of coordinates is the fastest, exactly?
===================================================

For the squared loss nobody has to run anything: the expected error of coordinate descent, in any order, is an
eigenvalue problem. Outlines are what the bounds promise.
"""

import cdlab
from cdlab import plots, theory

X, y = cdlab.datasets.make(n=8, d=12, task="regression", seed=1)
P = cdlab.Problem(X, y, "squared", l2=1 / len(y))
rates = {order: theory.exact_rate(P, "sdca", order) for order in ("uniform", "permutation", "cyclic")}
picture = plots.orders(rates, {"uniform": theory.bound("sdca", "T").for_problem(P) / P.nnz})
print(plots.orders_sentence(rates))
