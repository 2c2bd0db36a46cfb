"""A fair benchmark of cdlab against other packages: from (X, y) to a given suboptimality, on one thread.

A cell is a data set, a loss, and what is asked for: a point for given weights, a path, or a cross-validation (cells.py,
recipes.py). P* of a cell is certified once (optimum.py). Each peer (peers/) is first shown to converge to that optimum;
the cheapest of its settings that reaches a target is sought by what P(w) says from outside (tasks.py, path_tasks.py,
searching.py), and then this call and one with its defaults are timed in turn with everybody else's (running.py), in a
process of its own with one thread (worker.py). What is missing is planned by its keys (planning.py) and scheduled as
runs of sweeps are. All are judged by "primal", P(w) - P*: others give no dual point, and here P* is certified. What is
measured is in a store (results.py), of which ratios, counts and performance profiles are made (report.py, page.html).

``cdlab bench`` is the way in; nothing here is loaded by anything else.
"""
