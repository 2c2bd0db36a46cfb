"""Running a command in this process, and reading what it says."""

import json

from cdlab.cli import main

N, D = 60, 7  # of small.csv, see conftest


def strict_json(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def ran(capsys, *words, code=0):
    """stdout of a command that ends with `code`."""
    assert main([str(word) for word in words]) == code
    return capsys.readouterr().out


def without_seconds(trace):
    columns = trace if isinstance(trace, dict) else {name: trace.column(name) for name in trace.records[0]._fields}
    return {name: list(columns[name]) for name in ("iteration", "passes", "primal", "dual", "gap")}
