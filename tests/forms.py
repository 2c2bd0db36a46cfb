"""The few kernels that a push compiles.

numba makes machine code for each loss, regulariser and storage that a kernel meets, which took most of a push's time.
So a push takes each loss in the one form below, and a release (``pytest -m full``) takes the whole product. Among the
forms all four pairs of regulariser and storage occur. A hinge is a smooth hinge to the compiler, and an absolute loss a
Huber loss, so these share theirs. Claims of one method about all losses take those of four machine codes, and in a push
of two; the other losses meet the methods in methods/test_registry.py.
"""

from itertools import product

import pytest

FORM = {  # loss: whether with l1, and whether stored in CSR
    "logistic": (False, True),
    "squared": (True, False),
    "squared_hinge": (False, False),
    "smooth_hinge": (False, False),
    "hinge": (False, False),
    "huber": (True, True),
    "absolute": (True, True),
    "pinball": (True, False),
    "epsilon_insensitive": (False, True),
    "squared_epsilon_insensitive": (True, True),
}
FOUR = ["logistic", "squared", "smooth_hinge", "huber"]  # one for each pair of regulariser and storage
TWO = FOUR[:2]  # with and without l1, dense and in CSR


def is_form(loss, l1, sparse, takes_l1=True):
    """Whether this is the one form of this loss; a new loss is taken in every one."""
    with_l1, csr = FORM.get(loss, (l1 > 0, sparse))
    return sparse == csr and (l1 > 0) == (with_l1 and takes_l1)


def is_pushed(loss, *form):
    """Whether a push takes this form in claims about all losses."""
    return loss in TWO and is_form(loss, *form)


def tier(*form):
    """The marks of a case in this form: a push takes it, or a release does."""
    return () if is_pushed(*form) else pytest.mark.full


def forms(losses, l1, *before):
    """Parameters (*before, loss, l1, sparse): without and with this l1 (0: the method takes none), dense and in CSR."""
    every = product(losses, dict.fromkeys((0.0, l1)), (False, True))
    return [pytest.param(*before, *form, marks=tier(*form, l1 > 0)) for form in every]
