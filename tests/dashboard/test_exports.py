"""Races as files, and back."""

import io
import json
from contextlib import suppress

import loops
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdlab.dashboard.races.exports import from_session, to_csv, to_session
from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.growing import Growing
from cdlab.dashboard.races.results import Result
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.runs import Kept
from cdlab.dashboard.races.state import State
from cdlab.dashboard.races.storing import from_plain, to_plain


@pytest.fixture(scope="module")
def raced() -> Result:
    state = State()
    state.choices.param.update(n=60, d=20, density=0.3, passes=20, seeds=2, methods=["sdca", "rcd", "sgd"])

    async def once():
        await Runner(state).start()

    loops.run(once())
    return state.result


def session(race: Result) -> dict:
    return json.loads(to_session([Kept(3, "mine", race, pinned=True)], {"n": "60"}))


# ---------------------------------------------------------------- tables
def test_a_table_has_every_record_of_every_seed(raced):
    table = pd.read_csv(io.StringIO(to_csv([Kept(1, "mine", raced), Kept(2, "the example", first_picture())])))
    assert set(table["run"]) == {"mine", "the example"}
    mine = table[table["run"] == "mine"]
    assert len(mine) == sum(len(trace.records) for trace in raced.traces)
    for lane in raced.lanes:
        part = mine[(mine["label"] == lane.label) & (mine["seed"] == lane.seed)]
        for column in ("passes", "primal", "dual", "gap", "relative_gap"):
            np.testing.assert_array_equal(part[column], lane.trace.column(column))
        assert set(part["status"]) == {lane.status}
        assert set(part["data_hash"]) == {lane.trace.meta["data"]}


@pytest.mark.full
def test_a_table_of_a_hundred_thousand_records_has_them_all(raced):
    lane = first_picture().lanes[0]
    last = lane.trace.records[-1]
    records = [last._replace(iteration=k, passes=float(k)) for k in range(1000, 101_000)]
    lane.trace = Growing(lane.trace.records + records, lane.trace.meta)
    race = Result(raced.choices, [lane], raced.prediction)
    assert to_csv([Kept(1, "long", race)]).count("\n") == len(lane.trace.records) + 1


def test_nothing_run_yet_is_an_empty_table():
    assert to_csv([]) == ""


# ---------------------------------------------------------------- sessions
def test_a_session_restores_races_and_choices_exactly(raced):
    (kept,), choices = from_session(json.dumps(session(raced)))
    assert (kept.name, kept.pinned, kept.muted) == ("mine", True, False)
    assert choices == {"n": "60"}
    race = kept.race
    assert race.choices.to_query() == raced.choices.to_query()
    assert race.sentence() == raced.sentence()
    for old, new in zip(raced.lanes, race.lanes, strict=True):
        assert (old.label, old.side, old.seed, old.note, old.status) == (
            new.label,
            new.side,
            new.seed,
            new.note,
            new.status,
        )
        assert old.trace.meta == new.trace.meta
        for column in (*old.trace.names, "relative_gap"):
            np.testing.assert_array_equal(old.trace.column(column), new.trace.column(column))
        assert (old.guarantee is None) == (new.guarantee is None)
        if old.guarantee is not None:
            np.testing.assert_array_equal(old.guarantee.values, new.guarantee.values)


def test_a_session_says_what_it_takes_to_repeat_it(raced):
    content = session(raced)
    assert set(content["versions"]) == {"cdlab", "numpy", "python"}
    assert all(len(lane["meta"]["data"]) == 16 for lane in content["races"][0]["lanes"])


def test_a_race_that_was_running_is_one_that_was_stopped(raced):
    content = session(raced)
    content["races"][0]["lanes"][0]["status"] = ""
    content["races"][0]["lanes"][1] |= {"status": "", "columns": {"gap": []}, "meta": {}}
    (kept,), _ = from_session(json.dumps(content))
    assert [lane.status for lane in kept.race.lanes[:2]] == ["stopped", "stopped"]
    assert not kept.race.running


def test_infinite_values_survive(raced):
    content = to_plain(raced)
    content["lanes"][0]["columns"]["gap"][-1] = "inf"
    assert np.isinf(from_plain(content).lanes[0].trace.column("gap")[-1])


def test_data_that_are_not_here_do_not_keep_a_race_from_being_looked_at(raced):
    content = session(raced)
    content["races"][0]["choices"]["data"] = "somewhere_else"
    (kept,), _ = from_session(json.dumps(content))
    assert kept.race.choices.data == "somewhere_else"


DAMAGES = {
    "not JSON": (lambda c: "{", "This is not a session file: it is not JSON"),
    "a list": (lambda c: "[1]", "This is not a session file: save one"),
    "another JSON file": (lambda c: '{"cells": []}', "This is not a session file: save one"),
    "nested too deep": (lambda c: "[" * 100_000, "not JSON, or it is damaged"),
    "another version": (lambda c: c | {"version": 2}, "another version of cdlab"),
    "no races": (lambda c: {k: v for k, v in c.items() if k != "races"}, "damaged: it has no races"),
    "too many races": (lambda c: c | {"races": c["races"] * 31}, "31 races, and a page keeps at most 30"),
    "races of another kind": (lambda c: c | {"races": [1]}, "damaged: one of its races is none"),
}
PLACES = {
    "an unknown choice": (("choices", "loss"), "forgotten", "loss=forgotten"),
    "no name": (("lanes", 0, "label"), None, "a run has two names"),
    "a side": (("lanes", 0, "side"), '"><script>', "primal or dual"),
    "a status": (("lanes", 0, "status"), "<b>won</b>", "status .* is unknown"),
    "a method": (("lanes", 0, "meta", "method"), "magic", "method 'magic' is unknown"),
    "words for numbers": (("lanes", 0, "columns", "gap", 1), "small", "the column gap of a run holds something else"),
    "time going back": (("lanes", 0, "columns", "passes", 1), 1e9, "the passes of a run fall"),
    "a short column": (("lanes", 0, "columns", "gap"), [1.0], "not equally long"),
    "a start at infinity": (("lanes", 0, "columns", "primal", 0), "inf", "first value of a run is not a number"),
    "a bound on something": (("bounds", "rcd, importance", "bounded"), "luck", "a bound is on 'luck'"),
    "a prediction": (("prediction", "ratio"), -1, "the prediction is not a positive number"),
    "no lanes": (("lanes",), [], "one of its races has no runs"),
    "lanes of another kind": (("lanes",), 7, "wrong kind"),
    "meta of another kind": (("lanes", 0, "meta"), [], "wrong kind"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_file_is_refused_in_one_sentence(raced, damage):
    change, sentence = DAMAGES[damage]
    changed = change(session(raced))
    with pytest.raises(ValueError, match=sentence) as refusal:
        from_session(changed if isinstance(changed, str) else json.dumps(changed))
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize("place", PLACES)
def test_a_damaged_race_is_refused_with_what_is_wrong(raced, place):
    path, value, sentence = PLACES[place]
    content = session(raced)
    inner = content["races"][0]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(ValueError, match=f"This session file is damaged: .*{sentence}"):
        from_session(json.dumps(content))


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_the_file_it_is_read_or_refused(raced, data):
    """A change at a random place never ends in anything but a sentence."""
    content = session(raced)
    inner = content
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(inner[key], dict | list) and inner[key] and data.draw(st.integers(0, 4)):
            inner = inner[key]
            continue
        inner[key] = data.draw(scalars)
        break
    kept = []
    with suppress(ValueError):
        kept, _ = from_session(json.dumps(content))
    for each in kept:  # and what is read can be shown
        assert isinstance(each.race.sentence(), str)
        to_csv([each])
