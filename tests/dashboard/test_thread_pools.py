import asyncio
import threading

import loops
import pytest

from cdlab.dashboard.engine.thread_pools import FairThreadPool


def order_of(jobs: list[tuple[str, str]]) -> list[str]:
    """In which order one thread does jobs, given as (client, name), that are handed in while it is busy."""
    pool, done, free = FairThreadPool(1), [], threading.Event()
    pool.submit("somebody", free.wait, 30)
    futures = [pool.submit(client, done.append, name) for client, name in jobs]
    free.set()
    for future in futures:
        future.result(30)
    return done


def test_clients_are_served_in_turn_however_many_jobs_one_hands_in():
    assert order_of([("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")]) == [
        *("a1", "b1", "c1"),
        *("a2", "b2"),
        "a3",
    ]


def test_one_client_s_jobs_are_done_in_order():
    names = [f"a{k}" for k in range(20)]
    assert order_of([("a", name) for name in names]) == names


def test_threads_work_side_by_side():
    both = threading.Barrier(2, timeout=30)
    pool = FairThreadPool(2)
    futures = [pool.submit(client, both.wait) for client in "ab"]
    assert {future.result(30) for future in futures} == {0, 1}, "each had to wait for the other"


def test_what_is_cancelled_while_it_waits_is_never_begun():
    async def go():
        pool, done, free = FairThreadPool(1), [], threading.Event()
        busy = asyncio.ensure_future(pool.run("a", free.wait, 30))
        waiting = asyncio.ensure_future(pool.run("b", done.append, "b"))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.wait({waiting})
        free.set()
        await busy
        await pool.run("c", done.append, "c")
        return done

    assert loops.run(go()) == ["c"]


def test_an_error_reaches_the_one_who_asked_and_the_next_is_served():
    async def go():
        pool = FairThreadPool(1)
        with pytest.raises(ZeroDivisionError):
            await pool.run("a", lambda: 1 / 0)
        return await pool.run("a", lambda: "well")

    assert loops.run(go()) == "well"
