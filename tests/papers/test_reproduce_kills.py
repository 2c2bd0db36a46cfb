"""Killed at any moment, a reproduction goes on to the same pages, byte for byte."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from made_up import paper
from processes import finish, start
from stores import count_writes, finished

from papers import reproduce

KILLS = 3
RUN = """
import json
from made_up import paper
from papers import reproduce
made = paper(max_passes=3000, tol=0.0, seeds=[0, 1, 2])
done = reproduce(made.items, out={out!r}, store={store!r}, executor="serial", papers=[made])
print(json.dumps(done.complete))
"""
HERE = Path(__file__).parent
PATH = {"PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE.parent, HERE.parents[1])))}


def begun(folder):
    return start(RUN.format(out=str(folder / "out"), store=str(folder / "store")), **PATH)


def pages(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "out").glob("*.*"))}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.full  # a push kills a sweep, on whose store reproductions go on
def test_what_was_killed_goes_on_to_the_same_pages(tmp_path):
    made = paper(max_passes=3000, tol=0.0, seeds=[0, 1, 2])
    reproduce(made.items, out=tmp_path / "1/out", store=tmp_path / "1/store", executor="serial", papers=[made])
    rng, killed = random.Random(0), tmp_path / "2"
    for round_ in range(KILLS):
        process = begun(killed)
        while len(finished(killed / "store")) <= 2 * round_ and process.poll() is None:
            time.sleep(0.005)
        time.sleep(rng.random() / 20)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    complete, _ = finish(begun(killed))
    assert complete
    assert count_writes(killed / "store") == len(finished(killed / "store"))
    assert pages(killed) == pages(tmp_path / "1")
