"""Shared settings of all tests."""

from asserting import pytest_assertion_pass, pytest_configure, pytest_pyfunc_call  # noqa: F401  hooks
from hypothesis import settings

# the first example may compile a kernel
settings.register_profile("cdlab", deadline=None)
settings.load_profile("cdlab")
