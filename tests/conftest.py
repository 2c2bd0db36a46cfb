"""Shared settings of all tests."""

from hypothesis import settings

# the first example may compile a kernel
settings.register_profile("cdlab", deadline=None)
settings.load_profile("cdlab")
