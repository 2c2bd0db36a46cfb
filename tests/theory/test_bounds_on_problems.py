"""Which theorem answers, and with which numbers: parameters, samplings, what is undefined or not given."""

import numpy as np
import pytest
import sympy as sp
from cases import each_of
from problems import problem

import cdlab
from cdlab import samplings, theory
from cdlab.methods import ASDCA, METHODS, SPDC, Quartz, resolve
from cdlab.theory import registry
from cdlab.theory.evaluate import evaluate, first_failed, in_kappa
from cdlab.theory.symbols import R, delta, gamma, kappa, l2, m, n

EPS = 1e-4
WITH_BOUNDS = [name for name in METHODS if list(registry.theorems_of(name))]


def can_be_made(b):
    """Whether the theorem's parameters are values, and not words for them."""
    return not any(isinstance(value, str) and " " in value for _, value in b.parameters)


@each_of("cls", [SPDC, ASDCA, Quartz])
@each_of("size", [2, 8])
def test_a_batch_size_is_the_theorem_s_m(cls, size):
    """An instance with a batch size, and the sampling of batches of that size, are the same run."""
    P, name = problem(), cls.name
    own = theory.bound(cls(batch_size=size), sampling=samplings.TauNice(size)).for_problem(P, EPS)
    assert own == pytest.approx(theory.bound(name, sampling=samplings.TauNice(size)).for_problem(P, EPS))
    assert own != pytest.approx(theory.bound(name).for_problem(P, EPS))


@pytest.mark.parametrize("cls", [SPDC, ASDCA])
def test_a_batch_size_needs_no_sampling_to_be_heard(cls):
    P = problem()
    alone = theory.bound(cls(batch_size=8)).for_problem(P, EPS)
    assert alone == pytest.approx(theory.bound(cls.name).for_problem(P, EPS, m=8))
    assert alone != pytest.approx(theory.bound(cls.name).for_problem(P, EPS))


@pytest.mark.parametrize("method", ["sag", "svrg"])
def test_a_theorem_without_batches_does_not_cover_them(method):
    with pytest.raises(ValueError, match="does not cover sampling 'tau_nice'; there is one for 'uniform'"):
        theory.bound(method, sampling=samplings.TauNice(2))


@each_of("method, answers", [("quartz", "tau_nice"), ("rcd", "tau_nice"), ("spdc", "uniform")])
def test_batches_are_answered_by_the_theorem_about_them_or_by_one_for_batches_of_any_size(method, answers):
    assert theory.bound(method, sampling=samplings.TauNice(2)).sampling == answers


def test_numbers_of_an_instance_are_the_theorem_s_and_words_are_not():
    given = theory.bound(SPDC(delta=1e-3), theorem="perturbed loss, delta given")
    assert dict(given.numbers)[delta] == pytest.approx(1e-3)
    assert theory.bound(SPDC(delta=1e-3)).numbers == ()  # where the problem is strongly convex delta plays no part
    assert theory.bound(SPDC(delta="auto")) == theory.bound(SPDC())


@each_of("method", WITH_BOUNDS)
def test_default_parameters_have_the_main_theorem_unless_one_is_just_about_them(method):
    found, instance = list(registry.theorems_of(method)), METHODS[method]()
    about = [b for b in found if b.parameters and all(getattr(instance, k, None) == v for k, v in b.parameters)]
    assert theory.bound(instance).theorem == (about or found)[0].theorem
    assert theory.bound(method).theorem == found[0].theorem


@each_of(
    "b", [b for b in registry.all_theorems() if b.parameters and b.method in METHODS and b.counts and can_be_made(b)]
)
def test_parameters_choose_the_theorem_that_is_about_them(b):
    assert dict(theory.bound(resolve(b.method, **dict(b.parameters))).parameters) == dict(b.parameters)


@each_of("name", [b.method for b in registry.all_theorems() if b.sampling == "none" and b.counts][:4])
def test_where_nothing_is_drawn_a_sampling_changes_nothing(name):
    assert theory.bound(name, sampling="importance") == theory.bound(name)


@each_of("method", WITH_BOUNDS)
def test_a_bound_is_for_the_sampling_that_was_asked_for(method):
    main = [b for b in registry.theorems_of(method) if b.theorem == theory.bound(method).theorem]
    for b in main:
        if b.sampling in ("uniform", "importance", "norms", "lipschitz"):
            assert theory.bound(method, sampling=b.sampling).sampling == b.sampling
    assert main[0].sampling == theory.bound(method).sampling


def test_one_undefined_number_among_many_is_refused():
    values = {"l2": np.array([0.0, 1.0]), "gamma": np.array([0.0, 2.0])}
    with pytest.raises(ValueError, match="undefined"):
        evaluate(l2 / gamma, values, "the ratio")
    assert evaluate(l2 / gamma, {"l2": np.array([1.0]), "gamma": np.array([2.0])}, "the ratio") == [0.5]


def test_kappa_is_the_radius_squared_over_l2_and_gamma_also_under_a_root():
    assert in_kappa(R**4 / (l2 * gamma) ** 2 + n) == kappa**2 + n
    assert in_kappa(R / sp.sqrt(l2 * gamma)) == sp.sqrt(kappa)
    assert evaluate(R / sp.sqrt(l2 * gamma), {"kappa": 16.0}, "the root") == 4


def test_what_is_not_given_is_not_judged_and_the_first_that_fails_is_named():
    assumptions = (sp.Le(m, n), sp.Gt(gamma, 0))
    assert first_failed(assumptions, {"m": 5.0}) is None
    assert first_failed(assumptions, {"m": 5.0, "n": 5.0, "gamma": 1.0}) is None
    assert first_failed(assumptions, {"m": 5.0, "n": 4.0, "gamma": 0.0}) == assumptions[0]
    assert first_failed(assumptions, {"m": 5.0, "gamma": 0.0}) == assumptions[1]
    assert first_failed(assumptions, {"m": 5.0, "n": np.array([9.0, 4.0])}) == assumptions[0]


@each_of("method", ["sdca", "quartz", "fista", "gd", "saga"])
def test_passes_examples_and_arithmetic_are_the_same_work(method):
    """A pass visits nnz nonzeros, an example nnz/n on average; the setup is in all of them."""
    P = problem(density=1.0)
    passes, examples, arithmetic = (
        theory.bound(method, quantity).for_problem(P, EPS) for quantity in ("passes", "examples", "arithmetic")
    )
    assert arithmetic == pytest.approx(passes * P.nnz)
    assert examples == pytest.approx(passes * P.n)


@each_of("method", ["sdca", "quartz", "gd"])
def test_a_bound_that_is_already_met_is_zero_and_never_less(method):
    assert theory.bound(method).for_problem(problem(), 1 - 1e-9) >= 0


def test_a_curve_needs_work_that_is_a_number_and_not_negative():
    b = theory.bound("sdca")
    for passes in ([-1.0], [np.nan], ["1"]):
        with pytest.raises(ValueError, match="passes must be numbers >= 0"):
            b.curve(problem(), passes)
    curve = b.curve(problem(), [0.0, 1.0, 2.0])
    assert (np.diff(curve) < 0).all()


def test_an_accuracy_is_one_number():
    with pytest.raises(TypeError, match="ask once for each accuracy"):
        theory.bound("sdca").for_problem(problem(), np.array([1e-3, 1e-4]))


@pytest.mark.parametrize("X", [[[1.0]], [[1.0, 2.0], [0.5, 1.0], [3.0, 1.0]]])
def test_filling_a_table_is_work_too_however_small_it_is(X):
    """Half a pass before the first step of SAGA; an iteration is an n-th of a pass."""
    P = cdlab.Problem(X, np.arange(len(X)) % 2 * 2.0 - 1, l2=0.1)
    passes, iterations = (theory.bound("saga", quantity).for_problem(P, EPS) for quantity in ("passes", "iterations"))
    assert passes == pytest.approx(iterations / P.n + 0.5)


def test_what_is_measured_is_taken_instead_of_a_default():
    P = problem()
    assert theory.bound("fista").for_problem(P, EPS, L_f=1.0) != theory.bound("fista").for_problem(P, EPS, L_f=2.0)
    assert theory.bound("spdc").for_problem(P, EPS, m=3) != theory.bound("spdc").for_problem(P, EPS)


@pytest.mark.parametrize("method", ["appa", "acc_appa"])
def test_what_a_default_would_supply_is_not_asked_for_but_what_it_is_made_of_is(method):
    """The proximal weight and the inner method's rate follow from mu; mu follows from nothing but l2."""
    P = problem(l2=0.0)
    with pytest.raises(
        ValueError, match=r"needs mu \([^()]*\), which does not follow from the problem: pass mu=\.\.\.$"
    ):
        theory.bound(method).for_problem(P)
    assert theory.bound(method).for_problem(P, mu=0.01) > 0


def test_a_count_is_zero_where_the_start_is_good_enough():
    given = {"n": 10, "l2": 0.1, "gamma": 1.0, "R": 0.1, "D0": 1e-3}
    b = theory.bound("sdca", "iterations")
    assert b.at(**given, eps=1.0) == 0
    some = b.at(**given, eps=np.array([1.0, 1e-6]))
    assert some[0] == 0
    assert some[1] == b.at(**given, eps=1e-6) > 1


@each_of("method", ["saga", "gd", "fista"])
def test_a_curve_falls_from_the_end_of_the_setup_on(method):
    """After t iterations by 1 - 1/K each, from the setup on, which is a half pass for SAGA's table."""
    P, b = problem(), theory.bound(method)
    iterations, visits, K = (b.per(q).for_problem(P) for q in ("iterations", "cost per iteration", "K"))
    setup = b.for_problem(P) - iterations * visits / P.nnz
    assert setup == pytest.approx(0.5) if method == "saga" else setup > 1
    begin, before, after = b.curve(P, [0.0, setup, setup + 3 * visits / P.nnz])
    assert begin == pytest.approx(before)
    assert after == pytest.approx(begin * (1 - 1 / K) ** 3)


@each_of("method", ["appa", "accprox_sdca", "svrg"])
def test_a_curve_of_stages_falls_when_one_is_complete(method):
    P, b = problem(l2=0.01), theory.bound(method)
    stage, K = b.per("cost per iteration").for_problem(P) / P.nnz, b.per("K").for_problem(P)
    done = np.array([0, 0.999, 1, 1.999, 2, 29, 29.999])
    curve = b.curve(P, stage * done)
    np.testing.assert_allclose(curve, curve[0] * (1 - 1 / K) ** np.floor(done))


@each_of("method, sampling, settings, fits", [
    ("greedy", None, {"l1": 0.1}, ("sdca", "uniform", "smooth")),
    ("rcd", "uniform", {"l2": 0.0, "l1": 0.1}, ("rcd", "uniform", "convex")),
    ("rcd", "norms", {"l2": 0.0}, ("rcd", "norms", "convex")),
    ("quartz", "importance", {"l2": 0.0, "l1": 0.1}, ("sdca", "uniform", "added l2")),
    ("gd", None, {"l2": 0.0}, ("gd", "none", "convex")),
    ("svrg", "uniform", {"l2": 0.0, "l1": 0.1}, ("sdca", "uniform", "added l2")),
])  # fmt: skip
def test_what_fits_instead_is_of_the_same_method_and_sampling_if_it_can(method, sampling, settings, fits):
    P, (other, drawn, theorem) = problem(**settings), fits
    with pytest.raises(ValueError, match=f"bound\\('{other}', sampling='{drawn}', theorem='{theorem}'\\) covers it$"):
        theory.bound(method, sampling=sampling).for_problem(P)
    assert theory.bound(other, sampling=drawn, theorem=theorem).for_problem(P, w2=1.0) > 0
