import os

import pytest

from cdlab.datasets.catalogue import BUNDLED, find

DATA = os.environ.get("CDLAB_DATA", "")


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path_factory):
    """No CDLAB_DATA, an empty cache and no proxy, whatever the machine has."""
    monkeypatch.delenv("CDLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def real_data(monkeypatch, request):
    """The folder CDLAB_DATA, which a case about a bundled set (its `name`) does not need."""
    if DATA:
        monkeypatch.setenv("CDLAB_DATA", DATA)
    elif "name" not in request.fixturenames or find(BUNDLED, request.getfixturevalue("name")) is None:
        pytest.skip("CDLAB_DATA is not set: the large real data sets are not here")
