"""The app between a page and the engine: messages of the page in, answers out, the session in between."""

import asyncio
import json
from types import SimpleNamespace
from weakref import WeakSet

import panel as pn
from bokeh.document import Document
from bokeh.models import Div
from panel.io.state import set_curdoc
from small_choices import small

from cdlab.dashboard import app, drawers
from cdlab.dashboard.session import PageSession
from cdlab.dashboard.visitor_limits import set_limits

ENDLESS = small(n=400, d=60, density=1.0, passes=100_000, tol=0.0).values()
FILE = {"kind": "file", "name": "mine.csv", "bytes": b"a,b,label\n1,2,1\n3,4,-1\n5,6,1\n", "last": True}


class Context:
    """The session of a document, whose lock nobody else wants."""

    def __init__(self):
        self.session = SimpleNamespace(destroyed=False, connection_count=1)

    async def with_locked_document(self, work):
        await work(None)


def opened(session: PageSession):
    """A front end without a browser, and what it is sent."""
    front_end, heard = app.FrontEnd(session), []
    callbacks = SimpleNamespace(send_event=lambda event: heard.append(json.loads(event.data)))
    roots = [Div(), front_end.get_root(Document())]
    front_end._document = SimpleNamespace(
        session_context=Context(), callbacks=callbacks, roots=roots, add_next_tick_callback=lambda work: work()
    )
    return front_end, heard


def say(session: PageSession, *messages: dict) -> list[dict]:
    """What a page hears that says so, when all has been answered."""

    async def talk():
        front_end, heard = opened(session)
        for message in messages:
            front_end.take(message)
            await asyncio.gather(*front_end._tasks)
        return heard

    return asyncio.run(talk())


def question(kind: str, number: int = 1, **more) -> dict:
    return {"number": number, "kind": kind, "choices": None, "draws": 1, "drawer": ""} | more


def state(drawer: str = "", **values) -> dict:
    return {"kind": "state", "choices": small(**values).values(), "drawer": drawer}


def test_a_question_is_answered_once_and_a_race_is_a_stream_that_the_session_keeps():
    session = PageSession()
    asked = {"choices": small(seeds=2).values(), "draws": 2}
    heard = say(session, question("catalog"), question("race", 2, **asked), question("race", 3, **asked))
    assert [(each["number"], each["kind"]) for each in heard if each["done"]] == [
        (1, "catalog"),
        (2, "race"),
        (3, "race"),
    ]
    (race,) = session.races  # the second is about the same choices
    assert race.choices.digest == heard[-1]["value"]["digest"]


def test_one_draw_while_a_slider_moves_is_not_kept():
    session = PageSession()
    say(session, question("race", choices=small(seeds=5).values(), draws=1))
    assert session.races == []


def test_races_of_a_page_keep_no_more_data_than_one_may_have():
    session = PageSession()
    set_limits(entries=1400)  # of about 600 that each stores
    try:
        for k in range(1, 5):
            say(session, question("race", k, choices=small(density=0.5, data_seed=k, seeds=1).values()))
    finally:
        set_limits()
    kept = [race.choices.data_seed for race in session.races]
    assert kept == [3, 4] == [race.choices.data_seed for race in session.visitor.races.values()]


def test_a_race_ends_with_its_page():
    async def leave():
        front_end, heard = opened(PageSession())
        front_end.take(question("race", choices=ENDLESS))
        while len(heard) < 2:
            await asyncio.sleep(0.01)
        tasks = list(front_end._tasks)
        front_end.leave()
        await asyncio.wait_for(asyncio.wait(tasks), 10)
        return all(each.done() for each in tasks), heard[-1]["done"]

    assert asyncio.run(leave()) == (True, False)


def test_a_race_ends_when_nobody_is_connected_to_its_page():
    async def disconnect():
        front_end, heard = opened(PageSession())
        front_end.take(question("race", choices=ENDLESS))
        while len(heard) < 2:
            await asyncio.sleep(0.01)
        front_end._document.session_context.session.connection_count = 0
        await asyncio.wait_for(asyncio.gather(*front_end._tasks), 10)
        return heard[-1]["done"]

    assert asyncio.run(disconnect()) is False


def test_the_session_has_the_last_choices_that_can_be():
    session = PageSession()
    say(session, state("Bounds", n=77), {"kind": "state", "choices": small(n=78).values() | {"n": -1}, "drawer": ""})
    assert (session.choices.n, session.drawer) == (77, "")


def test_a_file_gives_choices_that_race_on_it_and_says_what_was_read():
    session = PageSession()
    (heard,) = say(session, FILE)
    assert "3 examples, 2 features" in heard["words"]
    assert "label: label" in heard["words"]
    chosen = small().values() | heard["value"]
    *_, predicted = say(
        session, {"kind": "state", "choices": chosen, "drawer": ""}, question("predict", choices=chosen)
    )
    assert predicted["value"]["matrix"]["rows"] == 3
    assert session.choices.problem().n == 3
    (other,) = say(PageSession(), question("predict", choices=chosen))
    assert "choose the file" in other["value"]["refusals"][0]["why"]


def test_a_file_that_cannot_be_read_says_why_and_changes_nothing():
    session = PageSession()
    _, heard = say(session, FILE, FILE | {"bytes": b"1,2\n3,four\n"})
    assert heard["error"].startswith("mine.csv, line 2, column 2: 'four' is not a number")
    assert session.visitor.file.name == "mine.csv"


def test_a_file_comes_in_parts_and_one_above_the_limit_is_not_kept():
    content, session = FILE["bytes"], PageSession()
    parts = [FILE | {"bytes": content[k : k + 10], "last": k + 10 >= len(content)} for k in range(0, len(content), 10)]
    (heard,) = say(session, *parts)
    assert "3 examples" in heard["words"]
    set_limits(upload=2e-5)
    try:
        refused, small = say(session, *parts, FILE | {"bytes": b"1,1\n2,-1\n"})
    finally:
        set_limits()
    assert "this dashboard takes at most" in refused["error"]
    assert "2 examples" in small["words"]


def test_a_drawer_is_made_when_it_is_first_opened_and_once(monkeypatch):
    made = []

    def view(name, session):
        made.append(name)
        return pn.pane.HTML(name)

    monkeypatch.setattr(drawers, "NAMES", ("Runs", "Bounds"))
    monkeypatch.setattr(drawers, "view", view)

    async def talk():
        front_end, _ = opened(PageSession())
        shown = []
        for name in ("Runs", "", "Bounds", "Runs", "Steps"):
            front_end.take(state(name))
            shown.append([each.object for each in front_end.drawer])
        return shown

    assert asyncio.run(talk()) == [["Runs"], ["Runs"], ["Bounds"], ["Runs"], ["Runs"]]  # what is hidden stays
    assert made == ["Runs", "Bounds"]


def test_a_drawer_has_the_page_take_choices_and_say_a_sentence():
    session = PageSession()
    _, heard = opened(session)
    session.choose({"data": "arrow"})
    session.say("This is the item's first case.")
    assert heard == [
        {"kind": "choices", "value": {"data": "arrow"}},
        {"kind": "words", "value": "This is the item's first case."},
    ]


def test_a_server_without_room_says_so(monkeypatch):
    monkeypatch.setattr(app, "_open", WeakSet())
    monkeypatch.setattr(app, "warm_up", lambda: None)
    set_limits(sessions=1)
    pages = []
    try:
        for _ in range(2):
            doc = Document()
            with set_curdoc(doc):
                app.page().server_doc(doc)
            pages.append(doc)
    finally:
        set_limits()
    assert [len(doc.roots) > 0 for doc in pages] == [True, False]
    assert "limited to 1" in pages[1].template_variables["full"]
