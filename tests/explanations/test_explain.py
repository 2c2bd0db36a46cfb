"""Explanations: every number computed again by other means, and every cause taken away with other seeds."""

import math

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.exact_rates import exact_rate
from cdlab.exact_rates.optimum import find_optimum
from cdlab.explanations.entrants import Entrant
from cdlab.explanations.figures import Sentence
from cdlab.explanations.slowest_direction import slowest_direction
from cdlab.methods import METHODS, RCD, SDCA, Quartz
from cdlab.runs import Race
from cdlab.runs.entries import resolve_entry
from cdlab.samplings import Importance, Uniform, resolve

OTHER_SEEDS = range(900, 909)


def orthogonal(n=30, largest=100.0):
    """Rows of squared norms from 1 to `largest`."""
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    return Q * np.sqrt(np.geomspace(1, largest, n))[:, None], np.where(np.arange(n) % 3, 1.0, -1.0)


def alike(n=20):
    """Any two rows have the inner product .9."""
    X = np.linalg.cholesky(0.9 + 0.1 * np.eye(n))
    return X, np.where(np.arange(n) % 2, 1.0, -1.0)


def made(**changes):
    return cdlab.datasets.make(**{"n": 120, "d": 60, "density": 0.1, "skew": 1.3, "seed": 0} | changes)


def raced(X, y, entries, loss="logistic", l2n=1.0, l1=0.0, max_passes=400, tol=1e-6):
    P = cdlab.Problem(X, y, loss, l2=l2n / len(y), l1=l1)
    return P, cdlab.race(P, list(entries), seeds=[0, 1, 2], max_passes=max_passes, tol=tol)


def passes_to(P, method, sampling, level, seeds=OTHER_SEEDS, max_passes=3000):
    """The median over seeds, of races of their own."""
    race = cdlab.race(P, [(method, {"sampling": sampling})], seeds=seeds, tol=0, max_passes=max_passes,
                      stop=lambda record: record.gap <= level * (P.at_zero - record.dual))  # fmt: skip
    return float(np.median(race.reached(level)))


RACES = {  # cause -> what is raced
    "draws": (lambda: made(), ["rcd", "rcd@importance"], {}),
    "order": (alike, ["sdca", "sdca@cyclic"], {"loss": "squared", "l2n": 0.05, "max_passes": 4000}),
    "heavy lines": (lambda: made(n=300, skew=1.6, density=0.05), ["rcd", "sdca"], {}),
    "momentum": (lambda: made(skew=0.0), ["acc_rcd", "rcd"], {"l2n": 0.01, "max_passes": 4000}),
    "noise": (lambda: made(skew=0.0), ["sgd", "sdca"], {"tol": 1e-3}),
    "damped steps": (orthogonal, ["quartz", "sdca"], {}),
    "exact steps": (lambda: made(skew=0.0), ["sdca", "saga"], {}),
    "second order": (lambda: made(skew=0.0), ["lbfgs", "agd"], {"l2n": 0.1}),
    "batch": (lambda: made(skew=0.0, density=1.0), [("quartz", {"batch_size": 16}), "quartz"], {"l2n": 10.0}),
    "start": (lambda: made(), ["rcd", "sdca"], {"l1": 1.0}),
}


@pytest.fixture(scope="module")
def explained():
    """Of each cause the problem, the race and its explanation."""
    found = {}
    for name, (data, entries, how) in RACES.items():
        P, race = raced(*data(), entries, **how)
        found[name] = P, race, cdlab.explain(race)
    return found


def test_each_race_has_the_cause_that_it_was_made_for(explained):
    assert {name: told.why.name for name, (_, _, told) in explained.items()} == {name: name for name in RACES}


def test_an_explanation_is_at_most_three_sentences_of_text_and_figures(explained):
    for _, _, told in explained.values():
        assert 1 <= len(told.sentences) <= 3
        for each in told.sentences:
            assert isinstance(each, Sentence)
            assert str(each).endswith(".")
            assert each.figures
            assert not any(name in str(part) for part in each if isinstance(part, str) for name in METHODS)


def test_measured_figures_are_those_of_the_race(explained):
    for _P, race, told in explained.values():
        for each in (told.winner, told.loser):
            labels = [trace.label for trace in race.traces]
            assert any(each.method.split(" ")[0] in label for label in labels)
            reached = race.reached(each.level)
            assert any(
                each.value == pytest.approx(np.median(row)) and each.low == row.min() and each.high == row.max()
                for row in reached
            )


@each_of("name", ["draws", "order", "momentum", "damped steps", "exact steps", "second order"])
def test_a_cause_that_is_taken_away_moves_the_race_by_what_is_said(name, explained):
    """By races with seeds that neither the race nor `explain` has; the same sign, and within a factor 2."""
    P, _, told = explained[name]
    with_cause, without = [each for each in told.why.sentence.figures if each.quantity == "passes"]
    again = passes_to(P, without.method, without.draws or "uniform", without.level)
    assert (again < with_cause.value) == (without.value < with_cause.value)
    assert 0.5 < again / without.value < 2


def test_heavy_lines_are_the_columns_of_frequent_words(explained):
    P, _, told = explained["heavy lines"]
    without = told.why.sentence.figures[-1]
    count = int(without.data.split()[1])
    heavy = np.argsort(-(P.column_profile.counts * P.column_profile.norms2))[:count]
    rest = cdlab.Problem(np.delete(np.asarray(P.X.todense()), heavy, axis=1), P.y, P.loss, l2=P.l2)
    assert passes_to(rest, "rcd", "uniform", without.level) == pytest.approx(without.value, rel=0.3)


def test_bounds_are_those_of_theory(explained):
    P, _, told = explained["draws"]
    bound = next(each for each in told.figures if each.source == "bound")
    assert bound.quantity == "passes per e"
    profile, beta = P.column_profile, P.beta
    L = profile.norms2 * beta / P.n + P.l2
    seen = profile.counts > 0
    p = np.full(P.d, 1 / P.d) if bound.draws == "uniform" else L / L.sum()
    assert bound.value == pytest.approx((L / p)[seen].max() / P.l2 * (p @ profile.counts) / P.nnz)


def test_an_order_is_told_by_exact_rates_where_they_are_known():
    P, race = raced(*made(n=40, d=8, density=1.0, skew=0.0), ["rcd", "rcd@cyclic"], "squared", 0.1)
    order, uniform = cdlab.explain(race).in_expectation.figures
    for each in (order, uniform):
        low, high = exact_rate(P, "rcd", each.draws).passes_interval
        assert (each.low, each.high) == (low, high)
    assert order.draws == "cyclic"


# ------------------------------------------------------------ the slowest direction
@each_of(
    "loss, method, sampling",
    [
        ("squared", SDCA(), Uniform()),
        ("squared", SDCA(), Importance()),
        ("logistic", SDCA(), Uniform()),
        ("squared", Quartz(), Uniform()),
        ("logistic", Quartz(step="local"), Importance()),
        ("logistic", Quartz(), Uniform()),
        ("logistic", RCD(), Uniform()),
        ("squared", RCD(), Importance()),
        ("squared", RCD(), resolve(np.r_[3.0, 1.0, 1.0, 2.0, 1.0, 5.0])),
    ],
)
def test_the_interval_by_an_eigenvalue_holds_the_exact_rate(loss, method, sampling):
    P = problem(loss, n=20, d=6, seed=3, l2=0.02)
    exact = exact_rate(P, method, sampling)
    low, high = exact.passes_interval
    found, bound = slowest_direction(P, Entrant(method, sampling), find_optimum(P).w)
    assert found.low * (1 - 1e-6) <= low <= high <= found.high * (1 + 1e-6)
    assert bound.value >= high * (1 - 1e-9) or loss == "squared"


def test_flat_examples_enter_the_rate_of_damped_steps():
    """The second moments of quartz near the optimum of a squared hinge, by the whole map on 6 examples."""
    P = problem("squared_hinge", n=6, d=3, seed=5, l2=0.05)
    optimum = find_optimum(P)
    assert 0 < (optimum.h == 0).sum() < P.n
    found, _ = slowest_direction(P, Entrant(Quartz(), Uniform()), optimum.w)
    s = P.l2 * P.n / P.coordinates("dual").smoothness
    s = np.full(P.n, s.min())  # with uniform draws theta/p_i is the smallest of all
    K = P.X @ P.X.T / (P.l2 * P.n)
    step = np.zeros((P.n**2, P.n**2))
    for i in range(P.n):
        T = np.eye(P.n)
        T[i] -= s[i] * (np.eye(P.n)[i] + optimum.h[i] * K[i])
        step += np.kron(T, T) / P.n
    rho = max(abs(np.linalg.eigvals(step)))
    assert found.low * (1 - 1e-9) <= -1 / math.log(rho) / P.n <= found.high * (1 + 1e-9)


@each_of("loss, l1, method", [("hinge", 0.0, "sdca"), ("logistic", 0.01, "rcd"), ("logistic", 0.0, "saga")])
def test_where_there_is_no_rate_none_is_told(loss, l1, method):
    P = problem(loss, l1=l1)
    assert slowest_direction(P, Entrant(*resolve_entry(method)), np.zeros(P.d)) is None


# ------------------------------------------------------------ at the edges
@each_of(
    "X, y, loss",
    [
        (np.array([[2.0]]), np.array([1.0]), "squared"),
        (np.eye(3), np.array([1.0, -1.0, 1.0]), "squared"),
        (np.array([[1.0, 0.0], [0.0, 0.0], [0.0, -2.0]]), np.array([1.0, -1.0, -1.0]), "logistic"),
        (np.ones((4, 3)), np.array([1.0, -1.0, 1.0, 1.0]), "smooth_hinge"),
        (np.ones((4, 3)), np.array([1.0, -1.0, 1.0, 1.0]), "hinge"),
    ],
)
def test_data_of_odd_shapes_have_sentences_with_finite_numbers(X, y, loss):
    told = cdlab.explain(
        cdlab.race(
            cdlab.Problem(X, y, loss, l2=0.1),
            ["sdca", "sdca@cyclic" if loss == "hinge" else "rcd"],
            max_passes=200,
            tol=1e-4,
        )
    )
    assert all(math.isfinite(each.value) for each in told.figures)


def test_a_level_is_chosen_that_all_runs_came_to_or_the_one_that_is_asked_for():
    _, race = raced(*made(), ["sdca", "rcd"], tol=3e-5)
    assert cdlab.explain(race).winner.level == 5e-5
    assert cdlab.explain(race, 1e-2).winner.level == 1e-2
    told = cdlab.explain(race, 1e-2)
    assert told.winner.value == np.median(race.reached(1e-2), axis=1).min()


def test_the_same_race_has_the_same_explanation(explained):
    _, race, told = explained["momentum"]
    assert cdlab.explain(race) == told


def test_what_cannot_be_explained_is_refused_in_a_sentence():
    P = problem("logistic", l2=0.01)
    race = cdlab.race(P, ["rcd", "sdca"], max_passes=20)
    with pytest.raises(TypeError, match="takes a race"):
        cdlab.explain(P)
    with pytest.raises(ValueError, match="between 0 and 1"):
        cdlab.explain(race, 2.0)
    with pytest.raises(ValueError, match="none has reached"):
        cdlab.explain(race, 1e-12)
    with pytest.raises(ValueError, match="does not know its problem"):
        cdlab.explain(Race(race.traces, 2, [0]))
    with pytest.raises(ValueError, match="races alone"):
        cdlab.explain(cdlab.race(P, ["sdca"], max_passes=5))
    with pytest.raises(ValueError, match="none has reached"):
        cdlab.explain(cdlab.race(P, ["rcd", "sdca"], max_passes=0))
    still = cdlab.Problem(P.X, np.zeros(P.n), "squared", l2=0.1)
    with pytest.raises(ValueError, match="the start is optimal"):
        cdlab.explain(cdlab.race(still, ["rcd", "sdca"], max_passes=5))


def test_sentences_are_printed_and_progress_is_shown(capsys):
    _, race = raced(*made(), ["rcd", "rcd@importance"])
    told = cdlab.explain(race, progress=True)
    assert str(told).split("\n")[1:] == list(map(str, told.sentences))
    assert "explain: " in capsys.readouterr().err
