"""cdlab faceoff: files read in passing, measured costs, predictions in seconds."""

import numpy as np
import pytest
from commands import ran, strict_json

import cdlab
from cdlab.cli import main
from cdlab.faceoffs import derivative_cost
from cdlab.faceoffs.derivative_cost import Speed


@pytest.fixture
def fast_machine(monkeypatch, tmp_path):
    """A machine whose speed is known, and not measured."""
    monkeypatch.setattr(derivative_cost, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(derivative_cost, "_speed_cache", {})
    monkeypatch.setattr(derivative_cost, "measure", lambda loss, dense: Speed(3.0, 1e-9, 2e-8))


# ---------------------------------------------------------------- in passing
@pytest.mark.parametrize("words", [[], ["--scale", "mean"], ["--loss", "hinge"], ["--n-features", "9"]])
def test_a_streamed_file_gives_what_the_loaded_one_gives(words, golden, capsys):
    streamed = strict_json(ran(capsys, "faceoff", golden, "--l2", "1/n", *words, "--stream", "--json"))
    loaded = strict_json(ran(capsys, "faceoff", golden, "--l2", "1/n", *words, "--json"))
    assert streamed["problem"].pop("digest") is None
    loaded["problem"].pop("digest")
    assert streamed["problem"] == loaded["problem"]
    for found in (streamed, loaded):  # what needs every row's own norm, or products with X
        found["faceoff"].pop("T_D_acc"), found["faceoff"].pop("ratio_acc"), found["faceoff"].pop("exact", None)
    assert numbers(streamed["faceoff"]) == pytest.approx(numbers(loaded["faceoff"]), rel=1e-12)
    assert streamed["faceoff"]["reason"] == loaded["faceoff"]["reason"]


def numbers(found, prefix=""):
    """All numbers of a nested dict, by their places."""
    flat = {}
    for name, value in found.items():
        if isinstance(value, dict | list):
            flat |= numbers(dict(enumerate(value)) if isinstance(value, list) else value, f"{prefix}{name} ")
        elif isinstance(value, float | int):
            flat[f"{prefix}{name}"] = value
    return flat


def test_the_text_is_the_same_but_for_acceleration_and_exact_steps(golden, capsys):
    streamed, loaded = (ran(capsys, "faceoff", golden, "--l2", "1/n", *w).splitlines() for w in (["--stream"], []))
    assert loaded[0] == streamed[0].replace("nnz 17;", "nnz 17, stored as an array;")  # in passing nothing is stored
    others = [line for line in streamed[1:] if line not in loaded]
    assert [line.partition(":")[0] for line in others if "--stream keeps none" in line] == [
        "no T_P/T_D for accelerated methods",
        "no passes of exact steps",
    ]


def test_progress_goes_to_stderr(golden, capsys):
    assert main(["faceoff", golden, "--stream"]) == 0
    out, err = capsys.readouterr()
    assert "5 examples, 17 nonzeros, 0 MB of text (100%)" in err
    assert "examples, " not in out
    assert main(["faceoff", golden, "--stream", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["bad.svm"], "bad.svm, line 2: 'x' is not an index:value pair"),
        (["small.csv"], "not LIBSVM text"),
        (["absent.svm"], "there is no file absent.svm"),
        (["good.svm", "--split", "test"], "cannot find its --split test"),
        (["good.svm", "--l1", "0.1"], "--stream takes l1 = 0 only"),
        (["three.svm"], "3 distinct labels and the logistic loss"),
        (["many.svm"], "many.svm has more than 1000 distinct labels"),
        (["good.svm", "--l2", "-1"], "l2 must be a finite number >= 0"),
        (["good.svm", "--n-features", "1"], "index 2 needs n_features >= 2, not 1"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, data, tmp_path, capsys):
    (tmp_path / "bad.svm").write_text("1 1:1\n1 x\n")
    (tmp_path / "good.svm").write_text("1 1:1 2:1\n-1 1:1\n")
    (tmp_path / "three.svm").write_text("1 1:1\n2 1:1\n3 2:1\n")
    (tmp_path / "many.svm").write_text("".join(f"{k} 1:1\n" for k in range(1001)))
    assert main(["faceoff", *words, "--stream", "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert len(err.splitlines()) == 1


# ---------------------------------------------------------------- seconds
@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_measured_cost_predicts_seconds(stream, golden, fast_machine, capsys):
    words = ["faceoff", golden, "--l2", "1/n", "--derivative-cost", "measured", *stream]
    text = ran(capsys, *words)
    f = cdlab.faceoff(cdlab.Problem(*cdlab.datasets.load(golden), l2=0.2), derivative_cost="measured")
    assert f"primal {f.seconds_P:.6g}, dual {f.seconds_D:.6g}" in text
    assert "derivative cost: 3 visited nonzeros (measured on this machine)" in text
    found = strict_json(ran(capsys, *words, "--json"))["faceoff"]
    assert (found["seconds_P"], found["seconds_D"]) == pytest.approx((f.seconds_P, f.seconds_D), rel=1e-12)


@pytest.mark.parametrize("words", [[], ["--derivative-cost", "4"]])
def test_without_a_measurement_there_are_no_seconds(words, golden, capsys):
    assert "predicted seconds" not in ran(capsys, "faceoff", golden, *words)
    assert np.isnan(strict_json(ran(capsys, "faceoff", golden, *words, "--json"))["faceoff"]["seconds_P"] or np.nan)
