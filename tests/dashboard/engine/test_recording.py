"""Recorded answers are those of the engine, with their questions."""

from json import loads
from typing import get_args, get_type_hints

import pytest
from conforming import faults, sent

from cdlab.dashboard.engine import Choices, predict, schema
from cdlab.dashboard.engine.recording import main


@pytest.mark.full  # whole races of the opening state and of a story
def test_recorded_answers_conform(tmp_path):
    main([str(tmp_path)])
    recordings = loads((tmp_path / "recordings.json").read_text(encoding="utf-8"))
    value = get_type_hints(schema.Answer)["value"]
    kinds = {recording["question"]["kind"] for recording in recordings}
    assert kinds == {"catalog", "predict", "race", "explain", "advise", "facts"}
    for recording in recordings:
        assert recording["answers"][-1]["done"]
        assert [fault for answer in recording["answers"] for fault in faults(answer["value"], value)] == []
    assert loads((tmp_path / "predict.json").read_text(encoding="utf-8")) == sent(predict(Choices()))
    assert type(None) in get_args(value)
