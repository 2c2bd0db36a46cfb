"""Traces keep, save and restore what a run measured."""

import json

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.runs.trace import Record, Trace, relative_gap


def test_a_saved_trace_comes_back(tmp_path):
    trace = cdlab.solve(problem(), max_passes=3).trace
    trace.save(tmp_path / "trace.json")
    back = Trace.load(tmp_path / "trace.json")
    assert back.meta == trace.meta
    np.testing.assert_array_equal(np.array(back.records), np.array(trace.records))


def test_infinite_values_survive_saving(tmp_path):
    trace = Trace([Record(0, 0.0, 0.0, 1.0, -np.inf, np.inf, np.nan)], {"label": "x"})
    trace.save(tmp_path / "t.json")
    json.loads((tmp_path / "t.json").read_text(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    np.testing.assert_array_equal(Trace.load(tmp_path / "t.json").records[0], trace.records[0])


NO_NUMBERS = "holds something else than numbers"


def saved(meta=None, **columns):
    """What `save` would have written, with some of it changed."""
    names = ("iteration", "passes", "seconds", "primal", "dual", "gap")
    told = {name: [0, 1] for name in names} | {"dual": [0, 0]} | columns
    return json.dumps({"meta": meta or {}, "columns": told})


NO_TRACES = {
    "nothing": ("", "Expecting value"),
    "not JSON": ("\x00\xff", "Expecting value"),
    "a list": ("[1]", "it has no meta and columns"),
    "no columns": ('{"meta": {}}', "it has no meta and columns"),
    "unnamed columns": ('{"meta": {}, "columns": [1]}', "the columns of a run are not named"),
    "too few columns": ('{"meta": {}, "columns": {"iteration": [1]}}', "the column passes of a run is missing"),
    "a column too many": (saved(loss=[0, 1]), "a run has no column 'loss'"),
    "too deep": ("[" * 100_000, "nested too deeply"),
    "too deep a meta": ('{"columns": {}, "meta": ' + "[" * 100_000, "nested too deeply"),
    "NaN, which JSON has not": (saved(primal=[float("nan"), 1]), "NaN is not JSON"),
    "a number beyond float64": (saved(primal=[0, 1]).replace('"primal": [0', '"primal": [1e999'), NO_NUMBERS),
    "a whole number beyond float64": (saved(primal=[10**399, 1]), NO_NUMBERS),
    "a number of too many digits": (saved().replace("[0", "[" + "9" * 401), "a whole number of 401 digits"),
    "iterations without end": (saved(iteration=["inf", "inf"]), "the iteration of a run fall"),
    "iterations that fall": (saved(iteration=[1, 0]), "the iteration of a run fall"),
    "more iterations than float64 counts": (saved(iteration=[0, 2**53]), "the iterations of a run are too many"),
    "seconds that fall": (saved(seconds=[1, 0]), "the seconds of a run fall"),
    "objects for numbers": (saved(dual=[{}, {}]), NO_NUMBERS),
    "words for numbers": (saved(dual=["one", "two"]), NO_NUMBERS),
    "truth for numbers": (saved(dual=[True, False]), NO_NUMBERS),
    "columns of two lengths": (saved(dual=[1]), "not equally long"),
    "a text for a column": (saved(dual="01"), NO_NUMBERS),
    "no first value": (saved(primal=["nan", 1]), "the first value of a run is not a number"),
    "meta of a number": (saved(7), "its meta is not an object"),
    "meta of a list": (saved([1]), "its meta is not an object"),
    "a label of a list": (saved({"label": ["sdca"]}), "the label in its meta is not a string"),
    "a status of a number": (saved({"status": 3}), "the status in its meta is not a string"),
    "versions of a text": (saved({"versions": "1"}), "the versions in its meta are not strings"),
    "a version of a number": (saved({"versions": {"cdlab": 1}}), "the versions in its meta are not strings"),
    "a seed of an object": (saved({"seed": {}}), "the seed in its meta is not a number"),
    "an every of a half": (saved({"every": 0.5}), "the every in its meta is not a number"),
    "a gap that is not P - D": (saved(gap=[0, 0.5]), "the gap of record 1"),
    "a gap of half of P - D": (saved(primal=[1, 1], gap=[0.5, 1]), "the gap of record 0"),
    "a gap where nothing is certified": (saved(dual=["-inf", 0]), "the gap of record 0"),
    "a P(0) of a word": (saved({"P0": "much"}), "the P0 in its meta is not a number"),
    "a P(0) that is not a number": (saved({"P0": "nan"}), "the P0 in its meta is not a number"),
    "a P(0) beyond float64": (saved({"P0": 10**399}), "the P0 in its meta is beyond float64"),
}


@each_of(
    "content",
    [
        saved(),
        saved(iteration=[0, 2**53 - 1]),
        saved(iteration=[3, 3]),  # an epoch may be of other work than updates
        saved(primal=[1, "nan"], dual=[0, "-inf"], gap=[1, "inf"]),  # a run that diverged
        saved(primal=[1, float(np.finfo(float).max)], gap=[1, float(np.finfo(float).max)]),
        saved({"seed": "SeedSequence(3)", "every": 2, "P0": -0.5}),
        saved(primal=[1, 1], dual=[0, 1 + 1e-15], gap=[1, 0]),
    ],
)
def test_what_a_run_may_have_written_is_a_trace(tmp_path, content):
    (tmp_path / "t.json").write_text(content)
    back = Trace.load(tmp_path / "t.json")
    assert json.loads(json.dumps(back.to_plain()))["columns"].items() >= json.loads(content)["columns"].items()
    assert back.meta == json.loads(content)["meta"]


@each_of("change", ["gap", "rounding", "dual", "file", "version", "later version"])
def test_what_a_run_has_written_is_refused_where_its_gap_was_edited(tmp_path, change):
    trace = cdlab.solve(problem(), tol=1e-12).trace
    content, last = trace.to_plain(), trace.records[-1]
    np.testing.assert_array_equal(Trace.from_plain(json.loads(json.dumps(content))).records, trace.records)
    columns = content["columns"]
    if change == "gap":
        columns["gap"][-1] /= 2
    elif change == "rounding":
        columns["gap"][-1] -= 0.9 * last.rounding
        columns["rounding"][-1] *= 0.1
    elif change == "dual":
        columns["dual"][-1] -= 1e-9
    else:
        content |= {"file": {"file": "cdlab solution"}, "version": {"version": "2"}, "later version": {"version": 3}}[
            change
        ]
    with pytest.raises(ValueError, match="gap|rounding|it is a|version"):
        Trace.from_plain(content)


def test_a_trace_may_be_empty():
    assert Trace.from_plain({"meta": {}, "columns": {name: [] for name in Record._fields}}).records == []


def test_meta_that_json_does_not_know_is_refused(tmp_path):
    with pytest.raises(ValueError, match="the meta of this trace cannot be written as JSON"):
        Trace(meta={"seed": object()}).save(tmp_path / "t.json")
    assert not (tmp_path / "t.json").exists()


@each_of("content, why", NO_TRACES.values())
def test_what_is_not_a_trace_is_refused(tmp_path, content, why):
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=f"is not a trace saved by cdlab: .*{why}") as error:
        Trace.load(path)
    assert "\n" not in str(error.value)


def test_to_frame_has_the_documented_columns():
    plain, tested = (
        cdlab.solve(problem(), max_passes=2).trace,
        cdlab.solve(problem(), max_passes=2, test=(problem().X, problem().y)).trace,
    )
    assert list(plain.to_frame()) == ["iteration", "passes", "seconds", "primal", "dual", "gap", "best_gap"] + [
        "examples",
        "rounding",
    ]
    assert set(tested.to_frame()) - set(plain.to_frame()) == {"test_error", "test_loss"}


def test_a_trace_saved_before_there_were_test_losses_and_examples_still_loads(tmp_path):
    trace = cdlab.solve(problem(), max_passes=2).trace
    trace.save(tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    del content["columns"]["examples"], content["columns"]["rounding"], content["file"], content["version"]
    primal, dual = content["columns"]["primal"], content["columns"]["dual"]
    content["columns"]["gap"] = [p - d for p, d in zip(primal, dual, strict=True)]
    (tmp_path / "trace.json").write_text(json.dumps(content))
    back = Trace.load(tmp_path / "trace.json")
    assert back.names == ["iteration", "passes", "seconds", "primal", "dual", "gap"]
    np.testing.assert_allclose(back.column("gap"), trace.column("gap"), rtol=1e-9)


@each_of("loss", ["logistic", "hinge", "squared"])
def test_the_test_loss_is_the_mean_loss_on_the_test_data(loss):
    train, held_out = problem(loss), problem(loss, n=12, seed=3, l2=0.0, l1=0.0)
    s = cdlab.solve(train, max_passes=3, tol=0, test=(held_out.X, held_out.y))
    last = s.trace.records[-1]
    assert last.test_loss == pytest.approx(held_out.primal(s.w), rel=1e-12)
    if loss == "squared":
        assert last.test_error == last.test_loss
    else:
        assert last.test_error == np.mean(held_out.y * (held_out.X @ s.w) <= 0)


def test_least_squares_on_signs_also_knows_its_wrong_signs():
    train, held_out = problem("logistic"), problem("logistic", n=12, seed=3)
    P = cdlab.Problem(train.X, train.y, "squared", l2=0.1)
    s = cdlab.solve(P, max_passes=3, tol=0, test=(held_out.X, held_out.y))
    last = s.trace.records[-1]
    assert last.test_error == last.test_loss
    assert last.test_sign_error == np.mean(held_out.y * (held_out.X @ s.w) <= 0)
    assert s.trace.records[0].test_sign_error == 1  # w = 0 has no sign
    for other, y in ((P, 2 * held_out.y), (train, held_out.y)):  # other targets have none, and signs are test_error
        trace = cdlab.solve(other, max_passes=1, test=(held_out.X, y)).trace
        assert "test_sign_error" not in trace.names


def processed(method, epochs=3, **parameters):
    """Examples processed in each epoch, on 30 examples."""
    run = cdlab.iterate(problem(n=30, l1=0.0), method, **parameters)
    return np.diff([next(run).examples for _ in range(epochs + 1)])


def test_examples_are_counted_as_the_papers_count_them():
    """One an iteration for sdca, m for a mini-batch, n for a full gradient; svrg without its full gradients."""
    assert (processed("sdca") == 30).all()
    assert (processed("sgd") == 30).all()
    assert (processed("svrg") == 30).all()
    for batch in (4, 30):
        assert (processed("asdca", batch_size=batch) == -(-30 // batch) * batch).all()
        assert (processed("spdc", batch_size=batch) == -(-30 // batch) * batch).all()
    for method in ("agd", "fista", "gd"):
        assert (processed(method) == 30).all()
    assert (processed("dual_appa") == 30).all()  # of its inner method; the gap tests show in passes
    np.testing.assert_allclose(processed("rcd", sampling="permutation"), 30)  # coordinates of w: n a pass


def test_examples_are_an_axis():
    P = problem(l1=0.0)
    race = cdlab.race(P, ["sdca", "agd"], max_passes=20)
    picture = cdlab.plots.race(race.traces, x="examples")
    assert picture.Curve.values()[0].kdims[0].label == "examples processed"
    sdca = race.traces[0]
    assert sdca.reached(1e-2, by="examples") == sdca.reached(1e-2, by="iteration") > 0


def test_reached_finds_the_first_record_below():
    trace = Trace([Record(k, k, 2 * k, 1.0, 1 - 0.5**k, 0.5**k, np.nan) for k in range(5)])
    assert trace.reached(0.25, column="gap") == 2
    assert trace.reached(0.25, by="seconds", column="gap") == 4
    assert trace.reached(1e-9, column="gap") == np.inf


def test_relative_gap_conventions():
    first = Record(0, 0, 0, 2.0, 0.0, 2.0, np.nan)
    assert relative_gap(first._replace(dual=1.0, gap=0.5), first.primal) == 0.5
    assert relative_gap(first._replace(dual=2.0, gap=1e-6), first.primal) == pytest.approx(0.5)  # at least 1e-6 P(0)
    nothing = Record(0, 0, 0, 0.0, 0.0, 0.0, np.nan)
    assert relative_gap(nothing, 0.0) == 0


def test_unknown_columns_are_named():
    with pytest.raises(ValueError, match="no column 'gaps'"):
        Trace().column("gaps")
