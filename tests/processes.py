"""Python in fresh processes."""

import json
import os
import subprocess
import sys


def start(code, cwd=None, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    """What the process printed, parsed as JSON, and what it wrote to its standard error."""
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    return json.loads(out), errors


def python(code, cwd=None, **environment):
    """Run code to its end, without a word of warning, and return what it printed, parsed as JSON."""
    printed, errors = finish(start(code, cwd, **environment))
    assert errors == ""
    return printed
