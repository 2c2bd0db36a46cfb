"""Every answer is what the schema says."""

from conforming import faults, sent
from small_choices import small

from cdlab.dashboard.engine import advise, catalog, explain, facts, predict, race, schema
from cdlab.dashboard.engine.racing import run_race


def test_answers_are_what_the_schema_says():
    choices = small()
    answers = [catalog(), predict(choices), *race(choices), explain(run_race(choices, 1)), advise(choices)]
    answers += [facts(drawer, choices) for drawer in catalog().drawers]
    answers += [predict(small(loss="hinge")), predict(small(l2=0.0)), predict(small(n=100_000, d=100_000))]
    assert [fault for answer in answers for fault in faults(sent(answer), type(answer))] == []


def test_checker_finds_faults():
    answer = sent(predict(small()))
    assert faults(answer | {"digest": 3}, schema.Prediction)
    assert faults({name: answer[name] for name in answer if name != "ratio"}, schema.Prediction)
