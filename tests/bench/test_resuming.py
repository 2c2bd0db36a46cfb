"""What is finished is kept and not measured again; what is kept is whole, and of the same settings."""

import pytest

from cdlab.bench import running
from cdlab.bench.calling import Call
from cdlab.bench.cells import FULL, QUICK, Cell, chosen, parsed
from cdlab.bench.optimum import Optimum, optimum
from cdlab.bench.recipes import loaded
from cdlab.bench.results import Folder, Result, Settings, falling
from cdlab.bench.searching import TooSlow
from cdlab.bench.worker import Worker

SETTINGS = Settings([1e-3, 1e-6], 2, 60.0)
TINY = Cell("small_text", "logistic", 1.0)
PEERS = ["cdlab sdca@permutation", "sklearn-liblinear-dual", "sklearn-ridge-cholesky"]


def silent():
    return running.Progress(lambda _: None, lambda _: None)


def test_a_run_goes_on_where_it_was_interrupted(tmp_path):
    folder = Folder(tmp_path, SETTINGS)
    folder.keep_optimum(TINY, optimum(loaded(TINY)))
    running.run([TINY], PEERS[:1], folder, SETTINGS, silent())
    first = folder.result(TINY, PEERS[0])
    assert folder.result(TINY, PEERS[1]) is None
    running.run([TINY], PEERS, folder, SETTINGS, silent())
    assert folder.result(TINY, PEERS[0]) == first, "finished: not measured again"
    second, third = (folder.result(TINY, name) for name in PEERS[1:])
    assert (second.verdict, third.verdict) == ("right", "unfit")
    assert third.note == "has no logistic loss"
    for each in (first, second):
        assert {target: len(times) for target, times in each.cpu.items()} == {1e-3: 2, 1e-6: 2}
        assert all(reached <= target for target, many in each.reached.items() for reached in many)
    assert len(list(folder.results())) == 3


def test_a_call_may_take_eight_times_the_fastest(tmp_path, monkeypatch):
    """Who is further behind is ended: its exact time tells nobody more."""
    allowed = []

    def call(worker, name, budget):
        allowed.append(worker.max_seconds)
        return Call(budget, 0.0, 0.3, 0.3), False

    monkeypatch.setattr(Worker, "refusals", lambda _, names: dict.fromkeys(names, ""))
    monkeypatch.setattr(Worker, "call", call)
    folder = Folder(tmp_path, SETTINGS)
    running._measure(TINY, PEERS[:2], [1e-3, 1e-6], Worker(60.0), folder, SETTINGS, lambda _: None)
    searched = len(SETTINGS.targets)
    assert set(allowed[:searched]) == {60.0}
    assert set(allowed[searched:]) == {running.HOPELESS * 0.3}


def test_nothing_is_started_where_all_is_finished(tmp_path, monkeypatch):
    folder = Folder(tmp_path, SETTINGS)
    for name in PEERS:
        folder.keep(TINY, Result(TINY.name, name, "1", False, False, "unfit"))
    monkeypatch.setattr(Worker, "load", lambda *_: pytest.fail("it was started"))
    said = []
    running.run([TINY], PEERS, folder, SETTINGS, running.Progress(said.append, said.append))
    assert said == ["1 of 1 cells are finished already"]


def test_results_come_back_as_they_were_kept(tmp_path):
    folder = Folder(tmp_path, SETTINGS)
    kept = Result(TINY.name, "snapml", "1.17", False, False, "short", "why", 0.5, {1e-3: 4.0}, {1e-3: [0.25, 0.5]})
    folder.keep(TINY, kept)
    folder.keep_optimum(TINY, Optimum(0.25, 1e-13))
    again = Folder(tmp_path, SETTINGS)
    assert again.result(TINY, "snapml") == kept
    assert again.optimum(TINY) == (0.25, 1e-13)
    assert list(again.results()) == [kept]
    assert not list(tmp_path.rglob("*.part"))


def test_other_settings_are_refused_in_the_same_folder(tmp_path):
    Folder(tmp_path, SETTINGS)
    with pytest.raises(ValueError, match="holds results with .* repeats 2.* another folder"):
        Folder(tmp_path, Settings([1e-3], 2, 60.0))


def test_a_damaged_file_is_named(tmp_path):
    folder = Folder(tmp_path, SETTINGS)
    folder.keep(TINY, Result(TINY.name, "snapml", "1", False, False, "unfit"))
    path = tmp_path / TINY.folder / "snapml.json"
    path.write_text(path.read_text()[:20])
    with pytest.raises(ValueError, match=r"snapml\.json is damaged: remove it"):
        folder.result(TINY, "snapml")


def test_a_cell_whose_data_are_not_here_is_left_out(tmp_path, monkeypatch):
    monkeypatch.delenv("CDLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    monkeypatch.setattr(Worker, "load", lambda _, cell: loaded(cell))
    said = []
    folder = Folder(tmp_path / "out", SETTINGS)
    cell = Cell("leu", "logistic", 1.0)
    running.run([cell], PEERS, folder, SETTINGS, running.Progress(said.append, lambda _: None))
    assert said[0].startswith("left out leu/logistic/1: ")
    assert list(folder.results()) == []


def test_a_call_that_takes_too_long_is_ended_and_the_next_one_has_a_new_process(monkeypatch):
    monkeypatch.setattr("cdlab.bench.worker.COMPILING", 0.0)
    with Worker(0.0) as worker:
        worker.load(TINY)
        worker.measure_from(0.1)
        with pytest.raises(TooSlow, match="longer than 0 s"):
            worker.call("sklearn-liblinear-dual", 1.0)
        assert worker.refusals(PEERS[1:]) == {PEERS[1]: "", PEERS[2]: "has no logistic loss"}
        worker.max_seconds = 300.0
        found, first = worker.call("sklearn-liblinear-dual", 1.0)
        assert first
        assert 0 < found.suboptimality < 1


@pytest.mark.parametrize("cell", [*FULL, *QUICK], ids=lambda cell: cell.name)
def test_a_cell_is_typed_as_it_is_called(cell):
    assert parsed(cell.name) == cell


def test_patterns_choose_cells_once_and_in_order():
    names = [cell.name for cell in chosen(["leu/logistic/1", "leu/*/1", "a9a/squared/2"])]
    assert names == ["leu/logistic/1", "leu/squared_hinge/1", "a9a/squared/2"]


@pytest.mark.parametrize(
    ("text", "words"),
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
        chosen([text])


def test_targets_fall_and_lie_where_they_can_be_measured():
    assert falling([1e-6, 0.1]) == [0.1, 1e-6]
    with pytest.raises(ValueError, match="a target is a number from 1e-11"):
        falling([1e-3, 1e-13])


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
    def load(*_):
        raise error

    monkeypatch.setattr(Worker, "load", load)
    said = []
    cells = [TINY, Cell("small_text", "logistic", 0.1)]
    running.run(cells, PEERS, Folder(tmp_path, SETTINGS), SETTINGS, running.Progress(said.append, lambda _: None))
    assert [line.partition(":")[0] for line in said] == [f"left out {cell.name}" for cell in cells]
    assert all(reason in line for line in said)


def test_a_target_that_p_star_is_too_vague_for_is_not_measured(tmp_path, monkeypatch):
    folder = Folder(tmp_path, SETTINGS)
    folder.keep_optimum(TINY, Optimum(0.25, 1e-5))
    monkeypatch.setattr(Worker, "load", lambda *_: None)
    monkeypatch.setattr(Worker, "measure_from", lambda *_: None)
    asked = []
    monkeypatch.setattr(running, "_measure", lambda cell, names, targets, *_: asked.append(targets))
    said = []
    running.run([TINY], PEERS, folder, SETTINGS, running.Progress(said.append, lambda _: None))
    assert asked == [[1e-3]], "1e-6 is less than ten times the certificate"
    assert said == ["small_text/logistic/1: P* is certified to 1.0e-05 only; targets 0.001"]
