"""Advice that can be run, and the tables behind the drawers."""

import pytest
from small_choices import small

from cdlab.dashboard.engine import advise, catalog, facts, predict
from cdlab.dashboard.engine.racing import run_race
from cdlab.faceoffs import faceoff


def test_advised_entry_joins_the_race():
    choices = small(methods=["rcd", "sdca"])
    advice = advise(choices)
    assert advice.low < advice.passes < advice.high
    after = choices.but(**advice.entry)
    assert after.methods[:2] == choices.methods
    labels = [result.label for result in run_race(after, 1).outcome.results]
    assert len(labels) == 3
    again = advise(after)
    assert again.entry is None or again.entry["methods"][-1] not in after.methods


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_bound_is_told_only_of_the_advised_method_itself(loss):
    choices = small(loss=loss, methods=["agd"])
    advice = advise(choices)
    (theorem,) = predict(choices.but(methods=advice.entry["methods"][1:])).theorems
    assert ("its bound is" in advice.words) == (theorem.value is not None)


def test_face_off_drawer_has_the_numbers_of_the_face_off():
    choices = small()
    face = faceoff(choices.problem())
    sums, work = facts("Face-off", choices).tables
    assert {row[0]: row[1] for row in sums["rows"]}["C_P"] == pytest.approx(face.C_P)
    rows = {row[0]: row[1:4] for row in work["rows"]}
    assert rows["dual, uniform"] == pytest.approx([face.uniform.K_D, face.uniform.W_D, face.uniform.T_D])


def test_rows_of_all_tables_have_a_cell_for_each_heading():
    for drawer in catalog().drawers:
        for table in facts(drawer, small()).tables:
            assert table["rows"]
            assert {len(row) for row in table["rows"]} == {len(table["head"])}
