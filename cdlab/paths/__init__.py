"""Regularisation paths of smooth losses with l1 > 0: one compiled driver for all weights, a certificate for each."""

from .driver import Driver, Limits, PathStep, fits, largest_l1

__all__ = ["Driver", "Limits", "PathStep", "fits", "largest_l1"]
