"""The tests of the drawing modules themselves, in node."""

import subprocess
from pathlib import Path

import pytest
from nodejs import node

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(str(path.relative_to(HERE)) for path in HERE.rglob("*.test.mjs")))
def test_in_node(name):
    done = subprocess.run([node(), "--test", HERE / name], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
