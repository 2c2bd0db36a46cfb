"""A fair comparison of cdlab with other packages: from (X, y) to a given suboptimality, on one thread.

``python -m benchmarks.peers`` in a clone is the way in (command.py). A cell is a data set, a loss, and what is asked
for: a point for given weights, a path, or a cross-validation (cells.py, tasks.py). P* of a cell is certified once
(optimum.py). Each peer (adapters/) is first shown to converge to that optimum; the cheapest of its settings that
reaches a target is sought by what P(w) says from outside (searching.py), and then this call and one with its defaults
are timed in turn with everybody else's (timing.py), in a process of its own with one thread (worker.py). What is
finished is in a store (results.py), and what is missing is scheduled as runs of sweeps are (comparing.py). All are
judged by P(w) - P*: others give no dual point, and here P* is certified. Ratios, counts and a performance profile are
the report (report.py, page.py).

``benchopt run benchmarks/peers/benchopt`` measures cdlab in benchopt, by the clock.
"""
