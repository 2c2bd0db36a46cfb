"""Compile kernels that many tests need, while pip, one process, installs what the tests need: a core is free then."""

import contextlib
import itertools
import time

import numpy as np
import scipy.sparse as sp

import cdlab

ENOUGH = time.monotonic() + 30  # seconds, about as long as pip takes

rng = np.random.default_rng(0)
X = rng.standard_normal((12, 5)) * (rng.random((12, 5)) < 0.7)
y = np.where(X[:, 0] > 0, 1.0, -1.0)
LOSSES = ("logistic", "squared", "smooth_hinge", "huber", "hinge")
FORMS = ((0.0, sp.csr_matrix), (0.0, np.asarray), (0.02, sp.csr_matrix))

for loss, (l1, form), method in itertools.product(LOSSES, FORMS, cdlab.methods.METHODS):
    if time.monotonic() > ENOUGH:
        break
    with contextlib.suppress(ValueError):  # a method that does not take this problem
        cdlab.solve(cdlab.Problem(form(X), y, loss=loss, l2=0.1, l1=l1), method, tol=0, max_passes=1)
