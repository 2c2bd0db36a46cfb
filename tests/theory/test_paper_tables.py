"""The papers' tables, and what earlier analyses in them need."""

import numpy as np
import pytest
import sympy as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.losses import LOSSES
from cdlab.theory.constants import conjugate_curvature
from cdlab.theory.symbols import l2, m, n
from cdlab.theory.tables import dominant_term


def test_the_tables_of_unregularising_have_all_rows_and_columns():
    table, systems = theory.table("appa 1"), theory.table("appa 1 least squares")
    assert table.columns == ("arithmetic", "problem")
    problems = {label: cells[1] for label, cells in table.rows}
    assert {name for name, of in problems.items() if of == "P with l2 > 0"} == {"sdca", "accprox_sdca", "apcg"}
    for label, (expr, _) in table.rows:  # which condition number it counts by
        assert (l2 in expr.free_symbols) == (problems[label] == "P with l2 > 0")
    labels = [label for label, _ in systems.rows]
    assert "randomized Kaczmarz (consistent)" in labels
    assert "this work: accelerated APPA" in labels
    numbers = {"n": 50, "nnz": 300, "R": 2.0, "gamma": 1.0, "l2": 0.1, "mu": 0.1, "P0": 0.5, "eps": 1e-3}
    frame = table.at(**numbers)
    assert frame["problem"].tolist() == list(problems.values())
    assert (frame["arithmetic"] > 0).all()
    assert r"\text{P with l2 > 0}" in table.latex()


def flattens(loss):
    """Whether phi'' becomes small and never 0: then phi*, whose curvature is 1/phi'', has no smoothness."""
    if cdlab.losses.is_vector(loss):
        return True
    slopes = np.diff([loss.grad_phi(u, 1.0) for u in np.arange(-12, 12, 0.01) + 0.003]) / 0.01
    return bool(((slopes > 1e-6) & (slopes < 1e-3)).any())


@pytest.mark.parametrize("theorem", ["earlier analyses", "earlier analyses, linear"])
def test_earlier_analyses_need_a_smooth_dual(theorem):
    """phi* curves without bound where it is an entropy: of logistic and softmax the slope has no limit at the end."""
    bound = theory.bound("sdca", theorem=theorem)
    for loss in LOSSES:
        y = np.arange(30) % (3 if loss == "softmax" else 2)
        P = cdlab.Problem(np.random.default_rng(0).standard_normal((30, 4)), y, loss=loss, l2=0.1)
        if flattens(P.loss):
            with pytest.raises(ValueError, match="dual_curvature < infinity|classes"):
                bound.for_problem(P, nu_linear=0.1)
        else:
            assert 0 < bound.for_problem(P, nu_linear=0.1, P0=0.5) < np.inf, loss


def test_the_conjugate_of_a_smooth_loss_curves_at_least_by_gamma():
    assert {loss for loss in LOSSES if flattens(cdlab.losses.resolve(loss))} >= {"logistic", "softmax"}
    for loss in LOSSES:
        made = cdlab.losses.resolve(loss)
        assert conjugate_curvature(made) >= made.gamma * (1 - 1e-9), loss
        assert np.isfinite(conjugate_curvature(made)) != flattens(made), loss
    for loss in (cdlab.losses.SmoothHinge(0.3), cdlab.losses.Huber(0.3)):
        assert conjugate_curvature(loss) == pytest.approx(0.3)


def test_table_of_iterations_and_examples_of_the_mini_batch_paper():
    iterations = {"SDCA": (n, m * n, n), "ASDCA": (n / sp.sqrt(m), n, n / m),
                  "AGD": (sp.sqrt(n), sp.sqrt(n * m), sp.sqrt(n / m))}  # fmt: skip
    batch = {"SDCA": 1, "ASDCA": m, "AGD": n}
    for name, factor in (("asdca 1", {}), ("asdca 2", batch)):
        for method, cells in theory.table(name).rows:
            for found, expected in zip(cells, iterations[method], strict=True):
                assert sp.simplify(found / (expected * factor.get(method, 1))) == 1


def test_order_refuses_terms_of_which_none_dominates():
    with pytest.raises(ValueError, match="no term"):
        dominant_term(m + n / m, sp.S.One)


def test_the_face_off_table_is_what_faceoff_computes():
    X, y = cdlab.datasets.make(n=30, d=12, density=0.4, seed=1)  # no empty row or column
    P = cdlab.Problem(X, y, l2=0.02)
    f = cdlab.faceoff(P)
    frame = theory.table("face-off").for_problem(P)
    for side, letter in (("primal", "P"), ("dual", "D")):
        for sampling, work in (("importance", f), ("uniform", f.uniform)):
            row = frame.loc[f"{side}, {sampling}"]
            expected = [getattr(work, f"{quantity}_{letter}") for quantity in "KWT"]
            assert row.to_numpy() == pytest.approx(expected, rel=1e-12)


@each_of("name", theory.table())
def test_every_table_is_typeset_and_evaluable(name):
    t = theory.table(name)
    assert t.source
    assert t.latex().count(r"\begin{array}") == t.latex().count(r"\end{array}") == 1
    assert str(t).splitlines()[0].startswith(t.title)
    assert all(len(cells) == len(t.columns) for _, cells in t.rows)
    X, y = cdlab.datasets.make(n=30, d=12, density=0.4, seed=0)
    with pytest.raises(ValueError, match="needs"):
        t.at()
    frame = t.for_problem(cdlab.Problem(X, y, l2=0.02), mu=0.02, nodes=4, unit=1.0, omega=2.4)
    assert frame.shape == (len(t.rows), len(t.columns))
    assert (frame.select_dtypes("number").fillna(1.0) >= 0).all(axis=None)
    words = [cell for _, cells in t.rows for cell in cells if isinstance(cell, str)]
    assert sum(frame[column].dtype.kind not in "fi" for column in frame) == len(words) / len(t.rows)


def test_unknown_table():
    with pytest.raises(ValueError, match="there is no table 'spdc 9'; there are face-off"):
        theory.table("spdc 9")
