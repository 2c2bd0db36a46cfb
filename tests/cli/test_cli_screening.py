"""At the terminal: screening is a parameter of the method, and a column says what is left."""

from commands import ran, strict_json


def test_solve_prints_what_is_left(data, capsys):
    words = ("solve", "small.csv", "--loss", "smooth_hinge", "--l2", "0.1", "--tol", "1e-9")
    for method, shown in (("sdca:screening=shrink", True), ("sdca", False)):
        assert ("  active" in ran(capsys, *words, "--method", method)) == shown
    left = strict_json(ran(capsys, *words, "--method", "sdca:screening=shrink", "--json"))["trace"]["active"]
    assert left[-1] < left[0]


def test_path_has_a_column_of_it(data, capsys):
    words = (
        "--loss",
        "squared_hinge",
        "--l2",
        "1,0.1",
        "--tol",
        "1e-9",
        "--method",
        "sdca:screening=gap_safe",
        "--json",
    )
    rows = strict_json(ran(capsys, "path", "small.csv", *words))["path"]
    assert all(row["active"] > 0 for row in rows)
