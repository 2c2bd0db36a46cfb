"""Several seeds: what is run, in which order, and what is said about it."""

import asyncio

import loops
import numpy as np
import pytest

import cdlab
from cdlab.dashboard.races.runner import Runner
from cdlab.dashboard.races.state import State

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

SMALL = {"n": 80, "d": 20, "density": 0.3, "passes": 30, "seeds": 3, "seed": 5}


def race(**choices) -> State:
    state = State()
    state.choices.param.update(**SMALL | choices)

    async def once():
        await Runner(state).start()

    loops.run(once())
    return state


def test_the_traces_are_those_of_cdlab_race():
    state = race(tol=1e-6)
    choices = state.choices
    expected = cdlab.race(choices.problem(), choices.entries(), seeds=[5, 6, 7], tol=1e-6, max_passes=30)
    for k, lanes in enumerate(state.result.methods.values()):
        assert [lane.seed for lane in lanes] == [5, 6, 7]
        for lane, trace in zip(lanes, expected[k], strict=True):
            assert lane.label == trace.label
            np.testing.assert_array_equal(lane.trace.column("gap"), trace.column("gap"))


def test_every_method_runs_with_a_seed_before_any_runs_with_the_next():
    state, order = State(), []
    state.choices.param.update(**SMALL, tol=0.0)
    state.param.watch(lambda event: order.append(event.new), "status")

    async def once():
        await Runner(state).start()

    loops.run(once())
    running = [int(status.rpartition(" ")[2].rstrip(".")) for status in order if "seed" in status]
    assert running == sorted(running)
    assert set(running) == {5, 6, 7}
    assert state.progress == 100


def test_all_runs_of_a_method_share_its_bound():
    lanes = race().result.methods["sdca, importance"]
    assert lanes[0].guarantee is not None
    assert all(lane.guarantee is lanes[0].guarantee for lane in lanes)


def test_the_outcome_is_that_of_the_median():
    result = race(tol=1e-3, passes=500).result
    happened = result.outcome()
    assert happened.seeds == 3
    rcd = [lane.trace.reached(happened.target) for lane in result.methods["rcd, importance"]]
    assert happened.primal_passes == sorted(rcd)[1]
    assert "(median of 3 seeds)" in result.sentence()


def test_a_stop_keeps_what_was_run():
    async def go():
        state = State()
        state.choices.param.update(**SMALL | {"n": 2000, "d": 100, "tol": 0.0, "passes": 100})
        runner = Runner(state)
        task = runner.start()
        while state.result is None or not state.result.lanes[1].trace.records:  # the second seed has begun
            await asyncio.sleep(0.005)
        runner.stop()
        await task
        return state.result

    result = loops.run(go())
    assert {lane.status for lane in result.lanes if lane.seed == 5} == {"pass limit"}
    assert {lane.status for lane in result.lanes if lane.seed == 7} == {"stopped"}
    assert {lane.seed for lane in result.compared()} == {5}


@pytest.mark.parametrize("data", ["a9a", "mushrooms"])
def test_the_test_error_is_measured_where_there_is_a_test_part(data):
    state = race(data=data, passes=1, seeds=1, methods=["sdca"])
    trace = state.result.lanes[0].trace
    if data == "mushrooms":
        assert "test_error" not in trace.names
        return
    X, y = cdlab.datasets.load(data, split="test", scale="mean")
    s = cdlab.solve(state.choices.problem(), "sdca", sampling="importance", seed=5, tol=0, max_passes=1, test=(X, y))
    np.testing.assert_array_equal(trace.column("test_error"), s.trace.column("test_error"))
    assert trace.column("test_error")[-1] < 0.25
