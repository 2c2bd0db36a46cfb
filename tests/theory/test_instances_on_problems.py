"""Bounds of instances on problems: none where the method refuses, none by false constants; runs obey the others."""

from itertools import product

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab import theory
from cdlab.advice.bounds import bound_behind
from cdlab.advice.candidates import Candidate
from cdlab.methods import APCG, APPA, METHODS, SAGA, SPDC, Quartz
from cdlab.theory import registry


@each_of("name", METHODS)
def test_no_theorem_gives_a_number_on_a_problem_that_the_method_refuses(name):
    """Statements up to constants compare methods as the papers do, also where this one would not run."""
    instance, judged = METHODS[name](), 0
    theorems = dict.fromkeys(b.theorem for b in registry.theorems_of(name) if b.counts and b.kind == "theorem")
    for loss, l2, l1 in product(("squared", "logistic", "hinge"), (0.0, 0.1), (0.0, 0.05)):
        P = problem(loss, n=20, d=6, seed=3, density=1.0, l2=l2, l1=l1)
        if instance.refusal(P, cdlab.samplings.Uniform()) is None:
            continue
        judged += 1
        for theorem in theorems:
            with pytest.raises(ValueError, match="needs|covers|is about"):
                theory.bound(instance, theorem=theorem).for_problem(P)
    assert judged > 0 or name == "spdc"  # which refuses none of these


def test_advice_says_that_another_bound_stands_in():
    P = problem("logistic", n=20, d=6, seed=3, density=1.0, l2=0.1)
    covered = bound_behind(P, Candidate(SAGA(step=10), cdlab.samplings.Uniform()), 1e-6, None)
    assert covered.outside.startswith("no theorem covers saga with step=10.0; saga's theorem 'smooth'")
    assert covered.outside.endswith("stands in")
    assert bound_behind(P, Candidate(SAGA(), cdlab.samplings.Uniform()), 1e-6, None).outside == ""


# ------------------------------------------------------------ what is left free
@pytest.mark.parametrize("method", [Quartz(step="local"), APCG(smoothness="uniform")], ids=lambda m: m.label)
def test_runs_obey_the_bound_whatever_a_free_parameter_is(method):
    P = problem("logistic", n=20, d=6, seed=3, density=1.0, l2=0.2)
    best = cdlab.solve(P, tol=1e-13, max_passes=5000)
    bound = theory.bound(method)
    seen = {"P-D": lambda r: r.gap, "D*-D": lambda r: best.trace.records[-1].dual + best.gap - r.dual}[bound.bounded]
    rows = []
    for seed in range(20):
        trace = cdlab.solve(P, method, tol=0, max_passes=40, seed=seed).trace
        rows.append([seen(r) for r in trace.records])
        passes = trace.column("passes")
    curve = np.asarray(bound.curve(P, passes))
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    assert curve[-1] < 0.1 * curve[0]
    assert (mean - 3 * error <= curve)[1:].all()


def test_delta_changes_no_run_where_nothing_is_perturbed():
    P = problem("logistic", n=20, d=6, seed=3, density=1.0, l2=0.02)
    traces = [cdlab.solve(P, SPDC(delta=delta), tol=0, max_passes=5).trace for delta in ("auto", 0.5, None)]
    for trace in traces[1:]:
        assert trace.column("primal").tolist() == traces[0].column("primal").tolist()


# ------------------------------------------------------------ false constants
def test_a_false_convexity_promises_nothing():
    P = problem("squared", n=20, d=6, seed=3, density=1.0, l2=0.0)
    L_f = np.linalg.norm(P.X, 2) ** 2 / P.n
    assert theory.bound("appa").for_problem(P, mu=0.99 * L_f) > 0
    for bound, keywords in ((theory.bound("appa"), {"mu": 1.01 * L_f}), (theory.bound(APPA(mu=1.01 * L_f)), {})):
        with pytest.raises(ValueError, match="P is not that strongly convex"):
            bound.for_problem(P, **keywords)
        with pytest.raises(ValueError, match="P is not that strongly convex"):
            bound.curve(P, [0, 1], **keywords)
    for method in ("acc_cd", "acc_kaczmarz"):
        with pytest.raises(ValueError, match="smallest positive eigenvalue"):
            theory.bound(METHODS[method](mu=5.0)).for_problem(P)
