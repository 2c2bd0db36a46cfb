"""Running a command in this process, and reading what it says."""

import json

import numpy as np

from cdlab.cli import main

N, D = 60, 7  # of small.csv, see conftest


def write_data(folder):
    """`small.csv` with a test part beside it, and other files."""
    rng = np.random.default_rng(3)
    w = rng.standard_normal(D)
    for name, n in (("small.csv", N), ("small.t.csv", 25), ("other.csv", 20)):
        X = rng.standard_normal((n, D))
        y = np.where(X @ w + 0.5 * rng.standard_normal(n) > 0, 1, -1)
        np.savetxt(folder / name, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    (folder / "wide.svm").write_text("1 2147483647:1\n")
    rows = "".join(f"{k},{k * k % 7},1,2,3,4,{('spam', 'ham')[k % 2]}\n" for k in range(12))
    (folder / "words.csv").write_text(rows.replace("1,2,3,4", "1,2,3,4,5"))


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
