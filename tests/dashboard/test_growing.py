import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdlab.dashboard.races.growing import Growing
from cdlab.runs.trace import Record, Trace

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def record(k: int, gap: float = 0.5) -> Record:
    return Record(10 * k, float(k), 0.1 * k, 1.0 + gap, 1.0, gap, float("nan"))


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=8))
def test_columns_are_those_of_a_trace_read_anew(steps):
    records = [record(0)]
    growing = Growing(records)
    for added, again in steps:
        records.extend(record(len(records) + k, 0.5 / (k + 1)) for k in range(added))
        if again:  # a run certifies its last record
            records[-1] = record(len(records) - 1, 0.01)
        for name in ("iteration", "gap", "relative_gap"):
            np.testing.assert_array_equal(growing.column(name), Trace(records).column(name))


def test_an_empty_trace_has_empty_columns():
    assert Growing().column("gap").size == Growing().column("relative_gap").size == 0
    assert Growing().now().records == []


def test_a_look_is_consistent_whatever_is_measured_meanwhile():
    records = [record(k) for k in range(5)]
    growing = Growing(records)
    growing.column("gap")
    still = growing.now()
    last = records.pop()  # a run certifies its last record
    assert growing.now().column("gap").size == 4
    records += [last._replace(gap=0.1), record(5)]
    assert [still.column(name).size for name in ("passes", "gap", "relative_gap")] == [5, 5, 5]
    for name in ("passes", "gap", "relative_gap"):
        np.testing.assert_array_equal(growing.now().column(name), Trace(records).column(name))


def test_a_hundred_thousand_records_are_read_once(monkeypatch):
    records = [record(k) for k in range(100_000)]
    growing = Growing(records)
    growing.column("relative_gap")
    read = []
    column = Trace.column

    def counted(self, name):
        read.append(len(self.records))
        return column(self, name)

    monkeypatch.setattr(Trace, "column", counted)
    records.append(record(100_000))
    assert growing.now().column("relative_gap").size == 100_001
    assert max(read) <= 3


def test_the_best_gap_of_a_run_that_goes_on_is_that_of_all_its_records():
    records = [Record(k, float(k), 0.0, p, d, max(0.0, p - d), math.nan) for k, (p, d) in
               enumerate([(1.0, -2.0), (0.5, 0.25), (0.75, 0.0), (0.4, 0.3)])]  # fmt: skip
    shared = records[:2]
    growing = Growing(shared, {"D0": 0.0})
    growing.column("best_gap")
    shared.extend(records[2:])
    for name in ("best_gap", "relative_best_gap"):
        np.testing.assert_array_equal(growing.column(name), Trace(records, {"D0": 0.0}).column(name))
