"""The labels of the figure in every step of every story: what a push checks of one race, of all."""

import json
import subprocess
from pathlib import Path

import pytest
from nodejs import node

from cdlab.dashboard.engine import Choices, predict
from cdlab.dashboard.engine.answering import to_json
from cdlab.dashboard.engine.racing import stream
from cdlab.dashboard.engine.stories import STORIES

pytestmark = pytest.mark.full


@pytest.mark.parametrize("name", STORIES)
def test_labels_of_a_story(name, tmp_path):
    story, asked, races = STORIES[name], {}, []
    for step in story.steps:
        asked |= step.choices
        choices = Choices(**asked)
        events = json.loads(to_json(list(stream(choices))))
        runs = {(run["label"], run["draw"]): run for event in events for run in event["runs"]}
        race = {"runs": list(runs.values()), "outcome": events[-1]["outcome"]}
        before = races[-1]["race"] if races else None
        prediction = json.loads(to_json(predict(choices)))
        races.append(
            {"prediction": prediction, "race": race, "before": before, "target": choices.tol, "axis": story.axis}
        )
    file = tmp_path / "races.json"
    file.write_text(json.dumps(races))
    done = subprocess.run(
        [node(), Path(__file__).with_name("labels.mjs"), file], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [[]] * len(races)
