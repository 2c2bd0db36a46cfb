"""
From a CSV file to a certified answer
=====================================

A file of one's own: columns with a header, the label in one of them. The method is chosen, and the answer comes with a
proof of how far from the optimum it is at most.
"""

import csv
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import cdlab
from cdlab import plots

file = Path(mkdtemp()) / "members.csv"  # stands for your file
rng = np.random.default_rng(0)
with file.open("w", newline="") as rows:
    writer = csv.writer(rows)
    writer.writerow(["age", "visits", "balance", "is_member"])
    for age, visits, balance in rng.normal(size=(300, 3)):
        writer.writerow([age, visits, balance, int(age + 2 * visits - balance + rng.normal() > 0)])

X, y = cdlab.datasets.load(file, label="is_member")
P = cdlab.Problem(X, y, loss="logistic", l2=0.1 / len(y), intercept=True)
solution = cdlab.solve(P, tol=1e-8, every=1)
print(solution)
print("chosen:", solution.trace.meta["chosen"])

# %%
# The gap after each measurement: P(w) - P* is at most this, whatever P* is.

picture = plots.race([solution.trace])
