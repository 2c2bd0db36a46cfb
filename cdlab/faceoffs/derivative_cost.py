"""The cost of one loss derivative in visited nonzeros: the price that the primal side pays at every nonzero.

A coordinate step of the primal needs phi' at each nonzero of its column, a step of the dual one phi' in all. So the
bounds, which count visits, flatter the primal when phi' is expensive. `machine_speed` times both on this machine, once:
it keeps what it finds beside the compiled kernels, in a file that can be read and deleted.
"""

from __future__ import annotations

import contextlib
import json
import math
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .. import losses
from ..losses import Loss
from ..numerics import checks, files, matrices, profiles
from ..numerics.jit import CACHE_FOLDER, is_digested, kernel
from ..regularizers import L2
from ..samplings.alias import AliasTable

PAPERS_COST = {"logistic": 50.0}  # as Csiba & Richtarik 2016 quote it
LINES_AND_NONZEROS = 128, 64  # lines, and nonzeros in each: everything stays in the cache
TIMED_RUNS = 100  # the fastest of so many is free of other programs' load
FILE_NAME = "derivative_costs.json"
# of this process: a machine that cannot keep a file still measures once
_speed_cache: dict[tuple[type, str], Speed] = {}


class Speed(NamedTuple):
    """Speed of this machine in the steps that the bounds count.

    Attributes
    ----------
    derivative_cost : float
        One loss derivative, in visited nonzeros.
    visit : float
        Seconds a visited nonzero takes: its share of a dot product and of an addition.
    update : float
        Seconds an update takes beyond its visits, before any loss derivative: drawing the coordinate, finding its line.
    """

    derivative_cost: float
    visit: float
    update: float


def resolve_cost(loss: Loss, cost: float | str | None, dense: bool) -> tuple[float, str, Speed | None]:
    """The cost of a loss derivative to count with, and where it comes from.

    Parameters
    ----------
    loss : loss instance
        Its derivative is counted.
    cost : float, "measured" or None
        As `faceoff` takes it.
    dense : bool
        Whether to measure on a dense matrix.

    Returns
    -------
    cost : float
        In visited nonzeros.
    source : str
        Where it comes from, in words.
    speed : Speed or None
        This machine's, if it was measured.

    Raises
    ------
    ValueError
        If `cost` is none of these, or negative; for softmax with "measured".
    """
    if cost is None:
        quoted = PAPERS_COST.get(getattr(loss, "name", ""))
        return (0.0, "assumed", None) if quoted is None else (quoted, "assumed, as Csiba & Richtarik 2016 quote", None)
    if isinstance(cost, str) and cost == "measured":
        speed = machine_speed(loss, dense=dense)
        return speed.derivative_cost, "measured on this machine", speed
    return check_cost(cost, " or 'measured'"), "given", None


def check_cost(cost: object, other: str = "") -> float:
    """A cost of a derivative as a float. `other` names what may stand in its place.

    Raises
    ------
    ValueError
        If it is not a number >= 0.
    """
    return checks.number("derivative_cost", cost, f"a number >= 0{other}", ends="[)")


def machine_speed(loss: str | Loss, *, dense: bool = False) -> Speed:
    """`measure`, once for each loss, kind of matrix, machine and version of the kernels.

    The result is kept as JSON in the folder of the compiled kernels (``derivative_costs.json`` in a subfolder of
    ``~/.cache/cdlab/kernels`` on Linux); delete it to measure again. A file that cannot be read is replaced. Where none
    can be written, each process measures for itself, and so it does for a user's loss, whose formulas may have changed.

    Parameters and result are those of `measure`.

    Raises
    ------
    ValueError
        For softmax, which rcd does not take.
    """
    loss = losses.resolve(loss)
    machine, key = f"{platform.node()} ({platform.machine()})", f"{loss!r}, {'dense' if dense else 'sparse'}"
    own = type(loss), key
    if own not in _speed_cache:
        if is_digested(type(loss)):
            _speed_cache[own] = _stored_speed(machine, key) or _store_speed(machine, key, measure(loss, dense=dense))
        else:
            _speed_cache[own] = measure(loss, dense=dense)
    return _speed_cache[own]


def _file() -> Path | None:
    """The folder is named by a digest of the kernels' sources, so that other kernels have another file."""
    return None if CACHE_FOLDER is None else CACHE_FOLDER / FILE_NAME


def _read() -> dict[str, dict[str, dict[str, float]]]:
    """The contents of the file; empty if there is none, or if it is damaged."""
    file = _file()
    if file is not None:
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(file.read_text())
            if isinstance(found, dict) and all(isinstance(each, dict) for each in found.values()):
                return found
    return {}


def _stored_speed(machine: str, key: str) -> Speed | None:
    try:
        speed = Speed(**_read()[machine][key])
        return speed if all(0 <= float(x) < math.inf for x in speed) and speed.visit > 0 else None
    except (KeyError, TypeError, ValueError):  # not measured yet, or written by something else
        return None


def _store_speed(machine: str, key: str, speed: Speed) -> Speed:
    file = _file()
    if file is not None:
        known = _read()
        known.setdefault(machine, {})[key] = speed._asdict()
        with contextlib.suppress(OSError):  # a full or read-only disk: the next process measures again
            file.parent.mkdir(parents=True, exist_ok=True)
            with files.atomic_write(file) as kept:
                kept.write((json.dumps(known, indent=2) + "\n").encode())
    return speed


# ---------------------------------------------------------------- measuring
@kernel
def _dots(X: Any, order: np.ndarray, v: np.ndarray, reg: L2) -> float:
    total = 0.0
    for i in order:
        total += X.dot(i, v, reg)
    return total


@kernel
def _slopes(X: Any, order: np.ndarray, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
    total = 0.0
    for i in order:
        total += X.slope(i, z, y, loss)
    return total


@kernel
def _adds(X: Any, order: np.ndarray, v: np.ndarray) -> None:
    for i in order:
        X.add(i, 1e-9, v)


def measure(loss: str | Loss, *, dense: bool = False) -> Speed:
    """Time visits, loss derivatives and updates on this machine, each as the compiled solvers do them.

    A visit is a nonzero's share of a dot product and an addition; a derivative is the time by which the primal's slope
    exceeds the dot product. All data lie in the processor's cache: on problems that do not fit there visits take
    longer, and a derivative costs fewer of them.

    Parameters
    ----------
    loss : str or loss instance
        Its derivative is timed.
    dense : bool, default False
        Visit the entries of a dense matrix, which are cheaper, instead of a sparse one's.

    Returns
    -------
    Speed

    Raises
    ------
    ValueError
        For softmax, which rcd does not take.
    """
    loss = losses.resolve(loss)
    if losses.is_vector(loss):
        raise ValueError(f"the derivative of {loss.name} cannot be measured: rcd does not take it; pass a number")
    lines, length = LINES_AND_NONZEROS
    dots, adds, slopes = (seconds / (lines * length) for seconds in _time_lines(loss, lines, length, dense))
    visit = dots + adds
    many = lines * length  # lines of one nonzero: what is not a visit belongs to the update
    short = sum(_time_lines(loss, many, 1, dense)[:2]) / many
    return Speed(max(0.0, (slopes - dots) / visit), visit, max(0.0, short - visit) + _time_drawing())


def _time_lines(loss: Loss, lines: int, length: int, dense: bool) -> tuple[float, float, float]:
    """Seconds for the dot products, the additions and the slopes of all lines of a random matrix."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((lines, length))
    if not dense:
        places = np.concatenate([rng.choice(32 * LINES_AND_NONZEROS[1], length, replace=False) for _ in range(lines)])
        X = sp.csr_matrix((X.ravel(), places, length * np.arange(lines + 1)), shape=(lines, 32 * LINES_AND_NONZEROS[1]))
    d = X.shape[1]
    z, y, v = rng.standard_normal(d), rng.choice([-1.0, 1.0], d), np.zeros(d)
    view, order = matrices.rows(profiles.validated_matrix(X)), rng.permutation(lines).astype(np.uint64)
    return (
        _fastest_run(lambda: _dots(view, order, z, L2(1.0))),
        _fastest_run(lambda: _adds(view, order, v)),
        _fastest_run(lambda: _slopes(view, order, z, y, loss)),
    )


def _time_drawing() -> float:
    """Seconds to draw one coordinate with given probabilities."""
    m = LINES_AND_NONZEROS[0] * LINES_AND_NONZEROS[1]
    table, rng = AliasTable(np.arange(1.0, m + 1)), np.random.default_rng(0)
    return _fastest_run(lambda: table.draw(rng, m)) / m


def _fastest_run(run: Callable[[], object]) -> float:
    run()  # compiles
    times = []
    for _ in range(TIMED_RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
