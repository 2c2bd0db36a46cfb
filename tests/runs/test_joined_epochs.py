"""Epochs that are run at once, on one order, are the run that they are one after another, to the last bit."""

import numpy as np
import pytest
from cases import each_of, pushed

import cdlab
from cdlab.methods import METHODS
from cdlab.runs import feed
from cdlab.samplings import Batches, Coordinates, TauNice
from cdlab.samplings.base import joined

EPOCHS = 7


def problem(loss, l2=0.02):
    task = "regression" if loss == "squared" else "classification"
    X, y = cdlab.datasets.make(n=40, d=12, density=0.5, seed=2, task=task)
    X[3] = 0.0
    return cdlab.Problem(X, y, loss, l2=l2)


def end(P, method, every, **options):
    run = cdlab.iterate(P, method, seed=5, every=every, **options)
    while run.counts.epochs < EPOCHS:
        record = next(run)
    return run.w, run.alpha, (record.iteration, record.passes)


def accepted():
    for loss in ("squared", "logistic", "hinge"):
        P, uniform = problem(loss), cdlab.samplings.Uniform()
        yield from ((name, loss) for name, cls in METHODS.items() if cls().refusal(P, uniform) is None)


@pytest.mark.parametrize(
    ("method", "loss"), pushed(list(accepted()), ("sdca", "hinge"), ("rcd", "squared"), ("svrg", "logistic"))
)
def test_a_run_that_is_measured_seldom_is_the_run_that_is_measured_after_each_epoch(method, loss):
    P = problem(loss)
    for at_once, by_one in zip(end(P, method, EPOCHS), end(P, method, 1), strict=True):
        np.testing.assert_array_equal(at_once, by_one)


@each_of(
    "sampling",
    [
        "permutation",
        "paired_permutation",
        "cyclic",
        "symmetric",
        "fixed_permutation",
        "importance",
        "norms",
        TauNice(3),
    ],
)
def test_so_it_is_with_every_sampling(sampling):
    P = problem("squared")
    for at_once, by_one in zip(
        end(P, "quartz", EPOCHS, sampling=sampling), end(P, "quartz", 1, sampling=sampling), strict=True
    ):
        np.testing.assert_array_equal(at_once, by_one)


@each_of("name", ["uniform", "permutation"])
@each_of("m", [1, 9, 2**16 + 1])
def test_several_epochs_drawn_at_once_are_those_drawn_one_by_one(name, m):
    c = Coordinates(np.ones(m), 1.0, 1.0, np.ones(m, np.int64))
    epochs = [cdlab.samplings.resolve(name).epochs(c, np.random.default_rng(3)) for _ in range(2)]
    np.testing.assert_array_equal(epochs[0].draw(4), np.concatenate([next(epochs[1]) for _ in range(4)]))


@pytest.mark.parametrize(("method", "loss", "l1"), [("sdca", "hinge", 0.0), ("rcd", "squared", 0.05)])
def test_epochs_that_leave_coordinates_out_run_together_as_one_by_one(method, loss, l1, monkeypatch):
    P = problem(loss).with_(l1=l1)
    together, apart = (cdlab.iterate(P, method, screening="gap_safe", every=EPOCHS, seed=2) for _ in range(2))
    for _ in range(6):
        record = next(together)
        with monkeypatch.context() as patch:
            patch.setattr(feed, "NONZEROS_TOGETHER", 0.0)
            alone = next(apart)
        assert (record.iteration, record.primal, record.gap) == (alone.iteration, alone.primal, alone.gap)
    np.testing.assert_array_equal(together.alpha, apart.alpha)
    assert record.active < together.feed.active.mask.size


def test_joined_blocks_are_the_blocks_of_all():
    first = Batches(np.array([4, 2, 0], np.uint64), np.array([0, 1, 3], np.uint64))
    second = Batches(np.array([1, 3], np.uint64), np.array([0, 0, 2], np.uint64))
    both = joined([first, second])
    assert [both.indices[a:b].tolist() for a, b in zip(both.starts, both.starts[1:], strict=False)] == [
        [4], [2, 0], [], [1, 3],
    ]  # fmt: skip
    assert both.indices.dtype == both.starts.dtype == np.uint64
