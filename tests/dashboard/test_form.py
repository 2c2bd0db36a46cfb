import asyncio
import json

import loops
import param
import pytest
from cases import each_of

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.parts.form import Field, Form
from cdlab.dashboard.words import sentence
from cdlab.methods import METHODS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def form(choices: Choices, fields=("n", "l2", "loss", "l2_over_n", "methods"), **options) -> Form:
    made = Form(choices, {"": fields}, **options)
    made.told = []
    made._send_msg = made.told.append
    return made


def fields(made: Form) -> dict[str, dict]:
    return {field["name"]: field for section in json.loads(made.layout) for field in section["fields"]}


def content(made: Form) -> dict:
    return json.loads(made.content)


def test_an_input_suits_its_parameter():
    asked = fields(form(Choices()))
    assert {name: field["kind"] for name, field in asked.items()} == {
        "n": "number",
        "l2": "number",
        "loss": "select",
        "l2_over_n": "check",
        "methods": "several",
    }
    assert (asked["n"]["low"], asked["n"]["whole"], asked["l2"]["whole"]) == (2, True, False)
    assert [value for _, value, *_ in asked["methods"]["options"]] == list(METHODS)


def test_a_parameter_without_an_input_is_refused():
    class Odd(param.Parameterized):
        what = param.String()

    with pytest.raises(TypeError, match="no input for what, a String"):
        Form(Odd(), {"": ["what"]})


@each_of(
    "name, sent, held",
    [("n", 50, 50), ("n", 50.0, 50), ("l2", 2, 2.0), ("loss", "hinge", "hinge"), ("l2_over_n", False, False)],
)
def test_what_the_person_sets_reaches_the_parameter(name, sent, held):
    choices = Choices()
    made = form(choices)
    made._handle_msg({"name": name, "value": sent})
    value = getattr(choices, name)
    assert value == held
    assert type(value) is type(held)
    assert content(made)["values"][name] == held
    assert made.told == []


@each_of(
    "name, value, why",
    [
        ("n", 1, "Examples n: it must be at least 2"),
        ("n", 2.5, "Examples n: it must be a whole number"),
        ("n", None, "Examples n: it must be a number"),
        ("l2", 1e13, "L2 weight: it must be at most 10¹², not 10¹³."),
        ("loss", "squarish", "Loss: "),
    ],
)
def test_what_the_parameter_refuses_is_put_back_with_the_reason(name, value, why):
    choices = Choices()
    made = form(choices)
    made._handle_msg({"name": name, "value": value})
    (told,) = made.told
    assert told["refused"] == name
    assert told["why"].startswith(why)
    assert choices.to_query() == {}


def test_nothing_but_the_fields_can_be_set():
    choices = Choices()
    with pytest.raises(ValueError, match="no field 'tol'"):
        form(choices)._handle_msg({"name": "tol", "value": 1})
    assert choices.to_query() == {}


def test_a_change_from_elsewhere_is_shown():
    choices = Choices()
    made = form(choices)
    choices.param.update(n=77, methods=["rcd"])
    assert content(made)["values"]["n"] == 77
    assert content(made)["values"]["methods"] == ["rcd"]


def test_fields_that_do_not_apply_are_hidden():
    choices = Choices()
    made = form(choices, ["loss", Field("gamma", needed=lambda choices: choices.loss == "huber")])
    assert content(made)["hidden"] == ["gamma"]
    choices.loss = "huber"
    assert content(made)["hidden"] == []


def test_ticks_that_cannot_be_used_have_a_reason():
    choices = Choices()
    made = form(choices, reasons=lambda: {"methods": choices.refusals()})
    choices.loss = "hinge"
    assert content(made)["reasons"]["methods"] == {name: sentence(why) for name, why in choices.refusals().items()}
    assert "rcd" in content(made)["reasons"]["methods"]


# ---------------------------------------------------------------- titles, notes, files
def test_entries_of_a_list_stand_under_titles():
    made = form(Choices(), [Field("loss", groups=lambda name: "Smooth" if "smooth" in name else "")])
    titles = {value: title for _, value, title, _ in fields(made)["loss"]["options"]}
    assert titles["smooth_hinge"] == "Smooth"
    assert titles["hinge"] == ""


def test_notes_stand_beneath_fields_and_follow_the_choices():
    choices = Choices()
    made = form(choices, notes=lambda: {"n": f"{choices.n} rows"})
    choices.n = 7
    assert content(made)["notes"] == {"n": "7 rows"}


def sent_file(take, **data) -> list[dict]:
    """What the form answers to a file."""
    made = form(Choices(), [Field("upload", most=lambda: 10.0)], take=take)
    assert fields(made)["upload"] == {
        "name": "upload", "label": "File", "doc": Choices.param.upload.doc, "kind": "file", "most": 10.0
    }  # fmt: skip

    async def send() -> None:
        made._handle_msg({"name": "upload"} | data)
        for _ in range(20):
            await asyncio.sleep(0.001)

    loops.run(send())
    return made.told


def test_a_file_is_handed_on():
    taken = []

    async def take(*file) -> None:
        taken.append(file)

    assert sent_file(take, file="a.txt", size=3, content=b"abc") == []
    assert taken == [("a.txt", 3, b"abc")]


def test_what_is_wrong_with_a_file_is_told_at_its_field():
    async def take(*_) -> None:
        raise ValueError("a.txt, line 2: no")

    (told,) = sent_file(take, file="a.txt", size=3, content=b"abc")
    assert told == {"refused": "upload", "why": "File: a.txt, line 2: no."}
