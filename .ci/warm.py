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
FORMS = (  # those of tests/forms.py, whose imports are not installed yet, and two that many tests take as well
    ("logistic", 0.0, np.asarray),
    ("logistic", 0.0, sp.csr_matrix),
    ("squared", 0.02, np.asarray),
    ("smooth_hinge", 0.0, np.asarray),
    ("squared", 0.0, np.asarray),
    ("huber", 0.02, sp.csr_matrix),
    ("squared_hinge", 0.0, np.asarray),
)

for loss, form in (("squared", np.asarray), ("logistic", sp.csr_matrix)):  # the driver of paths, and certificates
    cdlab.path(cdlab.Problem(form(X), y, loss=loss, l2=0), l1=[0.1, 0.05])

for (loss, l1, form), method in itertools.product(FORMS, cdlab.methods.METHODS):
    if time.monotonic() > ENOUGH:
        break
    with contextlib.suppress(ValueError):  # a method that does not take this problem
        cdlab.solve(cdlab.Problem(form(X), y, loss=loss, l2=0.1, l1=l1), method, tol=0, max_passes=1)
