"""Shared settings of all tests."""

from asserting import pytest_assertion_pass, pytest_configure, pytest_pyfunc_call  # noqa: F401  hooks
from hypothesis import settings

collect_ignore = ["asserting.py"]  # looking for doctests would load it, and count, twice

# the first example may compile a kernel
settings.register_profile("cdlab", deadline=None)
settings.load_profile("cdlab")
