"""A Dask cluster as an executor: processes of this machine, or of others."""

from __future__ import annotations

import pickle
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from .data import Arrays, Source, parts_of
from .executors import Died, Result, workshop
from .work import Task, Workshop, one_thread

AHEAD = 2  # tasks for each thread of a cluster: the next one is there when the last is done


def local_client(jobs: int) -> Any:
    """A client with so many processes of this machine, each of one thread.

    Raises
    ------
    ImportError
        If Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ImportError('the executor "dask" needs Dask: pip install "cdlab[dask]"') from None
    return Client(n_workers=jobs, threads_per_worker=1, dashboard_address=None)


def is_client(executor: Any) -> bool:
    """Whether it is a `distributed.Client`, asked without importing it."""
    return any(cls.__name__ == "Client" and cls.__module__.startswith("distributed") for cls in type(executor).__mro__)


class Dask:
    """The workers of a client.

    Parameters
    ----------
    client : distributed.Client
    workshop : Workshop
        With the data that planning has read; they go once to each worker.
    owned : bool
        Whether the client ends with the sweep.
    """

    apart = True

    def __init__(self, client: Any, workshop: Workshop, owned: bool) -> None:
        self._client, self._workshop, self._owned = client, workshop, owned
        self._sent: dict[Any, Any] = {}
        self._going: dict[Future[Result], Any] = {}

    @property
    def slots(self) -> int:
        """By the threads that there are now: a cluster may grow and shrink."""
        return AHEAD * max(1, sum(self._client.nthreads().values()))

    def submit(self, task: Task) -> Future[Result]:
        """Send it to the cluster."""
        import cloudpickle  # comes with Dask

        data, test = self._at_workers(task.settings.data), self._at_workers(task.settings.test)
        told = cloudpickle.dumps(task.with_data(None, None))  # Dask would look for parts of graphs in it
        inner = self._client.submit(_carried_out, told, str(task.settings.data.token), data, test, pure=False)
        outer: Future[Result] = Future()
        self._going[outer] = inner
        inner.add_done_callback(lambda done: self._done(done, outer))
        return outer

    def close(self) -> None:
        """Cancel what is not done; a client that was handed over stays open."""
        self._client.cancel(list(self._going.values()))
        if self._owned:
            self._client.close()

    def _at_workers(self, source: Source | None) -> Any:
        if source is None:
            return None
        if source.token not in self._sent:
            arrays = self._workshop.at_hand.arrays(source)
            self._sent[source.token] = self._client.scatter([arrays], broadcast=True, hash=False)[0]
        return self._sent[source.token]

    def _done(self, inner: Any, outer: Future[Result]) -> None:
        self._going.pop(outer, None)
        if inner.status == "finished":
            outer.set_result(inner.result())
            return
        self._sent.clear()  # data that only a lost worker had are lost with it
        error = inner.exception() if inner.status == "error" else None
        lost = error is None or type(error).__module__.startswith("distributed")
        outer.set_exception(Died(checks.error_message(error) if error else inner.status) if lost else error)


@dataclass(frozen=True, eq=False)
class Received:
    """Data that came over the wire."""

    token: str
    given: Arrays

    def arrays(self) -> Arrays:
        """The arrays, which may be written to: numba compiles other kernels for those that may not."""
        X, y = self.given
        parts = {name: np.require(part, requirements="W") for name, part in parts_of(X).items()}
        if sp.issparse(X):
            X = sp.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=X.shape, copy=False)
            X.has_canonical_format = True
        else:
            X = parts["X"]
        return X, y


def _carried_out(told: bytes, token: str, data: Arrays, test: Arrays | None) -> Result:
    one_thread()
    tested = None if test is None else Received(f"test of {token}", test)
    return workshop().carry_out(pickle.loads(told).with_data(Received(token, data), tested))
