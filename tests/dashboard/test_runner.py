"""The job behind the page, without the page."""

import asyncio
import threading
import time

import loops
import numpy as np
from cases import each_of

import cdlab
from cdlab.dashboard.races import runner as module
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State
from cdlab.dashboard.races.turns import Turns

SMALL = {"n": 80, "d": 20, "density": 0.3, "passes": 60}
ENDLESS = {"n": 2000, "d": 100, "tol": 0.0, "passes": 100_000}


def state_of(**choices) -> State:
    state = State()
    state.choices.param.update(**choices)
    return state


def race(**choices) -> State:
    state = state_of(**choices)

    async def once():
        await Runner(state).start()

    loops.run(once())
    return state


async def until(holds, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


def test_a_race_in_pieces_gives_the_traces_of_cdlab_race():
    state = race(**SMALL, dual_sampling="permutation", primal_sampling="uniform", seed=3, tol=1e-6)
    choices = state.choices
    expected = cdlab.race(choices.problem(), choices.entries(), seeds=[3], tol=1e-6, max_passes=60)
    for lane, trace in zip(state.result.lanes, expected.traces, strict=True):
        assert lane.label == trace.label
        assert lane.status == trace.meta["status"]
        for column in ("iteration", "passes", "primal", "dual", "gap"):
            np.testing.assert_array_equal(lane.trace.column(column), trace.column(column))


def test_the_pieces_do_not_change_the_result(monkeypatch):
    whole = race(**SMALL)
    monkeypatch.setattr(module, "PIECE", 0.0)  # one epoch a piece
    pieces = race(**SMALL)
    for one, other in zip(whole.result.traces, pieces.result.traces, strict=True):
        np.testing.assert_array_equal(one.column("gap"), other.column("gap"))


def test_progress_and_frames_only_go_up():
    state = state_of(**SMALL, tol=0.0)
    seen = {"progress": [], "frame": []}
    for name, values in seen.items():
        state.param.watch(lambda event, values=values: values.append(event.new), name)
    loops.run(_started(state))
    assert state.progress == 100
    assert seen["progress"] == sorted(seen["progress"])
    assert seen["frame"] == sorted(seen["frame"])
    assert (state.running, state.status, state.error) == (False, "All runs have ended.", "")


async def _started(state: State) -> None:
    await Runner(state).start()


def test_methods_take_turns(monkeypatch):
    monkeypatch.setattr(module, "PIECE", 0.0)
    state, order = state_of(**SMALL, tol=0.0), []
    state.param.watch(lambda event: order.append(event.new), "status")
    loops.run(_started(state))
    running = [status for status in order if status.startswith("Running")]
    assert len(set(running[:3])) == 3


def test_sessions_take_turns(monkeypatch):
    monkeypatch.setattr(module, "PIECES", Turns(1))
    monkeypatch.setattr(module, "PIECE", 0.0)
    served, work = [], module.Turn.work

    def noted(self, problem, choices):
        served.append(choices.seed)
        work(self, problem, choices)

    monkeypatch.setattr(module.Turn, "work", noted)

    async def go():
        states = [state_of(**ENDLESS, seed=seed) for seed in range(4)]
        runners = [Runner(state) for state in states]
        tasks = [runner.start() for runner in runners]
        await until(lambda: all(state.frame > 3 for state in states))
        begun = len(served)
        await until(lambda: len(served) > begun + 200)
        shares = [served[begun:].count(seed) for seed in range(4)]
        for runner in runners:
            runner.stop()
        await asyncio.wait(tasks)
        return shares

    shares = loops.run(go())
    assert min(shares) > 0.5 * max(shares)


def test_stop_takes_effect_at_once_and_marks_the_runs():
    async def go():
        state = state_of(**ENDLESS)
        runner = Runner(state)
        task = runner.start()
        await until(lambda: state.result is not None and all(trace.records for trace in state.result.traces))
        runner.stop()
        await asyncio.wait_for(task, 5)  # the run itself would take minutes
        return state

    state = loops.run(go())
    assert (state.running, state.status) == (False, "Stopped.")
    assert [lane.status for lane in state.result.lanes] == ["stopped"] * 3


def test_stop_also_works_while_the_data_are_prepared(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(State, "problem", lambda self, choices: release.wait(20))

    async def go():
        state = state_of()
        runner = Runner(state)
        task = runner.start()
        await until(lambda: state.running)
        runner.stop()
        await asyncio.wait_for(task, 5)
        release.set()
        return state

    state = loops.run(go())
    assert (state.running, state.status, state.error) == (False, "Stopped.", "")


def test_a_new_race_takes_the_place_of_the_old_one():
    async def go():
        state = state_of(**ENDLESS)
        runner = Runner(state)
        runner.start()
        await until(lambda: state.frame > 2)
        old = state.result
        state.choices.param.update(n=70, passes=5)
        await runner.start()
        return state, old

    state, old = loops.run(go())
    assert [lane.status for lane in old.lanes] == ["stopped"] * 3
    assert (state.running, state.status) == (False, "All runs have ended.")
    assert state.result.choices.n == 70
    assert "70 x 100" in state.result.traces[0].meta["problem"]


def test_a_change_of_the_choices_during_a_race_does_not_touch_it():
    async def go():
        state = state_of(**SMALL, tol=0.0)
        task = Runner(state).start()
        await until(lambda: state.running)
        state.choices.param.update(loss="squared", seed=9, passes=1)
        await task
        return state

    result = loops.run(go()).result
    assert result.choices.loss == "smooth_hinge"
    assert {trace.meta["seed"] for trace in result.traces} == {0}
    assert all(trace.records[-1].passes >= 60 for trace in result.traces)


def test_the_event_loop_stays_free_during_a_race():
    async def go():
        state = state_of(**ENDLESS)
        runner = Runner(state)
        task = runner.start()
        await until(lambda: state.frame > 2)
        ticks = 0
        frames = state.frame
        while state.frame < frames + 3:
            await asyncio.sleep(0.01)
            ticks += 1
        runner.stop()
        await task
        return ticks

    assert loops.run(go()) > 3


@each_of(
    "choices, sentence",
    [
        ({"loss": "hinge", "methods": ["rcd"]}, "rcd needs a smooth loss and hinge is not"),
        ({"n": 100_000, "d": 100_000, "density": 0.01}, "lower n, d or the density"),
        ({"data": "abalone_scale", "loss": "logistic"}, "distinct labels"),
    ],
)
def test_what_cannot_run_becomes_a_sentence(choices, sentence):
    state = race(**choices)
    assert sentence in state.error
    assert (state.running, state.status, state.result) == (False, "This cannot run.", None)


def test_an_error_of_ours_is_said_and_logged(monkeypatch, caplog):
    def broken(*_):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(module, "add_theory", broken)
    state = race(**SMALL)
    assert "ZeroDivisionError" in state.error
    assert not state.running
    assert "a race failed" in caplog.text


def test_a_method_that_diverges_ends_with_that_word(monkeypatch):
    monkeypatch.setattr(cdlab.methods.SDCA, "points", _nowhere)
    assert race(**SMALL, methods=["sdca"]).result.lanes[0].status == "diverged"


def _nowhere(self, problem, S):
    return cdlab.methods.Points(np.full(problem.d, np.inf), S.alpha, v=S.v)
