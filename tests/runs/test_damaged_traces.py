"""Traces on the disk, damaged in ways that a lenient reader would not notice."""

import json

import numpy as np
import pytest
from cases import each_of

from cdlab.runs.trace import Record, Trace, merge_traces, relative_gap


def written(tmp_path, change):
    path = tmp_path / "trace.json"
    Trace([Record(k, k, k, 1.0, 0.0, 1.0, np.nan) for k in range(3)], {"label": "x"}).save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


def test_unchanged_it_is_read(tmp_path):
    assert len(Trace.load(written(tmp_path, lambda content: None)).records) == 3


@each_of(
    "change",
    [
        lambda content: content["columns"]["gap"].pop(),
        lambda content: content["columns"]["gap"].append(1.0),
        lambda content: content["columns"].pop("gap"),
        lambda content: content["columns"].update(more=[1, 2, 3]),
        lambda content: content.pop("meta"),
        lambda content: content["columns"]["gap"].__setitem__(0, "much"),
    ],
    ids=["a value less", "a value more", "no gap", "an unknown column", "no meta", "no number"],
)
def test_damaged_it_is_refused(change, tmp_path):
    with pytest.raises(ValueError, match="is not a trace saved by cdlab"):
        Trace.load(written(tmp_path, change))


def test_what_is_infinite_is_written_as_json_knows_it(tmp_path):
    path = tmp_path / "trace.json"
    Trace([Record(0, 0.0, 0.0, np.inf, -np.inf, np.inf, np.nan)], {"label": "x"}).save(path)
    assert json.loads(path.read_text())["columns"]["dual"] == ["-inf"]
    with pytest.raises(ValueError, match="JSON"):
        Trace([], {"label": np.nan}).save(path)


def test_several_traces_in_one_frame():
    a = Trace([Record(0, 0.0, 0.0, 1.0, 0.0, 1.0, np.nan)], {"label": "a", "method": "m", "sampling": "s", "seed": 3})
    b = Trace([Record(0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.5)] * 2, {"label": "b"})
    frame = merge_traces([a, b])
    assert list(frame)[:4] == ["label", "method", "sampling", "seed"]
    assert frame["label"].tolist() == ["a", "b", "b"]
    assert frame["seed"].tolist()[0] == 3
    assert frame["test_error"].isna().tolist() == [True, False, False]
    assert list(frame.index) == [0, 1, 2]


@each_of("bad", [np.inf, -np.inf, np.nan])
@each_of("field", ["primal", "dual", "gap", "at zero"])
def test_one_number_that_is_not_finite_certifies_nothing(field, bad):
    record = Record(1, 1.0, 1.0, 1.0, 0.75, 0.25, np.nan)
    assert relative_gap(record, 2.0) == 0.2  # 0.25 over 2 - 0.75
    if field == "at zero":
        assert relative_gap(record, bad) == np.inf
    else:
        assert relative_gap(record._replace(**{field: bad}), 2.0) == np.inf
