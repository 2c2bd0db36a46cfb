"""Every method of the registry on every loss, regulariser and matrix form, and with every sampling: it reaches the
independent optimum with a certificate, or says in a sentence why it will not and what to use instead.

A kernel is compiled for each loss, regulariser and storage that it meets. So a push takes each method with each
sampling on one loss, and sdca and rcd on each that they take; ``pytest -m full`` takes a pairwise covering of methods,
samplings and forms, the whole products, and each parameter changed, too. What a method owes beside its optimum is in
methods/test_every_method.py. Linear systems have their own tests.
"""

from itertools import combinations, product

import numpy as np
import pytest
from cases import each_of
from forms import is_form
from problems import LOSSES, SMOOTH, optimum, pairwise, problem
from variants import BLOCKS, SAMPLINGS, VARIANTS, WRAPPERS, drawn_by, without_another_value

import cdlab
from cdlab import samplings
from cdlab.methods import METHODS, quartz, rcd, sdca

LINEAR_SYSTEMS = {"kaczmarz", "acc_kaczmarz", "acc_cd"}
SUBLINEAR = {"sgd", "rda"}
STALLS = "adasdca(step='fixed')"  # its step shrinks with the smallest residual, as the file says
RUNS = {**{name: cls() for name, cls in METHODS.items()}, **VARIANTS}
AXES = (list(METHODS), LOSSES, [0.0, 0.02], [False, True])
SAMPLED = (list(METHODS), SAMPLINGS, LOSSES, [0.0, 0.02], [False, True])
FORMS = [form for form in product(LOSSES, *AXES[2:]) if is_form(*form)]
PAIRED = [(label, sampling, *form) for label, sampling, form in pairwise(*SAMPLED[:2], FORMS)]
OTHERS = [("sdca", "uniform", *form) for form in product(LOSSES, *AXES[2:]) if form not in FORMS]


def goal(label, loss):
    """Relative suboptimality to reach, and the passes allowed."""
    if label == STALLS:
        return 0.9, 1500
    if RUNS[label].name in SUBLINEAR:
        return 5e-2, 1500
    return (1e-8 if loss in SMOOTH else 1e-4), 40_000


def refusal(P, method, sampling):
    try:
        cdlab.iterate(P, method, sampling=sampling)
    except ValueError as error:
        return str(error)
    return None


def form_of(method):
    """The logistic loss, for which every test of all methods compiles, or else the first form that the method takes."""
    taken = [form for form in FORMS if is_taken(method, *form)] or FORMS[:1]
    return min(taken, key=lambda form: form[0] != "logistic")


def is_taken(method, loss, l1, sparse):
    problems = [problem(loss, l2=0.1, l1=weight, sparse=sparse) for weight in {l1, 0.0}]
    return any(method.refusal(P, samplings.Uniform()) is None for P in problems)


PUSHED = [(label, sampling, *form_of(cls())) for label, cls in METHODS.items() for sampling in SAMPLINGS]
PUSHED += [("sdca", "uniform", *form) for form in FORMS]
PUSHED += [("rcd", "uniform", *form) for form in FORMS if form[0] in SMOOTH]


def starts_at_zero(first, at_zero):
    """w = 0 before the first epoch: relative gaps and suboptimalities of all methods have the same scale."""
    assert first[:3] == (0, 0.0, 0.0)
    assert first.primal == pytest.approx(at_zero)


def reaches_the_optimum_or_refuses(label, loss, l1, sparse, sampling="uniform"):
    case = label, loss, l1, sparse, sampling
    P, method = problem(loss, l2=0.1, l1=l1, sparse=sparse), RUNS[label]
    best, start = optimum(loss, 0.1, l1), P.primal(np.zeros(P.d))
    eps, passes = goal(label, loss)
    drawn = drawn_by(sampling, P.n if method.side == "dual" else P.d)
    sentence = refusal(P, method, drawn)
    if sentence is not None:
        assert any(word in sentence for word in ("use ", "take ", "set ", "pass ", "give ", "leave ")), case
        assert len(sentence) < 400
        return False
    certified = eps < 1e-2
    run = cdlab.iterate(P, method, sampling=drawn, seed=1)
    for k, record in enumerate(run):
        if k == 0 and getattr(method, "first_dual", "given") == "given":  # else w is that of alpha(0)
            starts_at_zero(record, start)
        assert np.isfinite(record.primal)
        assert record.dual <= best + 1e-8 * start  # a certificate is never above the optimum
        assert record.gap >= record.primal - best - 1e-8 * start
        if (record.gap if certified else record.primal - best) <= eps * (start - best):
            assert P.gap(run.w, run.alpha) == pytest.approx(record.gap, abs=1e-13)
            return True
        assert record.passes < passes, (case, (record.primal - best) / (start - best))


def test_every_parameter_has_another_value():
    """A new method or parameter is not green before somebody says with which value it is to be tried."""
    assert without_another_value() == []
    assert set(BLOCKS) == set(samplings.BLOCKS)


def test_every_wrapper_is_public():
    for package in (cdlab.methods, cdlab.methods.wrappers):
        for wrapper in WRAPPERS:
            assert getattr(package, wrapper.__name__, None) is wrapper, f"import {wrapper.__name__} in {package}"
            assert wrapper.__name__ in package.__all__, f"list {wrapper.__name__} in __all__ of {package}"


def tried(method, cases):
    for label, sampling, loss, l1, sparse in cases:
        if label == method and not reaches_the_optimum_or_refuses(label, loss, l1, sparse, sampling) and l1 > 0:
            reaches_the_optimum_or_refuses(label, loss, 0.0, sparse, sampling)  # so many take no l1
    assert method in {label for label, *_ in cases}


@pytest.mark.parametrize("method", METHODS)
def test_each_method_with_each_sampling(method):
    tried(method, PUSHED)


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
def test_pairwise(method):
    tried(method, PAIRED + (OTHERS if method == "sdca" else []))


def test_what_is_paired_meets_every_pair():
    """Each method with each sampling, loss, regulariser and storage, each of these with each other one."""
    for (i, first), (j, second) in combinations(enumerate(SAMPLED), 2):
        assert {(case[i], case[j]) for case in PAIRED + OTHERS} == set(product(first, second))
    assert {case[:2] for case in PUSHED} == set(product(METHODS, SAMPLINGS))
    for side in ("primal", "dual"):  # each smooth loss meets steps of both sides
        assert {loss for label, _, loss, *_ in PUSHED if METHODS[label].side == side} >= set(SMOOTH)


@pytest.mark.full
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("label", RUNS)
def test_all(label, loss):
    for l1, sparse in product(*AXES[2:]):
        reaches_the_optimum_or_refuses(label, loss, l1, sparse)


@pytest.mark.full
@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("method", METHODS)
def test_all_with_every_sampling(method, sampling):
    for loss, l1, sparse in product(*SAMPLED[2:]):
        reaches_the_optimum_or_refuses(method, loss, l1, sparse, sampling)


def test_what_is_refused_is_refused_before_it_compiles(monkeypatch):
    for module, kernel in (
        (sdca, "sdca_epoch"),
        (rcd, "rcd_epoch"),
        (quartz, "quartz_epoch"),
        (quartz, "quartz_averaged_epoch"),
    ):
        monkeypatch.setattr(module, kernel, lambda *_: pytest.fail("compiled a refused combination"))
    for method, refused in (
        (sdca.SDCA(), {"loss": "hinge", "sampling": "importance"}),
        (rcd.RCD(), {"loss": "hinge"}),
        (quartz.Quartz(), {"loss": "hinge"}),
        (quartz.Quartz(averaged_primal=True), {"l2": 0.0}),
    ):
        options = {"sampling": refused.pop("sampling", "uniform")}
        with pytest.raises(ValueError, match="use |take |accept"):
            cdlab.solve(problem(**refused), method, **options)


@each_of("method", sorted(LINEAR_SYSTEMS))
def test_a_first_record_of_a_linear_system_is_the_start(method):
    P = problem("squared", l2=0.0)
    starts_at_zero(next(cdlab.iterate(P, method)), P.primal(np.zeros(P.d)))
