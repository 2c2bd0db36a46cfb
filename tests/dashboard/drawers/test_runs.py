"""The drawer Runs: its table, its curves, and races as files that other pages take up."""

import asyncio
import csv
import io
import json
import re

import numpy as np
import pytest
from small_choices import small

from cdlab.dashboard.drawers.part import Subject
from cdlab.dashboard.drawers.runs import Runs, frame_of
from cdlab.dashboard.drawers.session_files import from_session, is_session, to_csv, to_session
from cdlab.dashboard.engine import schema
from cdlab.dashboard.engine.answering import answer
from cdlab.dashboard.engine.problems import prepared
from cdlab.dashboard.engine.racing import run_race
from cdlab.dashboard.engine.uploads import read_upload
from cdlab.dashboard.session import PageSession

pytestmark = pytest.mark.usefixtures("without_loop")


@pytest.fixture(scope="module")
def first():
    return run_race(small())


@pytest.fixture(scope="module")
def second():
    return run_race(small(n=50, methods=["sdca"], seeds=1))


@pytest.fixture
def session(first, second):
    first.name = second.name = ""
    return PageSession(choices=second.choices, races=[first, second], drawer="Runs")


def asked(session):
    return Subject(session.choices, tuple(session.races))


def test_the_table_has_the_passes_of_the_outcome(first, second):
    frame = frame_of([first, second])
    results = [*first.outcome.results, *second.outcome.results]
    assert frame["passes"].tolist() == [each.reached for each in results]
    assert frame["most"].tolist() == [each.high for each in results]
    assert frame["last gap"].tolist() == [each.last_gap for each in results]
    assert frame["race"].tolist() == ["race 1", "race 1", "race 2"]
    assert set(frame["status"]) == {"tolerance reached"}


def test_a_run_that_did_not_arrive_has_no_passes():
    frame = frame_of([run_race(small(passes=1))])
    assert frame["passes"].isna().all()
    assert set(frame["status"]) == {"pass limit"}


def test_the_latest_race_is_drawn_and_the_ticks_of_others_stay(session, first, second):
    runs = Runs(session)
    assert runs.selection.value == [2]
    runs.table.selection = [0, 2]
    third = run_race(small(n=40, seeds=1))
    session.races = [*session.races, third]
    assert runs.selection.value == [0, 2, 3, 4]
    assert runs.table.selection == [0, 2, 3, 4]


def test_races_that_are_not_drawn_can_be_forgotten(session, second):
    runs = Runs(session)
    runs._forget(None)
    assert session.races == [second]
    assert runs.table.value["entry"].tolist() == ["sdca"]


def test_a_name_stands_in_the_table_the_picture_and_the_file(session, first):
    runs = Runs(session)
    runs._rename(type("Edit", (), {"row": 0, "value": "  mine \n own "})())
    assert runs.table.value["race"].tolist() == ["mine own", "mine own", "race 2"]
    picture, _ = runs.draw(asked(session), "passes", "best_gap", False, [0, 2])
    assert [curve.label for curve in picture.Curve] == ["mine own: rcd", "race 2: sdca"]
    assert "mine own" in to_csv(session.races)


@pytest.mark.parametrize("x", ["passes", "seconds", "iteration", "examples"])
@pytest.mark.parametrize("y", ["gap", "best_gap", "primal", "dual"])
def test_a_single_run_is_drawn_as_it_was_measured(second, x, y):
    session = PageSession(choices=second.choices, races=[second], drawer="Runs")
    picture, words = Runs(session).draw(asked(session), x, y, False, [0])
    (curve,) = picture.Curve
    (run,) = second.runs
    assert set(curve.dimension_values(0)) <= set(run.trace.column(x))
    if y == "gap":
        assert curve.dimension_values(1)[-1] == pytest.approx(run.trace.column("relative_gap")[-1])
    assert words.endswith("</p>")


def test_bounds_are_drawn_above_the_medians(session):
    picture, words = Runs(session).draw(asked(session), "passes", "best_gap", True, [0, 1])
    assert "theory promises" in words
    for curve, bound in zip(picture.Curve, picture.Bound, strict=True):
        passes, gap = curve.dimension_values(0), curve.dimension_values(1)
        assert (np.interp(passes, bound.dimension_values(0), bound.dimension_values(1)) >= gap * (1 - 1e-9)).all()


def test_a_test_error_that_nobody_measured_is_a_sentence(session):
    with pytest.raises(ValueError, match="these data have no test part"):
        Runs(session).draw(asked(session), "passes", "test", False, [0])


# ---------------------------------------------------------------- files
def test_the_csv_has_every_record(first, second):
    rows = list(csv.DictReader(io.StringIO(to_csv([first, second]))))
    assert len(rows) == sum(len(run.records) for race in (first, second) for run in race.runs)
    last = [row for row in rows if row["race"] == "race 2"][-1]
    run = second.runs[0]
    assert float(last["relative_best_gap"]) == run.gaps[-1]
    assert float(last["relative_gap"]) == run.trace.column("relative_gap")[-1]
    assert last["data_hash"] == second.about.problem.digest
    assert (last["seed"], last["status"]) == ("0", "tolerance reached")
    assert to_csv([]) == ""


def test_a_session_is_taken_up_with_all_its_numbers(first, second):
    second.name = "mine"
    races, choices = from_session(to_session([first, second], first.choices))
    assert choices.values() == first.choices.values()
    assert [race.name for race in races] == ["", "mine"]
    for race, before in zip(races, (first, second), strict=True):
        assert _numbers(race) == _numbers(before)
        for run, other in zip(race.runs, before.runs, strict=True):
            assert np.array_equal(run.trace.records, other.trace.records, equal_nan=True)


def _numbers(race):
    return [(each.label, each.reached, each.low, each.high, each.last_gap) for each in race.outcome.results]


def test_a_session_on_data_of_a_file_asks_for_that_file():
    rows = "\n".join(f"{k % 7},{k % 3},{(-1) ** k}" for k in range(20))
    file = read_upload("mine.csv", f"a,b,label\n{rows}\n".encode())
    choices = small(data="upload", upload=file.key, methods=["sdca"], seeds=1)
    choices.file = file
    text = to_session([run_race(choices)], choices)
    races, _ = from_session(text, file)
    assert races[0].about is prepared(choices)
    with pytest.raises(ValueError, match=r"mine\.csv .* open in another page"):
        from_session(text)


def _edited(text, edit):
    content = json.loads(text)
    edit(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda content: content.update(file="trace"), "not a session file"),
        (lambda content: content.update(version=1), "another version of cdlab"),
        (lambda content: content.pop("races"), "it has no races"),
        (lambda content: content.update(races=[3]), "of the wrong kind"),
        (lambda content: content.update(races=content["races"] * 40), "it has 40 races"),
        (lambda content: content["races"][0]["choices"].update(loss="cubic"), "cannot be taken up"),
        (lambda content: content["races"][0]["choices"].update(data_seed=1), "on other data"),
        (lambda content: content["races"][0].update(runs=[]), "has no runs"),
        (lambda content: content["races"][0]["runs"][0].update(entry="rcd"), "of no entry of its race"),
        (lambda content: content["races"][0]["runs"][0]["trace"].update(columns={"passes": [1]}), "cannot be taken up"),
    ],
)
def test_a_damaged_session_is_refused_in_a_sentence(second, edit, words):
    with pytest.raises(ValueError, match=words) as refused:
        from_session(_edited(to_session([second], second.choices), edit))
    assert re.fullmatch(r"[A-Z].*\.", str(refused.value), re.DOTALL)


def test_what_is_no_json_is_no_session():
    with pytest.raises(ValueError, match="it is not JSON"):
        from_session(b"\xff{")


async def answers_to(question, visitor):
    return [each async for each in answer(question, visitor)]


def test_a_session_file_joins_the_races_of_the_page_and_sets_its_choices(first, second):
    told = []
    session = PageSession(choices=small(), races=[first], drawer="Runs")
    session.send = told.append
    runs = Runs(session)
    runs.file.value = to_session([second], second.choices).encode()
    asyncio.run(runs.take_up())
    assert len(session.races) == 2
    assert is_session(runs.file.value)
    asked = schema.Question(1, "race", second.choices.values(), second.choices.seeds)
    (once,) = asyncio.run(answers_to(asked, session.visitor))  # no stream: it is not raced again
    assert once.done
    assert once.value.outcome == session.races[-1].outcome
    assert all(run.updates for run in once.value.runs if run.draw == second.choices.seed)
    assert told == [{"kind": "choices", "value": second.choices.values()}]
    assert "1 race and the choices have been taken up" in runs.words.object
    runs.file.value = b"nothing"
    asyncio.run(runs.take_up())
    assert "it is not JSON" in runs.words.object
    assert len(session.races) == 2
