"""A run that was stopped goes on from its checkpoint as if it had not been."""

import signal

import numpy as np
import pytest
from divided import cut, made

from cdlab import distributed

GIVEN = {"l2": 1e-3, "parts": 3, "tol": 1e-9}


@pytest.mark.parametrize("rounds", [1, 4, 7])
@pytest.mark.parametrize("in_memory", [True, False])
def test_the_same_bits_on_resuming(rounds, in_memory, tmp_path):
    shards, given = cut(*made(), 6), GIVEN | {"in_memory": in_memory}
    whole = distributed.solve(shards, **given)
    part = distributed.solve(shards, checkpoint=tmp_path / "ck", **given, max_rounds=rounds)
    assert (part.status, len(part.trace.records)) == ("round limit", rounds + 1)
    again = distributed.solve(shards, checkpoint=tmp_path / "ck", **given)
    assert np.array_equal(again.w, whole.w)
    for column in ("iteration", "passes", "primal", "dual", "gap"):
        assert again.trace.column(column).tolist() == whole.trace.column(column).tolist()


@pytest.mark.parametrize("name", ["part1", "part0"])
def test_a_kill_between_two_saves_leaves_the_round_before(name, tmp_path):
    """The newest file of one part was not written to its end."""
    shards, folder = cut(*made(), 6), tmp_path / "ck"
    distributed.solve(shards, checkpoint=folder, **GIVEN, max_rounds=5)
    (folder / f"{name}.1.npz").write_bytes((folder / f"{name}.1.npz").read_bytes()[:100])
    again = distributed.solve(shards, checkpoint=folder, **GIVEN)
    assert np.array_equal(again.w, distributed.solve(shards, **GIVEN).w)


def test_a_run_that_is_over_is_not_run_again(tmp_path):
    shards = cut(*made(), 6)
    first, second = (distributed.solve(shards, checkpoint=tmp_path, **GIVEN) for _ in range(2))
    assert np.array_equal(first.w, second.w)
    assert len(first.trace.records) == len(second.trace.records)


@pytest.mark.parametrize("other", [{"l2": 0.5}, {"seed": 1}, {"loss": "hinge"}, {"local_epochs": 2}])
def test_a_checkpoint_of_another_run_is_refused(other, tmp_path):
    shards = cut(*made(), 6)
    distributed.solve(shards, checkpoint=tmp_path, **GIVEN, max_rounds=2)
    with pytest.raises(ValueError, match="another run"):
        distributed.solve(shards, checkpoint=tmp_path, **(GIVEN | other))


def test_ctrl_c_ends_it_between_two_steps(tmp_path):
    """In the midst of a step it waits: what was kept goes on to the same bits."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored in the background
    shards = cut(*made(), 6)

    def interrupt(record):
        if record.rounds == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        distributed.solve(shards, checkpoint=tmp_path, progress=interrupt, **GIVEN)
    signal.signal(signal.SIGINT, before)
    again = distributed.solve(shards, checkpoint=tmp_path, **GIVEN)
    assert np.array_equal(again.w, distributed.solve(shards, **GIVEN).w)


def test_stopped_by_the_caller():
    s = distributed.solve(cut(*made(), 6), stop=lambda record: record.passes >= 3, **GIVEN)
    assert s.status == "stopped"
    assert s.trace.records[-1].passes >= 3 > s.trace.records[-2].passes
