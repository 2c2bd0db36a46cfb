"""A bound of an instance is about just that instance: its parameters are read, left free by the theorem, or refused."""

from dataclasses import dataclass, fields

import numpy as np
import pytest
from cases import each_of
from formulas import naming
from problems import problem

import cdlab
from cdlab import theory
from cdlab.methods import APCG, APPA, METHODS, SAGA, SDCA, SPDC, SVRG, AccCD, AccKaczmarz, Averaged, DualAPPA, Quartz
from cdlab.samplings import TauNice
from cdlab.theory import registry

# other values than the defaults, of every parameter of every method; ("method", "parameter") where methods differ
VALUES = {
    "accuracy": (1e9, "theory"),
    "anderson": (2, 5),
    "added_l2": ("auto", 0.1),
    "average": ("all", "half", None),
    "averaged_primal": (True,),
    "batch_size": (1, 5),
    "constant_step": (0.01,),
    "convexity": (0.01, 1),
    "decreasing": (True,),
    "delta": (0.1, None),
    "down": (3.0,),
    "dual": ("extrapolated",),
    "dual_step": (0.1,),
    "dual_start": ("zero",),
    "epochs": (3,),
    "eta": (0.5,),
    "factor": (0.5, 10),
    "first_dual": ("primal",),
    "floor": (0.1,),
    "gamma_r": (0.7,),
    "implicit": (True,),
    "inner": (Quartz(), Averaged(SDCA(), "half")),
    "L0": (1.0,),
    "m": (2, 50),
    "memory": (5,),
    "mu": (1e-3,),
    "primal_point": ("iterate",),
    "primal_step": (True,),
    "prox_weight": (0.3,),
    "rho": (0.3,),
    "rule": ("gsl",),
    "screening": ("gap_safe", "shrink"),
    "smoothness": ("uniform",),
    "snapshot": ("average",),
    "step": (0.01, 10),
    ("adasdca", "step"): ("fixed",),
    ("newton_cd", "inner"): ("dual", "truncated"),
    ("ssnal", "inner"): ("dual", "truncated"),
    "aim": (1e-3,),
    ("quartz", "step"): ("local", "long"),
    ("svrg", "m"): ("theory", 7),
    "theta": (0.5,),
    "up": (3.0,),
    "working_set": (True,),
}
NEEDS = {
    ("appa", "floor"): {"decreasing": True},
    ("dual_appa", "floor"): {"decreasing": True},
    ("sgd", "implicit"): {"constant_step": 0.1},
}  # what a parameter goes together with


def values_of(name, f):
    found = [value for value in VALUES.get((name, f.name), VALUES.get(f.name, ())) if value != f.default]
    assert found, f"give VALUES a value of {name}'s {f.name} that is not its default"
    return found


def problems():
    """Problems of all the kinds that theorems speak of, small."""
    return [
        problem(loss, n=20, d=6, seed=3, density=1.0, l2=l2, l1=l1)
        for loss, l2, l1 in (
            ("logistic", 0.1, 0.0),
            ("hinge", 0.1, 0.0),
            ("logistic", 0.0, 0.05),
            ("squared", 0.0, 0.0),
            ("squared", 0.1, 0.0),
        )
    ]


def numbers(bound):
    """The bound on each problem that its theorem covers."""
    found = []
    for P in problems():
        try:
            found.append(bound.for_problem(P, 1e-6))
        except ValueError as reason:
            found.append(str(reason).partition(",")[0].partition("(theorem")[0])
    return found


# ------------------------------------------------------------ every parameter of every method
@each_of("name", [name for name, cls in METHODS.items() if fields(cls)])
def test_each_parameter_is_read_or_left_free_or_no_theorem_speaks(name):
    for f in fields(METHODS[name]):
        for value in values_of(name, f):
            instance = METHODS[name](**{f.name: value}, **NEEDS.get((name, f.name), {}))
            with naming(instance):
                read_or_left_free_or_not_covered(instance, f.name, value)


def read_or_left_free_or_not_covered(instance, parameter, value):
    name = instance.name
    if name in registry.WITHOUT_THEOREM:
        with pytest.raises(ValueError, match=f"no bound for '{name}'"):
            theory.bound(instance)
        return
    try:
        bound = theory.bound(instance)
    except ValueError as reason:
        said = str(reason)
        assert said.startswith(f"no theorem covers {name} with ") or f" does not cover {name} with " in said
        assert f"{parameter}=" in said
        return
    plain = theory.bound(METHODS[name]())
    about = dict(bound.parameters)
    if parameter in about:
        assert about[parameter] == value
    elif parameter in [each if isinstance(each, str) else each[0] for each in bound.neutral]:
        assert (bound.theorem, bound.sampling, bound.expr) == (plain.theorem, plain.sampling, plain.expr)
    else:  # read: the number is in the bound, or its blocks are
        blocks = bound.asked_sampling and bound.asked_sampling.block_size
        assert value in [float(number) for _, number in bound.numbers] or blocks == value
        assert value == 1 or numbers(bound) != numbers(plain)


def test_a_parameter_that_nobody_has_thought_of_is_not_covered():
    @dataclass(frozen=True)
    class Bolder(SDCA):
        boldness: float = 1.0

    assert theory.bound(Bolder()) == theory.bound("sdca")
    with pytest.raises(ValueError, match="no theorem covers sdca with boldness=2.0"):
        theory.bound(Bolder(boldness=2.0))


# ------------------------------------------------------------ what is read
def test_a_batch_size_is_the_sampling_that_it_stands_for():
    """On rows of ones, blocks of tau have v_i = tau ||x_i||^2: a pass contracts tau times less."""
    X, y = np.ones((200, 5)), np.where(np.arange(200) % 3 > 0, 1.0, -1.0)
    P = cdlab.Problem(X, y, loss="logistic", l2=1e-3)
    K = 200 / 50 * (1 + 50 * 5 / (4 * 1e-3 * 200))
    passes, gap0 = K * 50 / 200 * np.log(K / 1e-6), P.constants()["gap0"]
    assert theory.bound(Quartz(batch_size=50)).for_problem(P, D0=gap0, P0=gap0) == pytest.approx(passes)
    for name in ("quartz", "rcd"):
        tau, m = (50, 50) if name == "quartz" else (3, 3)
        batch = METHODS[name](batch_size=m)
        for bound in (theory.bound(batch), theory.bound(batch, sampling="uniform")):
            assert bound.for_problem(P) == theory.bound(name, sampling=TauNice(tau)).for_problem(P)
            assert bound.for_problem(P) > 1.5 * theory.bound(name).for_problem(P)


@each_of("name", [name for name, cls in METHODS.items() if "batch_size" in {f.name for f in fields(cls)}])
def test_a_batch_size_in_a_bound_follows_the_blocks(name):
    P = problem("squared" if name == "sdna" else "logistic", n=20, d=6, seed=3, density=1.0, l2=0.1)
    batch = METHODS[name](batch_size=4)
    assert theory.bound(batch).for_problem(P) == theory.bound(name, sampling=TauNice(4)).for_problem(P)
    assert theory.bound(batch, sampling=TauNice(4)).for_problem(P) == theory.bound(batch).for_problem(P)
    for other in (TauNice(3), np.full(20, 0.05), *(() if "norms" in batch.blocks_of else ("norms",))):
        with pytest.raises(ValueError, match=f"{name} with batch_size=4 draws blocks by TauNice"):
            theory.bound(batch, sampling=other)
    constants = {"n": 20, "d": 6, "nnz": 120, "l2": 0.1, "gamma": 4.0, "R": 1.0, "L_f": 0.2, "P0": 0.5, "D0": 0.6}
    constants |= {"w2": 1.0, "a2": 20.0, "eps": 1e-3}
    if theory.bound(name, sampling=TauNice(4)).sampling == "uniform":  # m is in the formula
        assert theory.bound(batch).at(**constants) == theory.bound(name).at(**constants, m=4)


def test_an_instances_numbers_are_the_keywords_of_the_bound():
    P = problem("squared", n=20, d=6, seed=3, density=1.0, l2=0.0)
    for method, keywords in (
        (APPA(mu=1e-3), {"mu": 1e-3}),
        (APPA(mu=1e-3, prox_weight=0.3), {"mu": 1e-3, "prox_weight": 0.3}),
        (DualAPPA(mu=1e-3), {"mu": 1e-3}),
        (AccCD(mu=1e-3), {"mu_cols": 1e-3, "gram": 0.0}),  # which is not looked for then
        (AccKaczmarz(mu=1e-3), {"mu_rows": 1e-3, "gram": 0.0}),
    ):
        told = theory.bound(method.name).for_problem(P, **keywords)
        assert theory.bound(method).for_problem(P) == told
        assert told > theory.bound(method).for_problem(
            P, **{name: 10 * x for name, x in keywords.items() if "mu" in name}
        )


def test_a_given_delta_never_promises_what_it_costs():
    P = problem("hinge", n=20, d=6, seed=3, density=1.0, l2=0.1)
    bound, at_zero = theory.bound(SPDC(delta=0.02)), P.constants()["gap0"]
    for eps in (0.5, 0.1, 0.03):
        steps = bound.per("iterations").for_problem(P, eps, P0=at_zero)
        curve = bound.curve(P, np.array([np.floor(steps), np.ceil(steps)]) / P.n)
        assert curve[1] <= eps * at_zero * (1 + 1e-9)
        assert curve[0] >= 0.99 * eps * at_zero  # the count is the papers' form, a little above the exact one
    assert bound.for_problem(P, 0.99 * 0.01 / at_zero) == np.inf  # delta L^2/2 = 0.01
    with pytest.raises(ValueError, match="needs gamma > 0"):  # and nothing is perturbed by None
        theory.bound(SPDC(delta=None)).for_problem(P)


# ------------------------------------------------------------ what is refused
@each_of(
    "method, what",
    [
        (SAGA(step=10), "no theorem covers saga with step=10"),
        (APCG(convexity=1), "no theorem covers apcg with convexity=1"),
        (Averaged(SDCA(), "all"), "no theorem covers sdca with average='all'"),
        (SVRG(step=0.1, m="theory", snapshot="average"), "no theorem covers svrg with step=0.1"),
        (SVRG(m="theory"), "no theorem covers svrg with m='theory'"),
        (APPA(inner=Quartz()), "no theorem covers appa with inner=quartz"),
        (
            Quartz(step="local", averaged_primal=True),
            "no theorem covers quartz with step='local' and averaged_primal=True",
        ),
    ],
)
def test_what_no_theorem_covers_is_named(method, what):
    with pytest.raises(ValueError, match=f"^{what}"):
        theory.bound(method)


def test_a_theorem_that_is_asked_for_is_about_the_instance_too():
    with pytest.raises(
        ValueError, match="theorem 'averaged' is about quartz with averaged_primal=True, and this one has avera"
    ):
        theory.bound(Quartz(), theorem="averaged")
    with pytest.raises(ValueError, match="quartz's theorem 'plain' does not cover quartz with averaged_primal=True"):
        theory.bound(Quartz(averaged_primal=True), theorem="plain")
    assert theory.bound(Quartz(averaged_primal=True)).theorem == "averaged"
    assert theory.bound("quartz", theorem="averaged").theorem == "averaged"  # a name has no parameters
