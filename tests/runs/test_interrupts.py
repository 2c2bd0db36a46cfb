"""Ctrl-C at any moment: the run goes on as if nothing had happened."""

import contextlib
import signal
import sys
import threading
import time

import numpy as np
import pytest
from columns_of_traces import columns
from problems import problem

import cdlab
from cdlab.methods import METHODS
from cdlab.runs import interrupts
from cdlab.runs.interrupts import DeferInterrupt
from cdlab.runs.running import Run


@pytest.fixture(autouse=True)
def usual_handler():
    """Ctrl-C raises KeyboardInterrupt, whatever tests of servers have left behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def pressed_after(seconds):
    """Ctrl-C after so many seconds, if the block lasts that long; not after it, whatever ends it."""
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        yield
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        time.sleep(0)  # a signal that came in the last moment is raised here, not outside


def interrupted(run, epochs, delays):
    """Go on to so many epochs, interrupted again and again."""
    presses = 0
    while len(run.trace.records) <= epochs:
        try:
            with pressed_after(next(delays)):
                while len(run.trace.records) <= epochs:
                    next(run)
        except KeyboardInterrupt:  # wherever it came, also outside the run
            presses += 1
    return presses


# A signal may come while hypothesis looks at the garbage collector, where no exception leaves a callback.
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("method", ["sdca", "rcd", "spdc", "svrg", "lbfgs", "appa", "apcg", "saga"])
def test_an_interrupted_run_equals_an_undisturbed_one(method):
    P = problem(n=300, d=40)
    whole = Run(P, method, seed=3)
    for _ in range(400):
        next(whole)
    rng = np.random.default_rng(0)
    run = Run(P, method, seed=3)
    assert interrupted(run, 399, iter(lambda: 0.01 * rng.random(), None)) > 0
    np.testing.assert_array_equal(columns(run.trace)[:400], columns(whole.trace))


@pytest.mark.parametrize("method", METHODS)
def test_a_signal_in_the_midst_of_an_epoch_waits_for_its_end(method, monkeypatch):
    """The signal comes after the arrays have moved and before the scalars that belong to them."""
    P = problem("hinge") if method == "ssnal" else problem("logistic")
    P = problem("squared", l2=0.0) if method in ("kaczmarz", "acc_kaczmarz", "acc_cd") else P
    whole, run = Run(P, method, seed=1), Run(P, method, seed=1)
    for _ in range(4):
        next(whole)
    next(run)
    epoch = type(run.method).epoch

    def pressed(self, *arguments):
        state = epoch(self, *arguments)
        signal.raise_signal(signal.SIGINT)
        return state

    with monkeypatch.context() as patch:
        patch.setattr(type(run.method), "epoch", pressed)
        with pytest.raises(KeyboardInterrupt):
            next(run)
    while len(run.trace.records) < 4:
        next(run)
    np.testing.assert_array_equal(columns(run.trace), columns(whole.trace))


def test_with_every_an_interrupt_comes_between_epochs_and_measurements_stay_where_they_were():
    P = problem()
    whole = cdlab.solve(P, "sdca", every=50, tol=0, max_passes=400)
    run, presses, stops = Run(P, "sdca", every=50), [], []
    count = type(run.method).count

    def pressed(self, *arguments):
        presses.append(1)
        if len(presses) in (2, 5):
            signal.raise_signal(signal.SIGINT)
        return count(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(run.method), "count", pressed)
        while len(run.trace.records) < len(whole.trace.records):
            try:
                run.advance(max_passes=400)
            except KeyboardInterrupt:
                stops.append(len(presses))
    assert stops == [2, 5]
    np.testing.assert_array_equal(columns(run.trace), columns(whole.trace))


def test_a_second_signal_does_not_wait_and_the_run_says_that_it_was_broken_off(monkeypatch):
    run = Run(problem(), "sdca")
    next(run)

    def endless(self, *_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the second one waited")

    with monkeypatch.context() as patch:
        patch.setattr(type(run.method), "epoch", endless)
        with pytest.raises(KeyboardInterrupt):
            next(run)
    with pytest.raises(RuntimeError, match="broken off in the midst of epoch 1"):
        next(run)
    with pytest.raises(RuntimeError, match="solve anew"):
        _ = run.w


def test_a_signal_at_any_instruction_of_the_guard_itself_is_handed_on_and_leaves_nothing_behind():
    def guarded(pressed_at=-1):
        """Press before this instruction of the guard; return how many there are."""
        instructions = 0

        def trace(frame, event, argument):
            nonlocal instructions
            if frame.f_code.co_filename != interrupts.__file__:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                if instructions == pressed_at:
                    signal.raise_signal(signal.SIGINT)
                instructions += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            with DeferInterrupt() as guard:
                guard.deliver_pending()
                guard.call_interruptible(bool)
        finally:
            sys.settrace(before)
        return instructions

    for pressed_at in range(guarded()):
        with pytest.raises(KeyboardInterrupt):
            guarded(pressed_at)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with DeferInterrupt():  # the next one holds
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler


def test_outside_the_main_thread_nothing_is_held():
    found = []

    def work():
        with DeferInterrupt():
            found.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]


def test_whoever_handled_the_signal_before_gets_it_at_the_end():
    got, before = [], signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda *_: got.append(time.monotonic()))
    try:
        with DeferInterrupt():
            signal.raise_signal(signal.SIGINT)
            inside = time.monotonic()
            assert not got
        assert got[0] >= inside
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_stop_of_ones_own_is_interrupted_at_once_and_may_handle_the_signal_itself():
    got = []

    def stop(record):
        if 2 <= record.passes < 3:
            signal.raise_signal(signal.SIGINT)
            got.append("went on")
        return False

    with pytest.raises(KeyboardInterrupt):
        cdlab.solve(problem(), "sdca", tol=0, max_passes=6, every=1, stop=stop)
    assert got == []
    own = signal.signal(signal.SIGINT, lambda *_: got.append("its own handler"))
    try:
        assert cdlab.solve(problem(), "sdca", tol=0, max_passes=6, every=1, stop=stop).status == "pass limit"
        assert got == ["its own handler", "went on"]
    finally:
        signal.signal(signal.SIGINT, own)
