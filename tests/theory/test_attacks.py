"""Attacks find what is tight and what is false, go on where they stopped, and keep records that anybody can check."""

import json
import math
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.exact_rates.closed_forms import slowest_decrease
from cdlab.exact_rates.linear_epochs import LinearDraws
from cdlab.exact_rates.linear_methods import LINEAR_METHODS
from cdlab.exact_rates.optimum import find_optimum
from cdlab.samplings import TauNice
from cdlab.theory.attacks.climbing import Point
from cdlab.theory.attacks.conjectures import CONJECTURES
from cdlab.theory.attacks.instances import KappaRange, random_instance
from cdlab.theory.attacks.rates import statement_of
from cdlab.theory.attacks.statements import asdca_potential, worst_step
from cdlab.theory.symbols import R, gamma, l2, n, nnz

ROOT = Path(__file__).parents[2]
ROUNDING = 1e-9


def five_by_four():
    i, j = np.indices((5, 4))
    return cdlab.Problem(((3 * j + 5 * i) % 7 - 3) / 2, [1.0, -1.0, 1.0, 1.0, -1.0], loss="squared", l2=0.2)


def identical(rows, q):
    return cdlab.Problem(np.ones((rows, 1)), np.ones(rows), loss="squared", l2=1 / (q * rows))


# ------------------------------------------------------------ ratios
def test_the_ratio_of_a_theorem_is_the_exact_K_over_the_promised_one():
    """Golden: 1 - 1/K* = 0.9297711956 and K' = 16.875 for sdca, 0.9563779957 a step and its theorem's for saga."""
    assert statement_of(theory.bound("sdca", theorem="halved")).ratio(five_by_four()) == pytest.approx(
        14.23917164 / 16.875, rel=1e-9
    )
    assert statement_of(theory.bound("saga")).ratio(five_by_four()) == pytest.approx(
        (1 - 0.9865319865) / (1 - 0.9563779957), rel=1e-8
    )


def test_permutations_on_golden_data():
    assert theory.conjecture("J2").ratio(five_by_four()) == pytest.approx(
        1.2 * math.log(0.6948330023) / math.log(0.5632062232), rel=1e-8
    )
    assert theory.conjecture("J1").ratio(five_by_four()) < 1


@each_of("rows, q", [(2, 3.0), (4, 9.0), (5, 0.5)])
def test_on_identical_rows_conjecture_1_is_an_equality(rows, q):
    assert theory.conjecture("J1").ratio(identical(rows, q)) == pytest.approx(1, abs=1e-9)


def test_the_worst_step_of_a_potential_is_above_every_step():
    """Exact expectations of m (P - P*) + n (D* - D), computed from P and D themselves."""
    problem, m = five_by_four(), 2
    parameters = {**LINEAR_METHODS["asdca"].parameters, "batch_size": m}
    optimum = find_optimum(problem)
    method = LINEAR_METHODS["asdca"].build(problem, optimum, np.full(5, 0.2), parameters)
    draws = LinearDraws(method, np.full(len(method.T), 1 / len(method.T)))
    V = asdca_potential(problem, draws, parameters)
    best = problem.primal(optimum.w)

    def value(z):
        w, alpha = z[:4] + optimum.w, z[4:] + optimum.alpha
        return m * (problem.primal(w) - best) + problem.n * (best - problem.dual(alpha))

    worst, rng = worst_step(draws, V), np.random.default_rng(0)
    for _ in range(20):
        z = rng.standard_normal(9)
        assert value(z) == pytest.approx(z @ V @ z, rel=1e-9)
        assert np.mean([value(T @ z) for T in method.T]) <= worst * value(z) * (1 + ROUNDING)
    assert worst <= theory.bound("asdca", theorem="one step", sampling=TauNice(m)).for_problem(problem)


# ------------------------------------------------------------ what is tight, and what is false
def test_the_halved_rate_is_found_tight_on_identical_rows():
    found = theory.attack(theory.bound("sdca", theorem="halved"), 4, 1, kappa=36, evaluations=200)
    tightest = 4 / slowest_decrease(0.1, 4 - 3 * 0.1) / 22  # K' = (4 * 10 + 4)/2
    assert 0.99 * tightest <= found.ratio <= tightest * (1 + 1e-6)


def test_the_worst_case_is_reached():
    found = theory.attack(theory.bound("sdca", theorem="worst case"), 3, 1, kappa=(3, 300), evaluations=50)
    assert found.ratio == pytest.approx(1, abs=1e-3)
    assert not found.refuted
    assert "tight" in str(found)


def test_a_bound_that_promises_too_much_is_refuted():
    bound = theory.contraction(
        "sdca",
        "too good",
        K=(n + R**2 / (gamma * l2)) / sp.Rational(11, 5),
        W=nnz / n,
        constant=theory.SYMBOLS["D0"],
        bounded="D*-D",
        assumptions=(gamma > 0, l2 > 0),
        source="a test",
        side="dual",
    )
    found = theory.attack(bound, 4, 2, kappa=(12, 400), evaluations=20)
    assert found.refuted
    assert statement_of(bound).ratio(found.problem) == pytest.approx(found.ratio)


def test_asdca_does_not_bear_nearly_four_times_its_step():
    theorem = theory.bound("asdca", theorem="sum")
    longer = replace(theorem, K=theorem.K / 3.9, parameters=(("factor", 3.9),))
    assert theory.attack(longer, 2, 2, kappa=2, evaluations=40).refuted


@each_of("name", list(CONJECTURES))
def test_conjectures_stand(name):
    found = theory.attack(theory.conjecture(name), 3, 2, evaluations=20)
    assert 0 < found.ratio <= 1 + ROUNDING


@pytest.mark.full
@pytest.mark.parametrize("name", CONJECTURES)
def test_conjectures_stand_for_longer(name):
    found = theory.attack(theory.conjecture(name), 4, 3, evaluations=600, seed=1)
    assert 0 < found.ratio <= 1 + ROUNDING


BOUNDS = [
    theory.bound("rcd"),
    theory.bound("quartz"),
    theory.bound("saga"),
    theory.bound("apcg", theorem="dual"),
    theory.bound("acc_rcd", sampling="importance"),
    theory.bound("svrg", theorem="averaged stages"),
    theory.bound("svrg", theorem="last points"),
    theory.bound("asdca", theorem="sum", sampling=TauNice(2)),
    theory.bound("spdc", sampling="norms"),
    theory.bound("spdc", theorem="one step"),
]


@each_of("bound", BOUNDS)
def test_theorems_stand(bound):
    found = theory.attack(bound, 3, 2, evaluations=8)
    assert 0 < found.ratio <= 1 + 1e-6


# ------------------------------------------------------------ data and state
def test_a_state_is_searched_with_the_data_and_its_labels_become_those_of_the_problem():
    """grad P(w) = 0 only at w*: of all w, that of the smallest gradient is near it."""

    def small_gradient(problem, w):
        return 1 / (1 + float(np.linalg.norm(problem.gradient(w))) / problem.l2)

    statement = theory.Statement("state", "no gradient is small", small_gradient, state={"w": "d", "y": "n"})
    found = theory.attack(statement, 3, 2, kappa=3, evaluations=3000)
    assert found.ratio > 0.99
    assert (found.problem.y == found.state["y"]).all()
    assert set(found.state) == {"w", "y"}
    assert small_gradient(found.problem, found.state["w"]) == found.ratio


def test_a_state_may_have_l1_and_a_loss_with_labels_of_its_signs():
    def ratio(problem, size):
        assert problem.loss.name == "logistic"
        assert set(problem.y) <= {-1.0, 1.0}
        return float(np.exp(-abs(problem.l1 - abs(size))))

    statement = theory.Statement("l1", "l1 is no size", ratio, state={"size": "", "y": "n", "l1": ""}, loss="logistic")
    found = theory.attack(statement, 3, 2, evaluations=500)
    assert found.problem.l1 == pytest.approx(abs(found.state["size"]), abs=0.02)


def test_searches_begin_at_edges_too():
    kinds = {"twice": 0, "empty": 0, "column": 0}
    for seed in range(200):
        X = random_instance(3, 2, KappaRange(1.0, 10.0), np.random.default_rng(seed)).X
        kinds["twice"] += bool((X[0] == X[-1]).all() or (X[:, 0] == X[:, 1]).all())
        kinds["empty"] += bool((X == 0).all(axis=1).any())
        kinds["column"] += bool((X == 0).all(axis=0).any())
    assert min(kinds.values()) > 3


# ------------------------------------------------------------ sessions
def same(a, b):
    return (a.ratio, a.kappa, a.evaluations, a.restarts) == (b.ratio, b.kappa, b.evaluations, b.restarts) and (
        a.X == b.X
    ).all()


def largest_entry(problem):
    """A statement that costs nothing."""
    return float(np.exp(-np.abs(problem.X - 0.5).sum() - abs(math.log(problem.l2))))


CHEAP = theory.Statement("cheap", "entries are not 1/2", largest_entry)


def test_a_search_that_goes_on_is_the_one_that_never_stopped(tmp_path):
    path = tmp_path / "search.json"
    for evaluations in (1, 70, 400, 700):
        stopped = theory.attack(CHEAP, 2, 2, evaluations=evaluations, seed=3, path=path)
    assert same(stopped, theory.attack(CHEAP, 2, 2, evaluations=700, seed=3))
    assert stopped.restarts > 0
    assert same(stopped, theory.attack(CHEAP, 2, 2, evaluations=10, seed=3, path=path))
    assert not same(stopped, theory.attack(CHEAP, 2, 2, evaluations=700, seed=4))


def test_a_file_keeps_the_state(tmp_path):
    def ratio(problem, w, size):
        return float(np.exp(-np.abs(w - 1).sum() - abs(size)))

    statement, path = (
        theory.Statement("kept", "w is not 1", ratio, state={"w": "nd", "size": ""}),
        tmp_path / "kept.json",
    )
    for evaluations in (1, 40, 300):
        stopped = theory.attack(statement, 2, 3, evaluations=evaluations, seed=5, path=path)
    whole = theory.attack(statement, 2, 3, evaluations=300, seed=5)
    assert same(stopped, whole)
    assert (stopped.state["w"] == whole.state["w"]).all()
    assert stopped.state["size"] == whole.state["size"]


def test_an_interrupt_loses_nothing(tmp_path):
    path, calls = tmp_path / "search.json", []

    def interrupted_at_ten(problem):
        calls.append(problem)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return largest_entry(problem)

    found = theory.attack(replace(CHEAP, ratio=interrupted_at_ten), 2, 2, evaluations=50, path=path)
    assert found.interrupted
    assert found.evaluations == 9
    assert "interrupted" in str(found)
    whole = theory.attack(CHEAP, 2, 2, evaluations=50, path=path)
    assert same(whole, theory.attack(CHEAP, 2, 2, evaluations=50))


def test_seconds_end_a_search():
    found = theory.attack(CHEAP, 2, 2, evaluations=10**9, seconds=0.2)
    assert 0 < found.evaluations < 10**6


def test_a_ratio_without_limit_ends_it():
    found = theory.attack(theory.Statement("false", "nothing", lambda problem: math.inf), 2, 2)
    assert found.refuted
    assert found.evaluations == 1


def test_committed_records_have_the_ratios_that_they_state():
    rows = runpy.run_path(str(ROOT / "benchmarks" / "attacks.py"))["ROWS"]
    page = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    assert {row.path for row in rows} == set((ROOT / "docs" / "attacks").glob("*.json"))
    for row in rows:
        kept = json.loads(row.path.read_text(encoding="utf-8"))
        statement = statement_of(row.statement) if isinstance(row.statement, theory.Bound) else row.statement
        record = Point.from_json(kept["record"])
        assert kept["statement"] == statement.name
        # the lower end of an interval: how narrow it is, is decided by rounding
        assert statement.at(record.instance) == pytest.approx(record.ratio, rel=2e-5)
        assert f"{record.ratio:.6f}" in page


# ------------------------------------------------------------ refusals
@each_of(
    "options, sentence",
    [
        ({"n": 0}, "n must be a whole number from 1 to 8, not 0"),
        ({"d": 9}, "d must be a whole number from 1 to 8, not 9"),
        ({"n": 2.5}, "n must be a whole number"),
        ({"evaluations": 0}, "evaluations must be a whole number >= 1"),
        ({"seconds": -1}, "seconds must be a number > 0 or None"),
        ({"seed": -1}, "seed must be a whole number >= 0"),
        ({"kappa": 0}, "kappa must be a number from n/1000 to 1000 n"),
        ({"kappa": (30, 3)}, "the smaller one first"),
        ({"kappa": "large"}, "kappa must be a number"),
        ({"statement": theory.conjecture("J1"), "n": 1}, "J1 is about at least 2 rows, and n = 1"),
        ({"statement": theory.bound("gd")}, "cannot be attacked: that needs an exact rate"),
        ({"statement": theory.bound("spdc", sampling=TauNice(2))}, "only asdca in blocks"),
        ({"statement": theory.bound("apcg", theorem="primal step")}, "in their plain form"),
        ({"statement": replace(theory.bound("saga"), numbers=((R, 2.0),))}, "with R given cannot be attacked"),
        ({"statement": theory.bound("svrg", theorem="averaged long stages")}, "in their plain form"),
        ({"statement": theory.bound("apcg", theorem="gap of a dual point")}, "theorems with a rate K"),
        ({"statement": theory.Statement("none", "none", lambda problem: math.nan)}, "is not a number on X"),
    ],
)
def test_a_sentence_says_what_would_be_right(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        theory.attack(**{"statement": CHEAP, "n": 3, "d": 2, "evaluations": 5, **options})


def test_only_bounds_and_conjectures_are_attacked():
    with pytest.raises(TypeError, match="an attack is on a bound"):
        theory.attack("saga", 3, 2)
    with pytest.raises(ValueError, match="conjecture must be 'J1', .* or '.*', not 'J3'"):
        theory.conjecture("J3")


def test_the_file_of_another_search_is_refused(tmp_path):
    path = tmp_path / "search.json"
    theory.attack(CHEAP, 2, 2, evaluations=5, path=path)
    with pytest.raises(ValueError, match="keeps another attack, on cheap with n = 2, d = 2, seed = 0"):
        theory.attack(CHEAP, 3, 2, evaluations=5, path=path)
    path.write_text("{}")
    with pytest.raises(ValueError, match="keeps no attack"):
        theory.attack(CHEAP, 2, 2, evaluations=5, path=path)
