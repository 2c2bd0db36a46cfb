"""Sweeps: thousands of runs over a grid of settings, in a store that survives anything.

`sweep` carries out the runs that are not in the store yet, by one of the ``executors``; `Store` reads what is there. A
run has a key, see `run_keys`, made of its data, its settings, its seed and the digest of the numerics: the same key is
the same trace, whoever computed it and when. ``result_store`` keeps results by their keys in one SQLite file,
``scheduler`` hands out what is missing, and ``statistics`` compares methods over many problems.
"""

from .racing import race
from .scheduler import Progress
from .store import Store
from .sweeping import run_keys, sweep

__all__ = ["Progress", "Store", "race", "run_keys", "sweep"]
