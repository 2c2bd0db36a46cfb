"""The smallest guarantee at each point: a minimum of theorems about one quantity, and their names."""

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab import theory
from cdlab.methods import Quartz
from cdlab.plots import guarantee

PASSES = np.linspace(0, 300, 61)


@each_of(
    "method, sampling, bounded",
    [("sdca", "uniform", "P-D"), ("rcd", "importance", "P-D"), ("rcd", None, "P(w)-P*"), ("sdca", "norms", "D*-D")],
)
def test_it_is_the_smallest_of_the_method_s_bounds_on_that_quantity(method, sampling, bounded):
    P = problem("squared", l2=0.02, n=16, d=6)
    best = theory.sharpest(method, sampling, bounded)
    curve = best.curve(P, PASSES)
    covering = [
        b for b in best.bounds if b.theorem not in ("lipschitz dual", "last point")
    ]  # the squared loss is not Lipschitz
    each = np.array([b.curve(P, PASSES).values for b in covering])
    assert {b.bounded for b in best.bounds} == {bounded}
    np.testing.assert_array_equal(curve.values, each.min(axis=0))
    assert best.for_problem(P) == min(b.for_problem(P) for b in covering)
    names = [b.theorem for b in covering]
    for (name, start), (_, end) in zip(curve.parts, (*curve.parts[1:], ("", np.inf)), strict=True):
        there = (start <= PASSES) & (PASSES < end)
        np.testing.assert_array_equal(curve.values[there], each[names.index(name)][there])
    assert names[0] == theory.bound(method, "passes", sampling).theorem or bounded == "D*-D"


def test_the_halved_rate_wins_in_the_end_and_pays_for_it_at_the_start():
    P = problem("logistic", l2=0.001, n=16, d=6)
    found = theory.sharpest("rcd", bounded="P(w)-P*").curve(P, np.linspace(0, 20_000, 500))
    assert [name for name, _ in found.parts] == ["smooth", "halved"]


def test_of_theorems_that_do_not_cover_the_problem_nothing_is_said():
    names = [name for name, _ in theory.sharpest("sdca").curve(problem("logistic", l2=0.02), PASSES).parts]
    assert not {"spectral", "worst case"} & set(names)
    with pytest.raises(theory.Uncovered, match="gamma > 0"):
        theory.sharpest("rcd").curve(problem("hinge", l2=0.1), PASSES)


def test_averages_and_other_points_are_left_out():
    assert [b.theorem for b in theory.sharpest(Quartz(averaged_primal=True)).bounds] == ["averaged"]
    assert "lipschitz" not in {b.theorem for b in theory.sharpest("sdca", bounded="D*-D").bounds}
    assert {b.theorem for b in theory.sharpest("spdc", bounded="P(w)-P*").bounds} >= {"suboptimality"}
    with pytest.raises(ValueError, match="no theorem about sgd .* bounds P-D"):
        theory.sharpest("sgd")


def test_an_unknown_quantity_is_refused():
    with pytest.raises(ValueError, match=r"bounded must be 'P\(w\)-P\*'"):
        theory.sharpest("sdca", bounded="gap")


def test_a_mean_of_runs_stays_below_it():
    P = problem("squared", l2=0.05, n=16, d=6)
    for method in ("sdca", "rcd"):
        gaps = []
        for seed in range(20):
            run = cdlab.iterate(P, method, seed=seed)
            gaps.append([next(run).gap for _ in range(40)])
        found = theory.sharpest(method).curve(P, np.arange(40.0))
        error = np.std(gaps, axis=0, ddof=1) / np.sqrt(20)
        assert (np.mean(gaps, axis=0) - 3 * error <= found.values * (1 + 1e-9)).all()


def test_a_picture_has_the_names_of_the_theorems():
    P = problem("logistic", l2=0.001, n=16, d=6)
    drawn = guarantee(theory.sharpest("rcd", bounded="P(w)-P*"), P, 20_000)
    assert drawn.names.startswith("smooth; halved from ")
    assert guarantee(theory.bound("gd"), P, 10).names == "strongly convex"
