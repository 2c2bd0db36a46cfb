"""Every method solves a problem with sample weights, or says why not: the optimum is that of repeated rows."""

from functools import cache
from itertools import cycle

import numpy as np
import pytest
from cases import each_of, pushed
from problems import data

import cdlab
from cdlab.methods import METHODS
from cdlab.runs.entries import check_entry, resolve_entry

X, y = data()
TIMES = np.random.default_rng(3).integers(0, 4, y.size)
ROWS = np.repeat(np.arange(y.size), TIMES)
SYSTEMS = {"kaczmarz", "acc_kaczmarz", "acc_cd"}
IN_TURN = list(zip(sorted(METHODS.keys() - SYSTEMS - {"ssnal"}), cycle(["logistic", "huber"])))
PUSHED = {"sdca", "spdc", "saga", "rcd", "agd", "newton_cd"}  # weights make kernels of their own
SLOW = {"sgd", "rda"}  # sublinear
VECTORS = ["sdca", "accprox_sdca", "appa", "acc_appa", "dual_appa", "gd", "agd", "fista", "lbfgs", "newton_cd"]


def labels(loss):
    return np.arange(y.size) % 3 if loss == "softmax" else y


@cache
def repeated(loss, l1):
    """P* without weights, to 1e-12."""
    P = cdlab.Problem(X[ROWS], labels(loss)[ROWS], loss, 0.1, l1)
    return cdlab.solve(P, "sdca", tol=1e-12, max_passes=20_000).trace.records[-1]


def solved(method, loss, l1=0.0, **options):
    W = cdlab.Problem(X, labels(loss), loss, 0.1, l1, sample_weight=TIMES)
    tol = 1e-2 if method in SLOW else 1e-8
    return W, cdlab.solve(W, method, tol=tol, max_passes=20_000, **options)


def agrees(W, s, loss, l1=0.0):
    best = repeated(loss, l1)
    above = W.primal(s.w) - best.primal
    assert s.status == "tolerance reached"
    assert -best.gap - 1e-14 <= above <= s.gap + 1e-14


@each_of("method, loss", IN_TURN, pushed=[each for each in IN_TURN if each[0] in PUSHED])
def test_the_optimum_is_that_of_repeated_rows(method, loss):
    agrees(*solved(method, loss), loss)


@pytest.mark.full
@each_of("method, loss", [(method, "huber" if loss == "logistic" else "logistic") for method, loss in IN_TURN])
def test_so_it_is_with_another_loss(method, loss):
    agrees(*solved(method, loss), loss)


@each_of("method", VECTORS, pushed=["sdca", "newton_cd"])
def test_so_it_is_with_several_classes(method):
    agrees(*solved(method, "softmax"), "softmax")


@each_of("method", ["sdca", "saga", "fista", "lbfgs", "newton_cd"], pushed=["sdca", "newton_cd"])
def test_so_it_is_with_l1(method):
    agrees(*solved(method, "squared", 0.02), "squared", 0.02)


@each_of("method", ["sdca", "quartz", "rcd", "acc_rcd", "svrg"], pushed=["sdca", "rcd"])
@each_of("sampling", ["importance", "norms"])
def test_so_it_is_however_coordinates_are_drawn(method, sampling):
    agrees(*solved(method, "squared_hinge", sampling=sampling), "squared_hinge")


@pytest.mark.parametrize("method", pushed(["quartz", "rcd", "spdc", "asdca"], "quartz"))
def test_so_it_is_in_blocks(method):
    agrees(*solved(method, "smooth_hinge", batch_size=3), "smooth_hinge")


@each_of("inner", ["gram", "dual", "truncated", "preconditioned"])
def test_so_it_is_however_newton_minimises_its_model(inner):
    agrees(*solved("newton_cd", "logistic", inner=inner), "logistic")


@pytest.mark.parametrize("method", ["sdca", "rcd"])
def test_so_it_is_with_extrapolation(method):
    agrees(*solved(method, "squared", sampling="symmetric", anderson=5), "squared")


def test_so_it_is_over_working_sets():
    agrees(*solved("rcd", "squared", 0.02, sampling="cyclic", working_set=True), "squared", 0.02)


def test_sdca_and_spdc_take_weights_where_the_loss_has_a_kink():
    W = cdlab.Problem(X, y, "hinge", 0.1, sample_weight=TIMES)
    R = cdlab.Problem(X[ROWS], y[ROWS], "hinge", 0.1)
    runs = [cdlab.solve(P, m, tol=1e-5, max_passes=20_000) for P, m in [(W, "sdca"), (W, "spdc"), (R, "sdca")]]
    lowest = max(s.trace.records[-1].dual for s in runs)
    for s in runs:
        assert W.primal(s.w) - lowest <= s.gap * (1 + 1e-9)


@each_of("method", sorted(SYSTEMS))
def test_a_linear_system_has_no_weights(method):
    W = cdlab.Problem(X, y, "squared", 0, sample_weight=TIMES)
    with pytest.raises(ValueError, match=f"{method} solves X w = y, in which no equation weighs more than another"):
        check_entry(W, *resolve_entry(method))


def test_examples_of_weight_0_do_not_move():
    W, s = solved("sdca", "logistic")
    assert (s.alpha[TIMES == 0] == 0).all()
    assert (s.alpha[TIMES > 0] != 0).all()
    with pytest.raises(ValueError, match="alpha lies outside the domain"):
        cdlab.solve(W, "sdca", start=(None, y * 0.5))


@each_of("method", ["quartz", "rcd"])
@each_of("sampling", ["uniform", "importance"])
def test_bounds_hold_with_the_constants_of_the_heaviest_example(method, sampling):
    """On average runs stay below the bound, in which every example is as steep as the one with the largest weight."""
    W = cdlab.Problem(X, y, "squared", 0.1, sample_weight=TIMES)
    bound, beyond = cdlab.theory.bound(method, sampling=sampling), []
    for seed in range(20):
        trace = cdlab.solve(W, method, sampling=sampling, seed=seed, tol=0, every=1, max_passes=12).trace
        error = trace.column("gap" if bound.bounded == "P-D" else "primal")[:9]
        error = error if bound.bounded == "P-D" else error - repeated("squared", 0.0).primal
        beyond.append(error - bound.curve(W, trace.column("passes")[:9]))
    assert (np.mean(beyond, axis=0) <= 1e-12).all()
