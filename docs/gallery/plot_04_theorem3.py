"""
How one-sided can data be?
==========================

C_P/C_D, which decides which side needs less work, lies between 1/d and n (Csiba & Richtárik 2016, Theorem 3). Here is
where three data sets stand.
"""

import cdlab
from cdlab import plots

X, y = cdlab.datasets.make(n=500, d=2000, density=0.01, skew=1.0)
faces = {
    "mushrooms": cdlab.faceoff(cdlab.Problem(*cdlab.datasets.load("mushrooms"), l2=1e-3)),
    "words in posts": cdlab.faceoff(cdlab.Problem(X, y, l2=1e-3)),
    "the transpose": cdlab.faceoff(cdlab.Problem(X.T.tocsr(), [1.0, -1.0] * 1000, l2=1e-3)),
}
for name, face in faces.items():
    print(f"{name}: C_P/C_D = {face.C_P / face.C_D:.3g}, {face.winner}")

picture = plots.theorem3(faces["words in posts"])

# %%
# The mark stands to the right of 1: rows are the shorter lines of these data, and the bounds favour the dual.
