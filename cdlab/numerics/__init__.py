"""Foundations: the bridge to numba, matrices, argument checks, eigenvalues, clocks, threads."""
