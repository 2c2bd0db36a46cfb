import re
from itertools import product

import numpy as np
import pytest
from cases import each_of

from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.theorem_for import theorem_for
from cdlab.methods import METHODS, Averaged, resolve
from cdlab.methods.apcg import APCG
from cdlab.methods.quartz import Quartz
from cdlab.methods.saga import SAGA
from cdlab.methods.sdca import SDCA
from cdlab.methods.spdc import SPDC
from cdlab.samplings import SAMPLINGS
from cdlab.samplings import resolve as sampling
from cdlab.theory.registry import WITHOUT_THEOREM

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def problem(**choices):
    small = {"n": 60, "d": 20, "density": 0.4, "loss": "smooth_hinge", "scale": "mean", "skew": 1.0}
    return Choices(**small | choices).problem()


def says_why(reason, method, name):
    """What no theorem covers, or what the theorem about the method needs and what is here instead."""
    if method in WITHOUT_THEOREM:
        return reason == f"no theorem covers {method}: {WITHOUT_THEOREM[method]}"
    draws = resolve(method).draws(sampling(name)) is not None
    if draws and not sampling(name).has_theorem:
        return reason == f"no theorem covers {method} with {name} sampling: its coordinates are not drawn independently"
    here = (
        r"the theorem about (\w+) (needs .+, and here .+ = .+|needs .+, which is not known here|is for losses of one "
    )
    here += r"prediction, and here there are \d+ classes)"
    about = re.fullmatch(here, reason)
    return bool(about and about[1] == method) or reason.startswith(
        (f"no theorem covers {method} with {name} sampling", f"no theorem says how long {method} takes; what is known")
    )


@pytest.mark.parametrize(
    "choices",
    [{}, {"loss": "hinge"}, {"loss": "squared", "l2": 0.0}, {"l1": 0.1}, {"l1": 0.1, "l2": 0.0}, {"loss": "softmax"}],
    ids=str,
)
def test_a_method_has_a_theorem_that_fits_or_a_reason(choices):
    P = problem(**choices)
    for method, name in product(METHODS, SAMPLINGS):
        try:
            bound = theorem_for(P, method, name)
        except ValueError as reason:
            assert says_why(str(reason), method, name)  # noqa: PT017
            continue
        assert 0 <= bound.for_problem(P) < np.inf


@each_of("method", ["gd", "agd", "fista", "greedy"])
def test_an_order_of_coordinates_is_nothing_to_a_method_that_draws_none(method):
    P = problem()
    assert theorem_for(P, method, "cyclic") == theorem_for(P, method, "importance")


def test_what_a_race_shows_comes_before_distances():
    assert theorem_for(problem(), "spdc", "uniform").bounded == "P(w)-P*"
    assert theorem_for(problem(l1=0.1), "spdc", "uniform").bounded == "|w-w*|^2"  # there is no other


def test_parameters_of_a_method_choose_its_theorem():
    P = problem()
    assert theorem_for(P, Quartz(averaged_primal=True), "uniform").theorem == "averaged"
    assert theorem_for(P, Quartz(), "uniform").theorem == "plain"
    passes = [theorem_for(P, SPDC(batch_size=m), "uniform").for_problem(P) for m in (1, 4)]
    assert passes[0] < passes[1]  # larger batches cost passes
    assert theorem_for(P, Quartz(batch_size=4), "uniform").sampling == "tau_nice"


@each_of("method", [SAGA(step=10), APCG(convexity=1), Averaged(SDCA(), "all")])
def test_nothing_is_promised_of_parameters_that_no_theorem_speaks_of(method):
    with pytest.raises(ValueError, match=f"^no theorem covers {method.name} with "):
        theorem_for(problem(l2=0.1), method, "uniform")


def test_no_theorem_of_other_parameters_speaks_of_a_method():
    with pytest.raises(ValueError, match="the theorem about svrg"):  # the averaged stages would fit
        theorem_for(problem(l2=0.1), "svrg", "uniform")


def test_a_kink_leads_to_the_theorem_on_the_last_iterate():
    P = problem(loss="hinge")
    bound = theorem_for(P, "sdca", "uniform")
    assert (bound.theorem, bound.bounded) == ("lipschitz dual", "D*-D")


def test_what_a_method_falls_back_to_speaks_for_it():
    well, ill = problem(l2=10.0), problem(l2=1e-3)
    assert theorem_for(well, "accprox_sdca", "uniform").method == "sdca"
    assert theorem_for(ill, "accprox_sdca", "uniform").method == "accprox_sdca"


@each_of(
    "choices, method, name, why",
    [
        ({"loss": "hinge"}, "rcd", "uniform", "gamma"),
        ({"l1": 0.1}, "greedy", "uniform", "l1 = 0"),
        ({"loss": "hinge"}, "sdca", "norms", "gamma"),
        ({}, "sdca", "cyclic", "no theorem covers sdca with cyclic sampling"),
        ({}, "lbfgs", "uniform", "no known rate"),
        ({}, "adasdca", "uniform", "one step"),
        ({"loss": "softmax"}, "rcd", "uniform", "classes"),
    ],
)
def test_without_a_theorem_there_is_a_reason(choices, method, name, why):
    with pytest.raises(ValueError, match=why):
        theorem_for(problem(**choices), resolve(method), name)


def why_not(P, method, name):
    try:
        theorem_for(P, method, name)
    except ValueError as why:
        return str(why)
    return ""


@pytest.mark.parametrize("choices", [{"l2": 0.0}, {"loss": "hinge"}, {"l1": 0.1}, {"loss": "softmax"}], ids=str)
def test_a_reason_is_for_readers_who_type_no_python(choices):
    for method, name in product(METHODS, ("uniform", "cyclic")):
        why = why_not(problem(**choices), method, name)
        assert not [code for code in ("bound(", "=...", "theorem '", "sampling=", "none sampling", "..") if code in why]


def test_what_nothing_gives_on_a_problem_is_named_with_its_meaning():
    P = problem(loss="logistic", l2=0.0)
    assert why_not(P, "appa", "uniform") == (
        "the theorem about appa needs mu (strong convexity of P, with l2 or without), which is not known here"
    )
    fista = why_not(P, "fista", "uniform")  # its theorem for convex P would fit
    assert fista.startswith("the theorem about fista needs l2 > 0, and here l2 = 0; another one needs w2 (")
