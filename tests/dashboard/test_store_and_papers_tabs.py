"""The drawers Store and Papers, opened without a browser."""

import asyncio

import loops
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

import cdlab
from cdlab.dashboard.drawers.papers_tab import PapersTab
from cdlab.dashboard.drawers.store_tab import BOUNDS, StoreTab
from cdlab.dashboard.races.state import State
from cdlab.dashboard.stores import offered

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

X, y = cdlab.datasets.make(n=60, d=12, seed=0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    grid = {"X": X, "y": y, "l2": 0.1, "method": ["sdca", "rcd"], "seed": [0, 1], "tol": 1e-4}
    cdlab.sweep(grid, store=tmp_path / "small")
    monkeypatch.setattr(offered, "_given", [tmp_path / "small"])
    return tmp_path / "small"


def seen(tab):
    return " ".join(str(getattr(pane, "object", "")) for pane in tab.view.select())


async def settled():
    """Until all that was asked for has been worked out."""
    await asyncio.sleep(0.05)
    while len(asyncio.all_tasks()) > 1:
        await asyncio.sleep(0.05)


def open_and(make, state, *steps):
    """What a drawer shows when it is opened, and after each step."""

    async def go():
        with set_curdoc(Document()):
            tab = make(state, "")
            tab.open = True
            await settled()
            texts = [seen(tab)]
            for step in steps:
                step(tab)
                await settled()
                texts.append(seen(tab))
            return texts

    return loops.run(go())


def test_without_a_store_the_drawer_says_how_to_make_and_open_one(monkeypatch):
    monkeypatch.setattr(offered, "_given", [])
    (text,) = open_and(StoreTab, State())
    assert "cdlab sweep grid.toml --store results" in text
    assert "cdlab serve --store results" in text


def test_a_store_is_shown_and_read_again(folder):
    said = []

    def grow(tab):
        said.append(tab.bar.said)
        cdlab.sweep({"X": X, "y": y, "l2": 0.1, "method": "quartz", "tol": 1e-4}, store=folder)
        tab._do("again")

    first, second = open_and(StoreTab, State(), grow)
    assert said == ["4 finished runs."]
    assert "sdca, uniform" in first
    assert "quartz" not in first
    assert "quartz, uniform" in second


def test_the_view_of_bounds_follows_the_choices(folder):
    state = State()
    first, second = open_and(
        StoreTab,
        state,
        lambda tab: tab.asked.param.update(view=BOUNDS),
    )
    assert "is on the problem that is chosen above" in second
    assert "is on the problem that is chosen above" not in first


def test_a_store_that_is_gone_is_a_sentence(folder):
    folder.rename(folder.with_name("elsewhere"))
    (text,) = open_and(StoreTab, State())
    assert "The folder of the store small is gone." in text


def test_the_csv_has_a_row_for_each_run(folder, monkeypatch):
    given = []
    open_and(
        StoreTab,
        State(),
        lambda tab: monkeypatch.setattr(tab.bar, "_send_msg", given.append) or tab._do("csv"),
    )
    assert given[0]["filename"] == "small.csv"
    assert len(given[0]["text"].splitlines()) == 5


def test_the_item_that_is_shown_is_in_the_state_while_the_drawer_is_open():
    state, items = State(paper="faceoff-fig2d"), []

    def choose(tab):
        items.append(state.paper)
        tab._chosen.item = next(each for each in tab._chosen.param.item.objects if each.startswith("faceoff-tab1:"))

    def close(tab):
        items.append(state.paper)
        tab.open = False

    first, second, _ = open_and(PapersTab, state, choose, close)
    assert "faceoff-fig2d: Figure 2d" in first
    assert "faceoff-tab1: Table 1" in second
    assert [*items, state.paper] == ["faceoff-fig2d", "faceoff-tab1", ""]


def test_another_paper_begins_with_its_first_item():
    state = State(paper="faceoff-fig2d")

    def choose(tab):
        tab._chosen.paper = next(each for each in tab._chosen.param.paper.objects if each.startswith("spdc:"))

    open_and(PapersTab, state, choose)
    assert state.paper == "spdc-fig1"


def test_an_item_that_does_not_exist_is_told():
    state = State(paper="spdc-fig99")
    (text,) = open_and(PapersTab, state)
    assert "The address asks for paper=spdc-fig99, which was left out: there is no such item." in text
    assert state.paper == "spdc-fig1"
