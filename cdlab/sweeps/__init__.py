"""Sweeps: thousands of runs over a grid of settings, kept in a folder that survives anything.

`sweep` carries out what is not in the store yet, by one of the executors; `Store` reads what is there. A run has a key
(``keys``) made of its data, its settings, its seed and the sources that can move its numbers (``sources``): the same
key is the same trace, whoever computed it and when. ``statistics`` compares methods over many problems.
"""

from .progress import Progress
from .racing import race
from .store import Store
from .sweeping import sweep

__all__ = ["Progress", "Store", "race", "sweep"]
