"""cdlab certify is the API's certify, of a solution or coefficients in an NPZ file."""

from pathlib import Path

import numpy as np
import pytest
from commands import D, ran, strict_json

import cdlab
from cdlab.cli import main

L2 = ["--l2", 0.1]


def answer(capsys, *words, code=0):
    return strict_json(ran(capsys, "certify", *words, "--json", "--quiet", code=code))


@pytest.mark.parametrize("free", [[], ["--intercept"]])
def test_solutions_of_the_command_line_and_of_the_api(data, capsys, free):
    ran(capsys, "solve", "small.csv", *L2, *free, "--tol", 1e-3, "--solution", "w.npz")
    s = cdlab.solve(cdlab.Problem(*data, l2=0.1, intercept=bool(free)), tol=1e-3)
    s.save("s.npz")
    expected = cdlab.certify(s, *data)
    for file in ("w.npz", "s.npz"):
        found = answer(capsys, file, "small.csv", *L2, *free)
        assert found["verb"] == "certify"
        assert found["result"]["gap"] == expected.gap
        assert found["result"]["relative_gap"] == expected.relative_gap
        assert found["problem"]["intercept"] is bool(free)


def test_coefficients_with_scikit_learns_names_and_a_tolerance(data, capsys):
    np.savez("zero.npz", coef_=np.zeros((1, D)), intercept_=np.zeros(1))
    assert "above its minimum" in ran(capsys, "certify", "zero.npz", "small.csv", *L2)
    expected = cdlab.certify(np.zeros(D), *data, "logistic", 0.1, intercept=0.0)
    assert answer(capsys, "zero.npz", "small.csv", *L2, "--intercept")["result"]["gap"] == expected.gap
    assert expected.relative_gap > 1e-3
    answer(capsys, "zero.npz", "small.csv", *L2, "--intercept", "--tol", 1e-3, code=1)


def test_where_there_is_no_number_the_exit_code_is_1(data, capsys):
    np.savez("zero.npz", w=np.zeros(D))
    found = answer(capsys, "zero.npz", "small.csv", "--l2", 0, code=1)["result"]
    assert found["gap"] is None
    assert "without a regulariser" in found["why"]


FILES = {
    "pickle.npz": lambda: np.savez("pickle.npz", w=np.array([object()])),
    "other.npz": lambda: np.savez("other.npz", X=np.zeros(3)),
    "short.npz": lambda: np.savez("short.npz", w=np.zeros(2)),
    "words.npz": lambda: np.savez("words.npz", w=np.array(["a"])),
    "moved.npz": lambda: np.savez("moved.npz", w=np.zeros(D), intercept=1.0),
    "text.npz": lambda: Path("text.npz").write_text("no archive"),
    "empty.npz": lambda: Path("empty.npz").touch(),
    "missing.npz": lambda: None,
}


@pytest.mark.parametrize("name", FILES)
def test_other_files_get_one_sentence(data, capsys, name):
    FILES[name]()
    assert main(["certify", name, "small.csv", "--quiet"]) == 2
    said = capsys.readouterr().err.strip()
    assert "\n" not in said
    assert "Traceback" not in said
    assert said.startswith("cdlab: ")


def test_an_intercept_that_is_asked_for_must_be_there(data, capsys):
    np.savez("w.npz", w=np.zeros(D))
    assert main(["certify", "w.npz", "small.csv", "--intercept", "--quiet"]) == 2
    assert "no array named intercept" in capsys.readouterr().err


def test_a_solution_of_another_problem_is_told(data, capsys):
    ran(capsys, "solve", "small.csv", *L2, "--solution", "point")
    capsys.readouterr()
    main(["certify", "point", "small.csv", "--l2", "0.2"])
    told = capsys.readouterr().err
    assert "l2=0.1" in told
    assert "l2=0.2" in told
    main(["certify", "point", "small.csv", "--l2", "0.1"])
    assert "l2=0.1" not in capsys.readouterr().err
