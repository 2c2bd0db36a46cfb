"""Chooser and Advanced drawer together ask for every choice."""

import json

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.chooser.content import SHOWN
from cdlab.dashboard.drawers.advanced_tab import ADVANCED
from cdlab.dashboard.parts.form import Form


def test_no_choice_is_lost():
    form = Form(Choices(), ADVANCED)
    asked = {field["name"] for section in json.loads(form.layout) for field in section["fields"]}
    assert asked | set(SHOWN) | {"upload"} == set(Choices().values())


def test_what_the_kind_of_data_does_not_have_is_hidden():
    hidden = json.loads(Form(Choices(data="arrow"), ADVANCED).content)["hidden"]
    assert {"density", "skew", "condition"} <= set(hidden)
    assert not {"n", "corner", "scale"} & set(hidden)
