"""`answer`: the six questions of a page and its file, taken in threads and in turn with those of other pages.

A newer question of a kind cancels the older one of the same visitor: a stream ends at its next event, and what waits
for a thread is never begun.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ...problems.labels import are_words
from ..visitor_limits import limits
from ..words import sentence
from .advising import advise
from .catalog import catalog
from .choices import Choices, read
from .data_sources import FAMILIES, UPLOAD
from .explaining import explain
from .facts import facts
from .predicting import data_refusal, predict
from .problems import prepared
from .racing import Race, stream
from .rates import rates
from .schema import Answer, Question
from .thread_pools import DATA_LOADING, QUICK_ANSWERS, SLOW_ANSWERS
from .uploads import Upload, columns_in, read_upload

SLOW = ("explain", "advise", "rates", "facts")
RACES_LIMIT = 12  # A visitor keeps so many races.
log = logging.getLogger(__name__)


@dataclass(eq=False)
class Visitor:
    """A page that asks: its file, its latest question of each kind, and its last races with all draws, by digest.

    Races that a session file has saved answer as they are; reasons need runs that can go on, and are not found in them.
    """

    file: Upload | None = None
    latest: dict[str, int] = field(default_factory=dict)
    races: dict[str, Race] = field(default_factory=dict)
    saved: dict[str, Race] = field(default_factory=dict)

    def keep(self, race: Race) -> None:
        """Keep a race; only what is on other choices stays beside it."""
        self.races = {each.choices.digest: each for each in with_race(self.races.values(), race)}

    def is_latest(self, question: Question) -> bool:
        return self.latest.get(question.kind) == question.number


def with_race(races: Iterable[Race], race: Race) -> list[Race]:
    """Some races with one more, as of `last_races`; it takes the place of one on the same choices."""
    return last_races([*(each for each in races if each.choices.digest != race.choices.digest), race])


def last_races(races: Sequence[Race]) -> list[Race]:
    """The last of some races, oldest first: a dozen, whose data together store no more numbers than one may."""
    last: list[Race] = []
    stored: dict[int, int] = {}
    for race in reversed(races[-RACES_LIMIT:]):
        stored[id(race.about)] = race.about.problem.nnz
        if last and sum(stored.values()) > limits().entries:
            break
        last.insert(0, race)
    return last


async def answer(question: Question, visitor: Visitor) -> AsyncIterator[Answer]:
    """The answers to a question; of a race a stream. None at all where a newer question has cancelled it.

    Parameters
    ----------
    question : Question
        "stop" cancels the race that is running.
    visitor : Visitor
        Who asks.
    """
    if question.kind == "stop":
        visitor.latest.pop("race", None)
        yield Answer(question.number, "stop", done=True)
        return
    visitor.latest[question.kind] = question.number
    try:
        if question.kind == "race":
            async for each in _race(question, visitor):
                yield each
            return
        threads = SLOW_ANSWERS if question.kind in SLOW else QUICK_ANSWERS
        choices = read(question.choices or {}, visitor.file)
        if question.kind == "predict":
            await _load(choices, visitor)
        found = await threads.run(visitor, _work(question, choices, visitor))
        if visitor.is_latest(question):
            yield Answer(question.number, question.kind, done=True, value=found)
    except (ValueError, OSError) as why:  # written for the reader
        yield Answer(question.number, question.kind, done=True, error=sentence(str(why)))
    except Exception as error:
        log.exception("a question failed: %s", question)
        words = f"An error in cdlab ({type(error).__name__}). The server's log has the details."
        yield Answer(question.number, question.kind, done=True, error=words)


async def _load(choices: Choices, visitor: Visitor) -> None:
    """Have data that are read, not made, at hand; why they are not, whoever asks for them says."""
    if choices.data not in FAMILIES and data_refusal(choices) is None:
        with suppress(ValueError, OSError):
            await DATA_LOADING.run(visitor, prepared, choices)


def _work(question: Question, choices: Choices, visitor: Visitor) -> Callable[[], Any]:
    """The work that answers a question that is no race; of one that has been cancelled meanwhile, none."""

    def work() -> Any:
        if not visitor.is_latest(question):
            return None
        if question.kind == "catalog":
            return catalog()
        if question.kind == "predict":
            return predict(choices)
        if question.kind == "explain":
            return explain(visitor.races.get(choices.digest) or choices)
        if question.kind == "advise":
            return advise(choices)
        if question.kind == "rates":
            return rates(choices)
        return facts(question.drawer, choices)

    return work


async def _race(question: Question, visitor: Visitor) -> AsyncIterator[Answer]:
    done: list[Race] = []
    choices = read(question.choices or {}, visitor.file)
    if question.draws > (most := choices.param.seeds.bounds[1]):
        raise ValueError(f"a race has 1 to {most} draws, not {question.draws}")
    known = visitor.saved.get(choices.digest)
    if known is not None and len(known.seeds) == question.draws:
        yield Answer(question.number, "race", True, known.event())
        return
    await _load(choices, visitor)
    draft = question.draws == 1 < choices.seeds  # while a slider moves
    events, event = stream(choices, question.draws, done, draft), None
    while visitor.is_latest(question):
        event = await QUICK_ANSWERS.run(visitor, next, events)
        if not visitor.is_latest(question):
            break
        if done and question.draws >= choices.seeds:
            visitor.keep(done[0])
        ended = event.outcome is not None or bool(event.error)
        yield Answer(question.number, "race", ended, event)
        if ended:
            return
    if event is not None and "race" not in visitor.latest:  # stopped, not asked anew
        yield Answer(question.number, "race", True, replace(event, words="Stopped."))


async def take_file(name: str, content: bytes, size: int, visitor: Visitor, label: int | None = None) -> dict[str, Any]:
    """Read a visitor's file of so many bytes: the choices that race on it and what was read, or why not.

    With them come the columns of a table, and the position of the one that is the label.
    """
    try:
        limits().check_upload(size)
        visitor.file = await DATA_LOADING.run(visitor, read_upload, name, content, label)
    except ValueError as why:
        return {"kind": "file", "error": sentence(str(why)), "columns": columns_in(name, content), "label": label}
    choices = {"data": UPLOAD, "upload": visitor.file.key}
    if are_words(visitor.file.y):  # no loss of values takes them
        choices["loss"] = "logistic"
    file = visitor.file
    return {"kind": "file", "value": choices, "words": file.sentence(), "columns": file.columns, "label": file.at}


def to_json(value: Any) -> str:
    """An answer, or a list of them. `dataclasses.asdict` would copy every number of every list first."""
    return json.dumps(value, default=vars, allow_nan=False, ensure_ascii=False)


def warm() -> None:
    """Load or compile what the opening race, its bounds and its reasons need, on sparse and on dense data."""
    for density in (0.05, 1.0):
        choices, done = Choices(n=60, d=30, density=density, passes=30), list[Race]()
        predict(choices)
        list(stream(choices, done=done))
        explain(done[0])
        advise(choices)
