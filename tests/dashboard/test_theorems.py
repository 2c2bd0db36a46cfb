import re
from itertools import product

import numpy as np
import pytest
from cases import each_of

from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.choices import Contestant
from cdlab.dashboard.engine.theorems import best_theorem, factors_in_max, plainly, relative
from cdlab.methods import METHODS, Averaged, resolve
from cdlab.methods.apcg import APCG
from cdlab.methods.quartz import Quartz
from cdlab.methods.saga import SAGA
from cdlab.methods.sdca import SDCA
from cdlab.samplings import SAMPLINGS
from cdlab.samplings import resolve as sampling
from cdlab.theory import bound
from cdlab.theory.registry import WITHOUT_THEOREM

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def problem(**choices):
    small = {"n": 60, "d": 20, "density": 0.4, "loss": "smooth_hinge", "scale": "mean", "skew": 1.0}
    return Choices(**small | choices).problem()


def found(P, method, name):
    """The theorem about a method with a sampling on a problem."""
    method = resolve(method) if isinstance(method, str) else method
    return best_theorem(P, Contestant(method.name, method.name, method, sampling(name)), 1e-6)


def why_not(P, method, name):
    """Why there is none; empty if there is one."""
    try:
        found(P, method, name)
    except ValueError as why:
        return str(why)
    return ""


def says_why(reason, method, name):
    """What no theorem covers, what the theorem about the method needs and what is here instead, or what it is about."""
    if method in WITHOUT_THEOREM:
        return reason == f"no theorem here covers {method}: {WITHOUT_THEOREM[method]}"
    draws = resolve(method).draws(sampling(name)) is not None
    if draws and not sampling(name).has_theorem:
        return reason == f"no theorem here covers {method} with {name} sampling: they are about independent draws"
    about = re.fullmatch(
        r"the theorem about (\w+)( with \w+ sampling)? (needs [^,]+|bounds .+, not the "
        r"(gap|P\(w\) - P\* of the last point) that is measured here|is for losses of one prediction, and this problem "
        r"has \d+ classes|needs .+, which does not follow from the problem.*)",
        reason,
    )
    return bool(about and about[1] in (method, "sdca")) or reason.startswith(  # some fall back to sdca
        (f"no theorem here covers {method} with {name} sampling", f"no theorem says how long {method} takes; what is")
    )


@pytest.mark.parametrize(
    "choices",
    [{}, {"loss": "hinge"}, {"loss": "squared", "l2": 0.0}, {"l1": 0.1}, {"l1": 0.1, "l2": 0.0}, {"loss": "softmax"}],
    ids=str,
)
def test_a_method_has_a_theorem_that_fits_or_a_reason(choices):
    P = problem(**choices)
    for method, name in product(METHODS, SAMPLINGS):
        why = why_not(P, method, name)
        if P.l2 == 0 and P.l1 > 0:
            assert why == "without λ no theorem here is about the gap"
        elif why:
            assert says_why(why, method, name)
        else:
            assert 0 <= found(P, method, name).passes < np.inf


@each_of("method", ["gd", "agd", "fista", "greedy"])
def test_an_order_of_coordinates_is_nothing_to_a_method_that_draws_none(method):
    P = problem()
    assert found(P, method, "cyclic").passes == found(P, method, "importance").passes


def test_parameters_of_a_method_choose_its_theorem():
    P = problem()
    passes = [found(P, Quartz(batch_size=m), "uniform").passes for m in (1, 4)]
    assert passes[0] < passes[1]  # larger batches cost passes
    assert found(P, Quartz(batch_size=4), "uniform").bound.sampling == "tau_nice"


@each_of("method", [SAGA(step=10), APCG(convexity=1), Averaged(SDCA(), "all")])
def test_nothing_is_promised_of_parameters_that_no_theorem_speaks_of(method):
    assert why_not(problem(l2=0.1), method, "uniform").startswith(f"no theorem here covers {method.name} with ")


def test_with_a_kink_sdca_has_a_theorem_on_its_last_point_and_sgd_one_on_averages():
    assert found(problem(loss="hinge"), "sdca", "uniform").last_point
    assert "of the average of all iterates, not the gap" in why_not(problem(loss="hinge"), "sgd", "uniform")


def test_without_a_regulariser_theorems_on_the_primal_side_stand_as_they_are():
    P = problem(loss="squared", l2=0.0, n=60, d=20)
    assert found(P, "agd", "uniform").bound.bounded == "P(w)-P*"
    assert "needs λ > 0" in why_not(problem(loss="logistic", l2=0.0), "agd", "uniform")


@each_of("method", ["spdc", "asdca", "saga", "sag", "svrg", "sdna", "accprox_sdca", "appa", "dual_appa"])
def test_the_papers_methods_have_a_curve(method):
    assert found(problem(l2=2.0, n=40), method, "uniform").last_point


@each_of(
    "choices, method, name, why",
    [
        ({"loss": "hinge"}, "rcd", "uniform", "needs γ > 0"),
        ({"l1": 0.1}, "greedy", "uniform", "needs l1 = 0"),
        ({"loss": "hinge"}, "sdca", "importance", "gamma"),
        ({}, "sdca", "cyclic", "no theorem here covers sdca with cyclic sampling: they are about independent draws"),
        ({}, "lbfgs", "uniform", "no known rate"),
        ({}, "adasdca", "uniform", "one step"),
        ({"loss": "softmax"}, "rcd", "uniform", "classes"),
        ({"intercept": True}, "saga", "uniform", "this problem has an intercept"),
    ],
)
def test_without_a_theorem_there_is_a_reason(choices, method, name, why):
    assert why in why_not(problem(**choices), method, name)


@pytest.mark.parametrize("choices", [{"l2": 0.0}, {"loss": "hinge"}, {"l1": 0.1}, {"loss": "softmax"}], ids=str)
def test_a_reason_is_for_readers_who_type_no_python(choices):
    for method, name in product(METHODS, ("uniform", "cyclic")):
        why = plainly(why_not(problem(**choices), method, name))
        assert not [code for code in ("bound(", "=...", "theorem '", "sampling=", "none sampling", "..") if code in why]
        assert not re.search(r"\b(alpha|gamma|delta|eps|mu|infinity|l2)\b|\d\*|[|][|]|\^2", why)


def test_a_formula_has_the_value_of_its_theorem():
    shown = [relative(bound(each, "passes")) for each in METHODS if each not in WITHOUT_THEOREM]
    changed = [expr for expr in shown if factors_in_max(expr) != expr]
    assert len(changed) > 1
    for expr in changed:
        values = {symbol: 1.5 + 0.37 * k for k, symbol in enumerate(sorted(expr.free_symbols, key=str))}
        assert float(factors_in_max(expr).subs(values)) == pytest.approx(float(expr.subs(values)), rel=1e-12)
