"""Questions of pages: a newer one cancels the older, stop ends a race, errors are sentences."""

import asyncio

from small_choices import small

from cdlab.dashboard.engine import Visitor, answer
from cdlab.dashboard.engine.schema import Question
from cdlab.dashboard.engine.uploads import read_upload

LONG = small(n=400, d=60, density=1.0, passes=100_000, tol=0.0).values()


async def answers(question, visitor):
    return [each async for each in answer(question, visitor)]


def ask(question, visitor=None):
    return asyncio.run(answers(question, visitor or Visitor()))


def test_race_is_a_stream_that_ends_with_its_outcome():
    found = ask(Question(7, "race", small().values(), draws=2))
    assert [each.done for each in found] == [False] * (len(found) - 1) + [True]
    assert found[-1].value.outcome.results
    assert {each.number for each in found} == {7}
    assert {each.value.digest for each in found} == {small().digest}


def test_race_of_one_draw_is_the_first_of_several_with_its_last_snapshot():
    (draft, *_), (first, *_) = (
        ask(Question(1, "race", small(seeds=2).values(), draws=draws))[-1].value.runs for draws in (1, 2)
    )
    assert (draft.passes, draft.gap, draft.updates) == (first.passes, first.gap, first.updates)
    assert draft.snapshots == first.snapshots[-1:]


def test_newer_race_cancels_the_older():
    async def both():
        visitor = Visitor()
        older = asyncio.ensure_future(answers(Question(1, "race", LONG), visitor))
        await asyncio.sleep(0.3)
        newer = await answers(Question(2, "race", small().values()), visitor)
        return await asyncio.wait_for(older, 10), newer

    older, newer = asyncio.run(both())
    assert not any(each.done for each in older)
    assert newer[-1].done


def test_stop_ends_the_race_with_what_it_has():
    async def stopped():
        visitor = Visitor()
        race = asyncio.ensure_future(answers(Question(1, "race", LONG), visitor))
        await asyncio.sleep(0.5)
        await answers(Question(2, "stop"), visitor)
        return await asyncio.wait_for(race, 10)

    last = asyncio.run(stopped())[-1]
    assert last.done
    assert last.value.words == "Stopped."


def test_long_race_of_one_page_keeps_no_other_waiting():
    async def both():
        long = asyncio.ensure_future(answers(Question(1, "race", LONG), one := Visitor()))
        await asyncio.sleep(0.2)
        short = await asyncio.wait_for(answers(Question(1, "race", small().values()), Visitor()), 20)
        assert not long.done()
        await answers(Question(2, "stop"), one)
        await long
        return short

    assert asyncio.run(both())[-1].value.outcome is not None


def test_errors_are_sentences_for_the_reader():
    for question in (
        Question(1, "predict", {"nothing": 1}),
        Question(1, "race", {"methods": ["foo"]}),
        Question(1, "facts", small().values(), drawer="foo"),
    ):
        (found,) = ask(question)
        assert found.done
        assert found.error.endswith(".")
        assert found.value is None


def test_race_that_was_run_is_not_run_again_to_explain_it(monkeypatch):
    async def explained():
        visitor = Visitor()
        await answers(Question(1, "race", small().values(), draws=2), visitor)
        monkeypatch.setattr("cdlab.dashboard.engine.explaining.run_race", None)
        return await answers(Question(2, "explain", small().values()), visitor)

    assert asyncio.run(explained())[0].value.why.sentence


def test_file_is_seen_by_its_visitor_alone():
    file = read_upload("mine.csv", b"a,b,label\n1,2,1\n2,1,0\n3,1,1\n0,2,0\n")
    choices = small(data="upload", upload=file.key).values()
    (mine,) = ask(Question(1, "predict", choices), Visitor(file=file))
    (other,) = ask(Question(1, "predict", choices))
    assert mine.value.matrix.rows == 4
    assert other.value.matrix is None
    assert "choose the file" in other.value.refusals[0].why
