"""What is finished is kept and not measured again; what is kept is whole, and of the same settings."""

import os
import signal
from pathlib import Path

import pytest
from cases import each_of
from stores import claims

from benchmarks.peers import comparing, results
from benchmarks.peers.adapters import find_peer
from benchmarks.peers.adapters.peer import Package
from benchmarks.peers.cells import (
    FULL_CELLS,
    QUICK_CELLS,
    Cell,
    drawn_cells,
    load_arrays,
    load_task,
    parse_cell,
    select_cells,
)
from benchmarks.peers.comparing import Comparison
from benchmarks.peers.optimum import CertifiedOptimum, optimum
from benchmarks.peers.results import PeerResult, PeerStore, TimingSettings, check_targets, result_key
from benchmarks.peers.searching import TimedCall, TooSlow
from benchmarks.peers.worker import Worker
from cdlab.runs.progress_line import ProgressLine
from cdlab.sweeps.data import digest_of_data
from cdlab.sweeps.session import Session

SETTINGS = TimingSettings([1e-3, 1e-6], 2, 60.0)
TINY = Cell("small_text", "logistic", 1.0)
PEERS = ["cdlab sdca@permutation", "sklearn-liblinear-dual", "sklearn-ridge-cholesky"]


DATA = digest_of_data(load_arrays(TINY))


class Said(ProgressLine):
    """What was said."""

    def __init__(self):
        super().__init__(quiet=True)
        self.lines = []

    def say(self, text):
        self.lines.append(text)


def planned(store, peers=PEERS, cells=(TINY,)):
    return Comparison(cells, peers, store, SETTINGS, Said())


def ran(store, peers=PEERS, cells=(TINY,)):
    """What was said."""
    comparison = planned(store, peers, cells)
    comparison.run()
    return comparison.progress.lines


def key(peer, data=DATA):
    return result_key(TINY, data, find_peer(peer), SETTINGS)


def unfit(peer):
    return PeerResult(TINY.name, peer, "1", "unfit", key=key(peer))


@pytest.mark.full
def test_a_run_goes_on_where_it_was_interrupted(tmp_path):
    store = PeerStore(tmp_path)
    store.keep_optimum(TINY, DATA, optimum(load_task(TINY)))
    ran(store, PEERS[:1])
    first = store.result(key(PEERS[0]))
    assert store.result(key(PEERS[1])) is None
    ran(store)
    assert store.result(key(PEERS[0])) == first, "finished: not measured again"
    second, third = (store.result(key(name)) for name in PEERS[1:])
    assert (second.verdict, third.verdict) == ("right", "unfit")
    assert third.note == "has no logistic loss"
    for each in (first, second):
        assert {target: len(times) for target, times in each.cpu.items()} == {1e-3: 2, 1e-6: 2}
        assert all(reached <= target for target, many in each.reached.items() for reached in many)
    assert [each.peer for each in planned(store).results()] == PEERS
    assert planned(store).is_complete()
    assert not claims(tmp_path)


def test_nothing_is_started_where_all_is_finished(tmp_path, monkeypatch):
    store = PeerStore(tmp_path)
    for name in PEERS:
        store.keep(unfit(name))
    monkeypatch.setattr(Worker, "refusals", lambda *_: pytest.fail("it was started"))
    assert ran(store) == ["1 of 1 cells are finished already"]


def outdated(monkeypatch, what):
    """Something changes after which a result says nothing of what would be measured now."""
    if what == "data":
        monkeypatch.setattr(comparing, "load_arrays", lambda cell: (2 * load_arrays(cell)[0], load_arrays(cell)[1]))
    elif what == "version":
        monkeypatch.setattr(Package, "version", "0.0.1")
    else:
        results._code_digest.cache_clear()
        digest = results.numerics_digest
        monkeypatch.setattr(results, "numerics_digest", lambda *classes, **more: digest(*classes, **more)[::-1])


@pytest.mark.parametrize(("what", "measured"), [("data", PEERS), ("version", PEERS), ("sources", PEERS[:1])])
def test_what_is_outdated_is_measured_again_and_not_reported(what, measured, tmp_path, monkeypatch):
    store = PeerStore(tmp_path)
    store.keep_optimum(TINY, DATA, CertifiedOptimum(0.25, 1e-13))
    for name in PEERS:
        store.keep(unfit(name))
    assert planned(store).is_complete()
    outdated(monkeypatch, what)
    plan = planned(store)
    assert list(plan.missing(TINY.name)) == measured
    assert [each.peer for each in plan.results()] == [name for name in PEERS if name not in measured]
    known = store.optimum(TINY, plan._digest(TINY)) is not None
    assert known == (what != "data"), "P* is that of the data"
    results._code_digest.cache_clear()


def test_a_cell_in_which_another_process_measures_is_not_measured_twice(tmp_path, monkeypatch):
    """The other one, here played by hand, finishes while this one waits for it."""
    store = PeerStore(tmp_path)
    store.keep_optimum(TINY, DATA, CertifiedOptimum(0.25, 1e-13))
    plan = planned(store)
    other, waited = Session(tmp_path), []
    assert other.claim(TINY.name)

    def sleep(seconds):
        waited.append(seconds)
        for name in PEERS:
            store.keep(unfit(name))
        other.close()

    monkeypatch.setattr("cdlab.sweeps.scheduler.time.sleep", sleep)
    monkeypatch.setattr(Worker, "refusals", lambda *_: pytest.fail("it was measured"))
    plan.run()
    assert waited
    assert not claims(tmp_path)


def test_a_session_that_is_broken_off_leaves_p_star_and_no_lock(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "optimum", lambda *_: CertifiedOptimum(0.25, 1e-13))
    monkeypatch.setattr(Worker, "refusals", interrupted)
    store = PeerStore(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        ran(store)
    assert store.optimum(TINY, DATA) == (0.25, 1e-13)
    assert planned(store).results() == []
    assert not claims(tmp_path)


def test_results_come_back_as_they_were_kept(tmp_path):
    store = PeerStore(tmp_path)
    kept = PeerResult(TINY.name, "snapml", "1.17", "short", "why", {1e-3: 4.0}, {1e-3: [0.25, 0.5]})
    kept.key = "k"
    store.keep(kept)
    store.keep_optimum(TINY, DATA, CertifiedOptimum(0.25, 1e-13))
    again = PeerStore(tmp_path)
    assert again.result("k") == kept
    assert again.result("another") is None
    assert again.optimum(TINY, DATA) == (0.25, 1e-13)
    assert again.optimum(TINY, "of other data") is None


def test_results_of_other_settings_are_left_alone(tmp_path):
    """Their times are not comparable."""
    store = PeerStore(tmp_path)
    for name in PEERS:
        store.keep(unfit(name))
    assert planned(store).is_complete()
    for other in (
        TimingSettings([1e-3], 2, 60.0),
        TimingSettings([1e-3, 1e-6], 3, 60.0),
        TimingSettings([1e-3, 1e-6], 2, 1.0),
    ):
        assert Comparison([TINY], PEERS, store, other, Said()).results() == []


def test_a_cell_whose_data_are_not_here_is_left_out(tmp_path, monkeypatch):
    monkeypatch.delenv("CDLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    store = PeerStore(tmp_path / "out")
    cells = [Cell("leu", "logistic", 1.0)]
    assert ran(store, cells=cells)[0].startswith("left out leu/logistic/1: ")
    assert not planned(store, cells=cells).is_complete()


@pytest.mark.full
def test_a_call_that_takes_too_long_is_ended_and_the_next_one_has_a_new_process(monkeypatch):
    monkeypatch.setattr("benchmarks.peers.worker.COMPILING_SECONDS", 0.0)
    with Worker(0.0) as worker:
        with pytest.raises(TooSlow, match="longer than 0 s"):
            worker.call(TINY, 0.1, "sklearn-liblinear-dual", 1.0)
        assert worker.refusals(TINY, PEERS[1:]) == {PEERS[1]: "", PEERS[2]: "has no logistic loss"}
        worker.max_seconds = 300.0
        found = worker.call(TINY, 0.1, "sklearn-liblinear-dual", 1.0)
        assert 0 < found.suboptimality < 1


def test_the_first_call_in_a_cell_is_not_the_one_that_counts(monkeypatch):
    """A package may compile for dense data what it had compiled for sparse ones."""
    made = []
    monkeypatch.setattr(Worker, "_run", lambda _, function, *__, **___: made.append(function) or [TimedCall(0.5, 0.1)])
    worker = Worker(1.0)
    for cell in (TINY, Cell("small_tall", "logistic", 1.0)):
        assert [worker.call(cell, 0.0, "sklearn-saga", budget).cpu for budget in (1.0, 2.0)] == [0.1, 0.1]
    names = [function.__name__ for function in made]
    assert names == 2 * ["_load", "_calls", "_calls", "_calls"]


@pytest.mark.full
def test_calls_in_a_row_are_made_at_once_and_a_first_call_has_a_process_of_its_own():
    with Worker(300.0) as worker:
        found = worker.calls(TINY, 0.1, "cdlab auto", 1e-3, 3)
        assert len({each.suboptimality for each in found}) == 1 < len({each.cpu for each in found})
        one = worker._run(os.getpid)
        first = worker.first_call(TINY, 0.1, "cdlab auto", 1e-3)
        assert worker._run(os.getpid) != one
        assert first.suboptimality == found[0].suboptimality
        assert first.cpu > max(each.cpu for each in found), "it loads kernels"


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell what a process blocks")
def test_the_process_of_the_calls_never_hears_ctrl_c_also_while_it_imports():
    def blocks_ctrl_c(pid):
        (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigBlk"))
        return bool(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1)

    with Worker(60.0) as worker:
        assert blocks_ctrl_c(worker._run(os.getpid))
        assert not blocks_ctrl_c("self")


@each_of("cell", [*FULL_CELLS, *QUICK_CELLS, *drawn_cells(7)])
def test_a_cell_is_typed_as_it_is_called(cell):
    assert parse_cell(cell.name) == cell


def test_patterns_choose_cells_once_and_in_order():
    names = [cell.name for cell in select_cells(["leu/logistic/1", "leu/*/1", "a9a/squared/2"])]
    assert names == ["leu/logistic/1", "leu/squared_hinge/1", "a9a/squared/2"]


@each_of(
    "text, words",
    [
        ("leu", "write DATA/LOSS/C"),
        ("leu/logistic/many", "is not a cell"),
        ("leu/logistik/1", "did you mean 'logistic'"),
        ("leu/logistic/0", "not both 0"),
        ("lue/*", "no cell matches 'lue/*'; there are leu, "),
    ],
)
def test_what_is_no_cell_is_refused_in_a_sentence(text, words):
    with pytest.raises(ValueError, match=words.replace("*", r"\*")):
        select_cells([text])


def test_targets_fall_and_lie_where_they_can_be_measured():
    assert check_targets([1e-6, 0.1]) == [0.1, 1e-6]
    with pytest.raises(ValueError, match="a target is a number from 1e-11"):
        check_targets([1e-3, 1e-13])


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (EOFError(), "ended from outside"),
        (MemoryError(), "not enough memory"),
        (TimeoutError("no answer"), "no answer"),
    ],
    ids=["ended", "memory", "time"],
)
def test_a_cell_that_cannot_be_prepared_does_not_end_the_others(error, reason, tmp_path, monkeypatch):
    def optimum(*_):
        raise error

    monkeypatch.setattr(Worker, "optimum", optimum)
    cells = [TINY, Cell("small_text", "logistic", 0.1)]
    said = ran(PeerStore(tmp_path), cells=cells)
    assert [line.partition(":")[0] for line in said] == [f"left out {cell.name}" for cell in cells]
    assert all(reason in line for line in said)


def test_a_target_that_p_star_is_too_vague_for_is_not_measured(tmp_path, monkeypatch):
    store = PeerStore(tmp_path)
    monkeypatch.setattr(Worker, "optimum", lambda *_: CertifiedOptimum(0.25, 1e-5))
    monkeypatch.setattr(Worker, "refusals", lambda *_: {})
    asked = []
    monkeypatch.setattr(comparing, "measure", lambda cell, best, refusals, targets, *_: asked.append(targets) or [])
    said = ran(store)
    assert asked == [[1e-3]], "1e-6 is less than ten times the certificate"
    assert said == ["small_text/logistic/1: P* is certified to 1.0e-05 only; targets 0.001"]


def test_a_drawn_cell_is_made_of_its_seed():
    """Data and problem are those of the seed, whenever they are drawn; another seed draws others."""
    (cell, *_), (again, *_), (other, *_) = drawn_cells(12), drawn_cells(12), drawn_cells(13)
    assert cell == again
    digests = [digest_of_data(load_arrays(each)) for each in (cell, again, other)]
    assert digests[0] == digests[1] != digests[2]
    peer = find_peer(PEERS[0])
    assert len({result_key(each, DATA, peer, SETTINGS) for each in (cell, again, other)}) == 2
