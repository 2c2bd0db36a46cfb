"""Regularisation paths of smooth losses with l1 > 0: one compiled driver for all weights, a certificate for each."""

from .driver import Driver, PathLimits, PathStep, fits, largest_l1

__all__ = ["Driver", "PathLimits", "PathStep", "fits", "largest_l1"]
