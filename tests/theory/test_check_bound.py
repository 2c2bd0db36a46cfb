"""The main theorem of each method, by the check that a user calls on an own one, and what else has to be given."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from cases import pushed

from cdlab import testing, theory
from cdlab.losses import SmoothHinge
from cdlab.methods import METHODS, SPDC
from cdlab.samplings import NormsBlocks, TauNice
from cdlab.testing.small import SMALL_PROBLEMS, hard_problems, small_problem
from cdlab.theory import registry
from cdlab.theory.symbols import D0, P0, F, R, R_col, d, gamma, l1, l2, n, nnz, t

pytestmark = pytest.mark.full  # a push checks one theorem, in test_exercises.py

WITHOUT = {"lbfgs", "ssnal", "adasdca_plus"}  # no theorem covers them
MAIN = [name for name in METHODS if name not in WITHOUT]


def main_theorem(method):
    """Of blocks the theorem needs their size."""
    return theory.bound(METHODS[method](batch_size=2) if method.endswith("sdna") else method)


@pytest.mark.parametrize("method", MAIN)
def test_the_main_theorem_keeps_what_a_bound_promises(method):
    """It can be read, refuses in a sentence, and no measured mean exceeds it."""
    b = main_theorem(method)
    share = testing.check_bound(b, problems=[small_problem(*setting) for setting in SMALL_PROBLEMS])
    assert 0 <= share <= 1
    assert share > 0 or b.guarantee is None


ON_HARD = ("rcd", "sdca", "agd")  # the others before a release


@pytest.mark.parametrize("method", pushed(MAIN, *ON_HARD))
def test_it_holds_on_the_hard_problems_too(method):
    b = main_theorem(method)
    assert testing.check_bound(b).ran > 0 or b.guarantee is None


@pytest.mark.parametrize("sampling", ["importance", "norms", "lipschitz"])
def test_so_it_does_under_other_samplings(sampling):
    assert 0 < testing.check_bound(theory.bound("rcd", sampling=sampling)) <= 1


def test_a_name_stands_for_the_main_theorem():
    problems = [small_problem(*SMALL_PROBLEMS[0])]
    by_name = testing.check_bound("rcd", sampling="norms", problems=problems)
    assert by_name == testing.check_bound(theory.bound("rcd", sampling="norms"), problems=problems)
    with pytest.raises(TypeError, match=r"takes a bound, such as cdlab\.theory\.bound\('gd'\), not 5"):
        testing.check_bound(5)


def test_lemmas_are_read_and_not_run():
    assert testing.check_bound(theory.lemmas()[0]) == 0


# ------------------------------------------------------------ theorems that a problem alone gives no number
def stated(method, theorem, sampling):
    (found,) = (b for b in registry.theorems_of(method) if (b.theorem, b.sampling) == (theorem, sampling))
    return found


NEEDY = {  # what is asked for, and what answers it
    "a number": (stated("spdc", "perturbed loss, delta given", "uniform"), "delta (.*): pass delta=", {"delta": 0.01}),
    "probabilities": (stated("rcd", "smooth", "given"), "pass the array itself", {"sampling": np.arange(1, 9) / 36}),
    "blocks": (stated("rcd", "smooth", "tau_nice"), "pass an instance", {"sampling": TauNice(3)}),
    "a lemma's number": (stated("appa", "lemma 3.1", "any"), "pass prox_weight=", {"prox_weight": 0.1}),
}


@pytest.mark.parametrize("what", NEEDY)
def test_what_no_problem_tells_is_asked_for_and_taken(what):
    b, question, answer = NEEDY[what]
    with pytest.raises(AssertionError, match=f"check_bound needs more information: .*{question}"):
        testing.check_bound(b)
    share = testing.check_bound(b, passes=10, **answer)
    assert 0 < share <= 1 or b.guarantee is None


def test_probabilities_that_the_bound_was_asked_about_are_those_of_the_runs():
    p = np.arange(1, 9) / 36
    found = [
        testing.check_bound(theory.bound("rcd", sampling=p), passes=10),
        testing.check_bound(stated("rcd", "smooth", "given"), sampling=p, passes=10),
    ]
    assert found[0] == found[1] > 0


def test_blocks_of_a_sampling_that_no_name_stands_for_are_passed():
    b = stated("spdc", "distance", "norms_blocks")
    words = (
        r"no sampling is registered by the name 'norms_blocks': pass .*sampling=cdlab\.samplings\.NormsBlocks\(tau=8\)"
    )
    with pytest.raises(AssertionError, match=words):
        testing.check_bound(b)
    found = [
        testing.check_bound(b, sampling=NormsBlocks(3), passes=10),
        testing.check_bound(b, SPDC(batch_size=3), "norms", passes=10),
        testing.check_bound(theory.bound("spdc", sampling=NormsBlocks(3)), passes=10),
    ]
    assert found[0] == found[1] == found[2] > 0


def test_a_sampling_that_is_not_registered_is_passed():
    with pytest.raises(AssertionError, match=r"registered by the name 'mine': pass .* sampling=MySampling\(\)\)"):
        testing.check_bound(of_rcd("mine"))


def test_a_bound_on_updates_alone_is_compared_with_these():
    """Greedy's search is not in its ideal cost; beside all that it visits the bound would seem refuted."""
    ideal = stated("greedy", "gsl, ideal cost", "none")
    assert 0 < testing.check_bound(ideal, passes=200) <= 1
    too_good = replace(ideal, guarantee=ideal.guarantee.subs(t, 10 * t))
    for false, sentence in ((replace(ideal, column="passes"), "W is .* too few"), (too_good, "and the bound promises")):
        with pytest.raises(AssertionError, match=sentence):
            testing.check_bound(false, passes=200)


def test_where_all_problems_are_refused_each_says_why():
    sentence = r"refuses every problem: logistic .* \(l2 = 0 fails\), squared .* \(L < infinity fails\).*problems="
    with pytest.raises(AssertionError, match=sentence):
        testing.check_bound(theory.bound("sgd", theorem="root steps"))


def test_a_misspelt_number_is_named():
    with pytest.raises(ValueError, match="unknown keyword 'detla'"):
        testing.check_bound(theory.bound("rcd"), detla=0.1)


# ------------------------------------------------------------ false theorems
COORDINATES = {"assumptions": (gamma > 0, l2 > 0, sp.Eq(l1, 0)), "source": "mine", "side": "primal", "W": nnz / d}
EXAMPLES = {"assumptions": (gamma > 0, l2 > 0), "source": "mine", "side": "dual", "W": nnz / n}
K_RCD, K_SDCA = d * (1 + R_col**2 / (gamma * l2 * n)), n + R**2 / (gamma * l2)


def of_rcd(sampling="uniform", **changed):
    right = {"K": K_RCD, "constant": P0, "bounded": "P(w)-P*"} | COORDINATES
    return theory.contraction("rcd", "mine", sampling, **right | changed)


def of_greedy(**changed):
    searched = {"K": K_RCD, "constant": P0, "bounded": "P(w)-P*", **COORDINATES, "W": nnz / 2 + n}
    return theory.contraction("greedy", "mine", "none", **searched | changed)


def of_sdca(K):
    return theory.contraction("sdca", "mine", K=K, constant=D0 * K, bounded="P-D", **EXAMPLES)


def test_the_true_theorems_pass_and_say_what_that_means():
    found = testing.check_bound(of_rcd(), passes=20)
    assert 0.5 < found <= 1
    assert str(found).startswith(f"not refuted on {found.ran} of 10 small problems")
    assert "is not a proof" in str(found)
    assert str(testing.check_bound(theory.lemmas()[0])) == "nothing was run: only the formula was checked"


TOO_GOOD = {
    "without d": of_rcd(K=K_RCD / d + 1),
    "a fifth": of_rcd(K=K_RCD / 5),
    "a third": of_rcd(K=K_RCD / 3),
    "the curvature inverted": of_rcd(K=d * (1 + R_col**2 * gamma / (l2 * n))),
    "the mean column": of_rcd(K=d * (1 + F / d / (gamma * l2 * n))),
    "sdca's, a fifth": of_sdca(K_SDCA / 5),
    "sdca's, the curvature inverted": of_sdca(n + R**2 * gamma / l2),
    "sdca's without l2": of_sdca(n + R**2 / gamma),
    "sdca's, the mean row": of_sdca(n + F / n / (gamma * l2)),
}


@pytest.mark.parametrize("what", pushed(TOO_GOOD, "without d", "the curvature inverted", "sdca's, the mean row"))
def test_a_rate_that_is_too_good_is_refuted(what):
    with pytest.raises(AssertionError, match=r"after .* passes .* and the bound promises"):
        testing.check_bound(TOO_GOOD[what])


def test_the_hard_problems_are_what_they_are_said_to_be():
    lightest, heavy, wide, curved, labels, apart = hard_problems()
    assert lightest.l2 < 0.02 * lightest.R**2
    assert heavy.row_profile.norms2.max() > 20 * np.median(heavy.row_profile.norms2)
    assert wide.d > wide.n
    assert isinstance(curved.loss, SmoothHinge)
    assert curved.loss.gamma < 1
    assert set(labels.y) == {-1, 1}
    assert (apart.X == np.eye(8)).all()


@pytest.mark.parametrize(
    ("b", "options", "words"),
    [
        (of_rcd(K=K_RCD / 50), {}, "K is 0.*, and a contraction by 1 - 1/K needs K >= 1"),
        (of_rcd(side="dual"), {}, "its side is 'dual', and rcd's coordinates are those of side='primal'"),
        (of_rcd(), {"method": "sdca"}, "it is about rcd, and the method to run is sdca"),
        (
            of_greedy(assumptions=(gamma > 0, l2 > 0)),
            {},
            "l1 = 0.02: it promises something, but .*: add the assumption",
        ),
        (of_rcd(assumptions=(sp.Eq(gamma, 0),)), {}, "takes no problem that it covers"),
        (of_rcd("none"), {}, "about 'none' sampling, and rcd draws coordinates"),
        (
            of_rcd(),
            {"sampling": "norms"},
            "it is about uniform sampling, and the runs were to draw by sampling 'norms'",
        ),
        (of_rcd(parameters=(("tau", 3),)), {}, "tau=3, which is not a parameter of rcd"),
        (
            of_rcd(parameters=(("batch_size", 2),)),
            {"method": METHODS["rcd"]()},
            "with batch_size=2, and this",
        ),
        (of_rcd(K=sp.Symbol("n")), {}, "its symbol n is another than cdlab's: take it from"),
    ],
)
def test_what_is_not_the_bounds_is_named(b, options, words):
    with pytest.raises(AssertionError, match=words):
        testing.check_bound(b, **options)
