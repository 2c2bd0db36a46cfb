import pytest
from browsing import dashboard

import cdlab


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """The folder of a small sweep."""
    folder = tmp_path_factory.mktemp("stores") / "small"
    grid = {"data": "mushrooms", "scale": "mean", "l2": ["1/n", "10/n"], "method": ["sdca", "quartz"], "seed": [0, 1]}
    cdlab.sweep(grid | {"tol": 1e-6, "max_passes": 60}, store=folder)
    return folder


@pytest.fixture(scope="session")
def address(store):
    with dashboard(session_history=-1, stores=[str(store)]) as (url, _):  # it counts its sessions
        yield url
