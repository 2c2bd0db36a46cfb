"""A theorem that a user registers stands beside cdlab's: it is found by its sampling or its name, and hides nothing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import sympy as sp

import cdlab
from cdlab import theory
from cdlab.methods import RCD
from cdlab.samplings import SAMPLINGS, Sampling, normalised
from cdlab.theory.registry import forget
from cdlab.theory.symbols import P0, R_col, gamma, l1, l2, n, nnz


@dataclass(frozen=True)
class ByEntries(Sampling):
    """p_j ~ the nonzeros of column j: 0 where it is empty."""

    name: ClassVar[str] = "by_entries"

    def probabilities(self, c):
        return normalised(1.0 * c.counts)


@pytest.fixture(params=["registered", "not registered"])
def by_entries(request, monkeypatch):
    """The sampling by an instance or, if it is registered, by its name."""
    if request.param == "not registered":
        return ByEntries()
    monkeypatch.setitem(SAMPLINGS, "by_entries", ByEntries)
    return "by_entries"


def own(theorem="mine", sampling="by_entries", method="rcd"):
    rate = {"K": nnz * (R_col**2 / (gamma * n) + l2) / l2, "constant": P0, "W": n, "bounded": "P(w)-P*"}
    assumptions = (gamma > 0, l2 > 0, sp.Eq(l1, 0))
    return theory.contraction(
        method, theorem, sampling, **rate, assumptions=assumptions, source="this test", side="primal"
    )


@pytest.fixture
def register():
    yield theory.register
    forget("rcd")
    forget("mine")


@pytest.fixture
def P():
    X, y = cdlab.datasets.make(n=20, d=6, density=0.5, seed=0)
    X = X.toarray() if hasattr(X, "toarray") else np.array(X)
    X[:, 2] = 0
    return cdlab.Problem(X, y, loss="logistic", l2=0.1)


# ------------------------------------------------------------ what is found
@pytest.mark.parametrize("method", ["rcd", RCD()], ids=["name", "instance"])
def test_cdlabs_theorem_stays_the_default(register, method):
    before = [theory.bound(method, sampling=s) for s in (None, "uniform", "importance")]
    register(own(), own("also mine", "uniform"))
    assert [theory.bound(method, sampling=s) for s in (None, "uniform", "importance")] == before


@pytest.mark.parametrize("method", ["rcd", RCD()], ids=["name", "instance"])
def test_ones_own_is_found_by_the_sampling_that_it_is_about_and_by_its_name(register, by_entries, method):
    register(own(), own("also mine", "uniform"))
    assert theory.bound(method, sampling=by_entries).theorem == "mine"
    assert theory.bound(method, theorem="also mine").source == "this test"
    assert theory.bound(method, sampling=by_entries, theorem="smooth").sampling == "given"


def test_a_name_that_would_hide_cdlabs_theorem_is_refused(register):
    with pytest.raises(ValueError, match="has a theorem 'smooth' about rcd with uniform sampling already"):
        register(own("smooth", "uniform"))
    register(own("smooth"))
    assert theory.bound("rcd").source != "this test"


def test_of_a_method_of_ones_own_the_uniform_theorem_is_the_default(register):
    register(own(method="mine"), own(sampling="uniform", method="mine"))
    assert theory.bound("mine").sampling == "uniform"
    assert theory.bound("mine", sampling="by_entries").sampling == "by_entries"


def test_a_refusal_speaks_of_the_sampling_that_was_asked_for(by_entries):
    with pytest.raises(
        ValueError, match="'drawn iterate' does not cover sampling 'by_entries'; there is one for 'uniform'"
    ):
        theory.bound("sdca", sampling=by_entries, theorem="drawn iterate")
    with pytest.raises(ValueError, match="'drawn iterate' does not cover probabilities of your own"):
        theory.bound("sdca", sampling=[0.5, 0.5], theorem="drawn iterate")


def test_a_method_without_theorem_is_told_how_to_state_one():
    with pytest.raises(ValueError, match=r"no bound for 'sdcaa': .*did you mean 'sdca'\?; cdlab.theory.register takes"):
        theory.bound("sdcaa")


def test_advice_keeps_cdlabs_bound_and_hears_of_a_theorem_at_once(register, monkeypatch, P):
    def cited():
        return {c.label: c.bound for c in cdlab.advise(P, eps=1e-2) if c.method == "rcd"}

    monkeypatch.setitem(SAMPLINGS, "by_entries", ByEntries)
    before = cited()
    register(own())
    assert cited() == before | {"rcd@by_entries": "rcd, by_entries: mine (this test)"}


# ------------------------------------------------------------ probabilities of one's own
@pytest.mark.parametrize("method", ["rcd", "sdca", "quartz"])
def test_its_probabilities_are_used_by_the_theorem_for_any(by_entries, method, P):
    assert theory.bound(method, sampling=by_entries).sampling == "given"
    p = ByEntries().probabilities(P.coordinates(cdlab.methods.METHODS[method].side))
    found, expected = (theory.bound(method, sampling=s).for_problem(P) for s in (by_entries, p))
    assert found == expected > 0


def test_an_empty_column_needs_no_probability(P):
    """Its w_j stays 0, where it is best: K is that of the other columns, and so is the run."""
    p = ByEntries().probabilities(P.coordinates("primal"))
    assert p[2] == 0
    rest = np.flatnonzero(p)
    less = cdlab.Problem(P.X[:, rest], P.y, loss="logistic", l2=P.l2)
    for quantity in ("K", "cost per iteration"):
        found = theory.bound("rcd", quantity, p).for_problem(P)
        assert found == pytest.approx(theory.bound("rcd", quantity, p[rest]).for_problem(less), rel=1e-12)
    assert cdlab.solve(P, "rcd", sampling=p, tol=1e-8).status == "tolerance reached"


def test_a_column_with_entries_does(P):
    p = np.array([1.0, 0, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="positive where X has an entry; that of coordinate 1 is 0"):
        theory.bound("rcd", sampling=p).for_problem(P)


def test_where_all_of_X_is_empty_all_do():
    P = cdlab.Problem(np.zeros((4, 3)), np.ones(4), loss="logistic", l2=0.1)
    with pytest.raises(ValueError, match="that of coordinate 0 is 0"):
        theory.bound("sdca", "K", [0.0, 1, 1, 1]).for_problem(P)


def test_a_sampling_that_only_a_theorem_names_is_asked_for(P):
    b = theory.contraction(
        "rcd", "mine", "by_entries", K=theory.SYMBOLS["K"], W=theory.SYMBOLS["W"], constant=P0, bounded="P(w)-P*",
        assumptions=(), source="this test", side="primal",
    )  # fmt: skip
    with pytest.raises(ValueError, match="by_entries sampling is not registered, so its probabilities are not known"):
        b.for_problem(P)
