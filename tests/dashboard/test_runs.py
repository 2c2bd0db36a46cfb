"""The races that a page keeps."""

import pytest

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.races import runs as module
from cdlab.dashboard.races.first_picture import first_picture
from cdlab.dashboard.races.results import Lane, Result
from cdlab.dashboard.races.runs import Kept, Runs
from cdlab.dashboard.races.state import State
from cdlab.dashboard.races.story import PENDING


def race(status: str = "pass limit", **choices) -> Result:
    return Result(Choices(**choices), [Lane("sdca, uniform", "dual", 0, status=status)], PENDING)


def runs(count: int = 3) -> Runs:
    kept = Runs(first_picture())
    for seed in range(1, count):
        kept.add(race(seed=seed))
    return kept


def seed(k: int) -> str:
    """The name of the k-th race of `runs`."""
    return f"seed {k} instead of {k - 1}"


def names(kept) -> list[str]:
    return [each.name for each in kept]


def test_races_are_kept_in_order_and_named():
    kept = runs(3)
    assert names(kept.kept) == ["example", seed(1), seed(2)]
    assert kept.latest.name == seed(2)
    kept.add(kept.latest.race)  # told twice
    assert len(kept.kept) == 3


def test_the_picture_compares_the_latest_with_the_pinned_but_not_the_muted():
    kept = runs(4)
    assert names(kept.shown) == [seed(3)]
    kept.pin(kept.kept[0].key, True)
    kept.pin(kept.kept[2].key, True)
    assert names(kept.shown) == ["example", seed(2), seed(3)]
    kept.mute(kept.kept[2].key, True)
    assert names(kept.shown) == ["example", seed(3)]
    kept.add(race(seed=4))
    assert names(kept.shown) == ["example", seed(4)]


def test_every_change_is_told():
    kept, told = runs(3), []
    kept.param.watch(lambda _: told.append(1), "kept")
    key = kept.kept[1].key
    for change in (lambda: kept.rename(key, "mine"), lambda: kept.pin(key, True), lambda: kept.mute(key, True)):
        change()
    kept.remove(key)
    kept.add(race())
    assert len(told) == 5


def test_names_are_unique_short_and_not_empty():
    kept = runs(3)
    key = kept.kept[1].key
    kept.rename(key, "  the   dual one ")
    assert kept[key].name == "the dual one"
    for name, why in (("", "1 to 60"), ("x" * 61, "1 to 60"), (seed(2), "another run is called seed 2 instead of 1")):
        with pytest.raises(ValueError, match=why):
            kept.rename(key, name)
    kept.rename(key, seed(3))
    kept.add(race(seed=3))
    assert names(kept.kept)[-1] == f"{seed(3)} (2)"


def test_a_running_race_and_the_only_one_stay():
    kept = runs(1)
    with pytest.raises(ValueError, match="the only run"):
        kept.remove(kept.kept[0].key)
    kept.add(race(status=""))
    with pytest.raises(ValueError, match="still running: stop it first"):
        kept.remove(kept.latest.key)
    gone = kept.kept[0].key
    kept.remove(gone)
    with pytest.raises(ValueError, match="has been removed"):
        kept.pin(gone, True)


def test_the_oldest_that_is_not_pinned_makes_room_and_that_is_said(monkeypatch):
    monkeypatch.setattr(module, "MOST_RACES", 3)
    kept = runs(3)
    kept.pin(kept.kept[0].key, True)
    kept.add(race(seed=3))
    assert names(kept.kept) == ["example", seed(2), seed(3)]
    assert f"{seed(1)} had to make room" in kept.note
    for each in kept.kept:
        kept.pin(each.key, True)
    kept.add(race())
    assert len(kept.kept) == 4  # what is pinned stays, and so does the latest


def test_long_races_make_room_too(monkeypatch):
    monkeypatch.setattr(module, "MOST_RECORDS", 10)
    kept = Runs(first_picture())
    assert names(kept.kept) == ["example"]
    kept.add(race(seed=1))
    assert names(kept.kept) == [seed(1)]


def test_restored_races_are_the_latest_but_for_a_running_one():
    restored = [Kept(0, "old 1", race()), Kept(0, seed(1), race(), pinned=True)]
    kept = runs(2)
    kept.restore(restored)
    assert names(kept.kept) == ["example", seed(1), "old 1", f"{seed(1)} (2)"]
    assert len({each.key for each in kept.kept}) == 4
    busy = runs(1)
    busy.add(race(status="", seed=1))
    busy.restore(restored)
    assert busy.latest.name == seed(1)
    assert busy.latest.race.running


def test_all_tabs_show_the_latest_race():
    state = State(result=first_picture())
    first = state.result
    state.result = second = race(seed=1)
    assert names(state.runs.kept) == ["example", seed(1)]
    state.runs.remove(state.runs.latest.key)
    assert state.result is first
    state.runs.restore([Kept(0, "old", second)])
    assert state.result is second
    assert len(state.runs.kept) == 2
