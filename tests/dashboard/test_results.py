import json

import numpy as np
import pytest

from cdlab.dashboard.choices import Choices
from cdlab.dashboard.first_picture import STORED, first_picture, run
from cdlab.dashboard.results import Result


def test_the_first_picture_is_a_race_of_the_default_choices_with_prediction_and_outcome():
    result = first_picture()
    assert result.choices.to_query() == {}
    assert [lane.side for lane in result.lanes] == ["dual", "dual", "primal"]
    assert all(lane.guarantee is not None and lane.status for lane in result.lanes)
    assert "predict" in result.sentence()
    assert "Measured" in result.sentence()
    assert STORED.stat().st_size < 50_000


def test_the_first_picture_is_what_a_run_gives_today():
    stored, fresh = first_picture(), run()
    assert stored.prediction.ratio == pytest.approx(fresh.prediction.ratio)
    for old, new in zip(stored.lanes, fresh.lanes, strict=True):
        assert (old.label, old.seed, old.status) == (new.label, new.seed, new.status)
        assert old.trace.meta["data"] == new.trace.meta["data"]
        for column in ("iteration", "passes", "primal", "dual"):
            np.testing.assert_allclose(old.trace.column(column), new.trace.column(column), rtol=1e-9)
        np.testing.assert_allclose(old.guarantee.values, new.guarantee.values, rtol=1e-9)


def test_a_result_survives_json():
    result = first_picture()
    again = Result.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert again.sentence() == result.sentence()


def test_a_result_whose_choices_do_not_exist_any_more_is_refused():
    content = json.loads(STORED.read_text())
    content["choices"] = {"loss": "forgotten"}
    with pytest.raises(ValueError, match="loss=forgotten"):
        Result.from_json(json.dumps(content))


def test_two_visitors_do_not_share_the_first_picture():
    assert first_picture() is not first_picture()
    assert isinstance(first_picture().choices, Choices)
