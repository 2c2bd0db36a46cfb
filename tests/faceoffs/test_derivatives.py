"""What a loss derivative costs: measured once, kept in a file, and never in the way when that file cannot be used."""

import json
import os

import numpy as np
import pytest
import scipy.sparse as sp

import cdlab
from cdlab.faceoffs import derivative_cost
from cdlab.faceoffs.derivative_cost import Speed, machine_speed, measure


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty cache folder, and a process that has measured nothing."""
    monkeypatch.setattr(derivative_cost, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(derivative_cost, "_speed_cache", {})
    return tmp_path


@pytest.fixture
def counted(monkeypatch):
    """`measure` without the time it takes: each call is counted, and gives another speed."""
    calls = []

    def quick(loss, *, dense=False):
        calls.append((loss.name, dense))
        return Speed(float(len(calls)), 1e-9, 1e-8)

    monkeypatch.setattr(derivative_cost, "measure", quick)
    return calls


def forget(monkeypatch):
    """As a new process would start."""
    monkeypatch.setattr(derivative_cost, "_speed_cache", {})


def kept(folder):
    return json.loads((folder / derivative_cost.FILE_NAME).read_text())


# ---------------------------------------------------------------- measuring
@pytest.mark.parametrize("dense", [False, True])
def test_a_measurement_is_three_plausible_numbers(dense):
    speed = measure("logistic", dense=dense)
    assert 0 <= speed.derivative_cost < 1e4
    assert 0 < speed.visit < 1e-3
    assert 0 < speed.update < 1e-2


def test_a_vector_loss_has_no_derivative_that_rcd_could_take():
    with pytest.raises(ValueError, match="softmax cannot be measured: rcd does not take it"):
        measure("softmax")


# ---------------------------------------------------------------- kept
def test_once_per_loss_and_kind_of_matrix(folder, counted, monkeypatch):
    for _ in range(2):
        assert machine_speed("logistic").derivative_cost == 1
        assert machine_speed("logistic", dense=True).derivative_cost == 2
        assert machine_speed(cdlab.losses.SmoothHinge(gamma=0.5)).derivative_cost == 3
        assert machine_speed(cdlab.losses.SmoothHinge(gamma=0.1)).derivative_cost == 4
        forget(monkeypatch)  # the second time round, the file knows
    assert counted == [("logistic", False), ("logistic", True), ("smooth_hinge", False), ("smooth_hinge", False)]
    ((machine, known),) = kept(folder).items()
    assert os.uname().nodename in machine
    assert len(known) == 4
    assert all(set(entry) == {"derivative_cost", "visit", "update"} for entry in known.values())
    assert [file.name for file in folder.iterdir()] == [derivative_cost.FILE_NAME], "nothing half-written stays behind"


def test_another_machine_with_the_same_home_measures_for_itself(folder, counted, monkeypatch):
    machine_speed("logistic")
    forget(monkeypatch)
    monkeypatch.setattr(derivative_cost.platform, "node", lambda: "another")
    assert machine_speed("logistic").derivative_cost == 2
    assert len(kept(folder)) == 2


DAMAGED = {
    "empty": "",
    "cut short": '{"machine": {"logis',
    "not an object": "[1, 2]",
    "of another shape": '{"machine": 3}',
    "not text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_file_is_replaced(text, folder, counted, monkeypatch):
    (folder / derivative_cost.FILE_NAME).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert machine_speed("logistic").derivative_cost == 1
    forget(monkeypatch)
    assert machine_speed("logistic").derivative_cost == 1
    assert counted == [("logistic", False)]


@pytest.mark.parametrize(
    "change", [{"visit": "fast"}, {"visit": 0}, {"update": float("nan")}, {"derivative_cost": -1}, {"more": 1}, None]
)
def test_an_entry_that_is_no_measurement_is_measured_again(change, folder, counted, monkeypatch):
    machine_speed("logistic")
    found = kept(folder)
    ((machine, known),) = found.items()
    ((key, entry),) = known.items()
    known[key] = {**entry, **change} if change else 7
    (folder / derivative_cost.FILE_NAME).write_text(json.dumps(found))
    forget(monkeypatch)
    assert machine_speed("logistic").derivative_cost == 2
    assert kept(folder)[machine][key]["derivative_cost"] == 2


def test_where_nothing_can_be_written_each_process_measures(folder, counted, monkeypatch):
    (folder / derivative_cost.FILE_NAME).mkdir()  # neither readable nor replaceable, even by root
    assert machine_speed("logistic").derivative_cost == 1
    assert machine_speed("logistic").derivative_cost == 1
    assert [file.name for file in folder.iterdir()] == [derivative_cost.FILE_NAME], "nothing half-written stays behind"
    forget(monkeypatch)
    assert machine_speed("logistic").derivative_cost == 2


def test_without_a_cache_folder_each_process_measures(counted, monkeypatch):
    monkeypatch.setattr(derivative_cost, "CACHE_FOLDER", None)
    forget(monkeypatch)
    assert [machine_speed("logistic").derivative_cost for _ in range(3)] == [1, 1, 1]


# ---------------------------------------------------------------- used
def problem(X, loss="logistic", l2=0.5):
    return cdlab.Problem(X, np.resize([1.0, -1.0], X.shape[0]), loss=loss, l2=l2)


def test_predictions_in_seconds(folder, monkeypatch):
    monkeypatch.setattr(derivative_cost, "measure", lambda loss, dense: Speed(7.0, 2e-9, 3e-8))
    f = cdlab.faceoff(problem(np.ones((2, 3))), derivative_cost="measured")
    assert (f.derivative_cost, f.derivative_cost_source) == (7.0, "measured on this machine")
    assert f.seconds_P == pytest.approx(2e-9 * 8 * f.T_P + 3e-8 * f.K_P)  # each visit needs a derivative
    assert f.seconds_D == pytest.approx(2e-9 * (f.T_D + 7 * f.K_D) + 3e-8 * f.K_D)  # each iteration needs one
    plain = json.loads(json.dumps(f.to_dict()))
    assert (plain["seconds_P"], plain["seconds_D"]) == (f.seconds_P, f.seconds_D)
    assert plain["speed"] == {"derivative_cost": 7.0, "visit": 2e-9, "update": 3e-8}


def test_zeros_of_a_dense_matrix_take_time(folder, monkeypatch):
    """Its kernels pass through whole lines: n entries an update of the primal, d an update of the dual."""
    monkeypatch.setattr(derivative_cost, "measure", lambda loss, dense: Speed(7.0, 2e-9, 3e-8))
    X = np.diag([1.0, 2.0, 3.0])[:, :2]
    f, g = (cdlab.faceoff(problem(A), derivative_cost="measured") for A in (X, sp.csr_matrix(X)))
    assert (f.dense, g.dense) == (True, False)
    assert (f.T_P, f.T_D) == (g.T_P, g.T_D)
    assert f.seconds_P == pytest.approx(2e-9 * 8 * 3 * f.K_P + 3e-8 * f.K_P)
    assert f.seconds_D == pytest.approx(2e-9 * (2 + 7) * f.K_D + 3e-8 * f.K_D)
    assert g.seconds_D == pytest.approx(2e-9 * (g.T_D + 7 * g.K_D) + 3e-8 * g.K_D)


@pytest.mark.parametrize("cost", [None, 5.0])
def test_no_seconds_without_a_measurement(cost):
    f = cdlab.faceoff(problem(np.ones((2, 3))), derivative_cost=cost)
    assert (f.speed, f.seconds_P, f.seconds_D) == (None, None, None)


def test_no_seconds_where_there_is_no_bound(folder, monkeypatch):
    monkeypatch.setattr(derivative_cost, "measure", lambda loss, dense: Speed(7.0, 2e-9, 3e-8))
    f = cdlab.faceoff(problem(np.ones((2, 3)), "hinge"), derivative_cost="measured")
    assert (f.derivative_cost, f.seconds_P, f.seconds_D) == (7.0, None, None)
