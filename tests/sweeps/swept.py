"""Small sweeps, and what tests compare of their traces."""

import cdlab

X, y = cdlab.datasets.make(n=60, d=12, seed=0)
X2, y2 = cdlab.datasets.make(n=40, d=8, density=0.3, seed=1)


def grid(**changed):
    """Eight runs of a moment."""
    return {"X": X, "y": y, "l2": [0.1, 0.01], "method": ["sdca", "rcd"], "seed": [0, 1], "tol": 1e-3} | changed


def longer():
    """24 runs of a tenth of a second or more: time to be interrupted."""
    return grid(l2=[0.1, 0.05, 0.02, 0.01], seed=range(3), tol=0.0, max_passes=1000)


def numbers(trace):
    """All that must be the same wherever and whenever the run was made: everything but its seconds."""
    names = [name for name in trace.names if name != "seconds"]
    return {name: trace.column(name).tolist() for name in names} | {"status": trace.meta["status"]}


def contents(store):
    """The numbers of every finished run by its key."""
    return {key: numbers(store[key]) for key in store.keys}
