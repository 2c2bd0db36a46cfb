import os

import pytest

DATA = os.environ.get("CDLAB_DATA", "")


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path_factory):
    """No CDLAB_DATA, an empty cache and no proxy, whatever the machine has."""
    monkeypatch.delenv("CDLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def real_data(monkeypatch):
    if not DATA:
        pytest.skip("CDLAB_DATA is not set: the large real data sets are not here")
    monkeypatch.setenv("CDLAB_DATA", DATA)
