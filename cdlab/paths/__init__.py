"""Regularisation paths of smooth losses with l1 > 0: one compiled driver for all weights, a certificate for each."""

from .driver import Driver, Found, Limits, fits, largest_l1

__all__ = ["Driver", "Found", "Limits", "fits", "largest_l1"]
