"""What is derived from the bounds: crossovers, limits, times on many nodes, and the papers' tables."""

import numpy as np
import pytest
import sympy as sp

import cdlab
from cdlab import theory
from cdlab.losses import LOSSES
from cdlab.theory.curvature import of_conjugate
from cdlab.theory.paper_tables import order
from cdlab.theory.symbols import F, L, R, d, gamma, kappa, l2, m, n, nnz, nodes, opening, unit


# ------------------------------------------------------------ crossovers
def test_spdc_beats_sdca_exactly_where_kappa_exceeds_n():
    c = theory.crossover(theory.bound("spdc"), theory.bound("sdca"))
    assert c.points == (m * n,)  # a batch of m: kappa = m n
    assert [(region.where, region.winner) for region in c.regions] == [(kappa < m * n, "sdca"), (kappa > m * n, "spdc")]
    single = theory.crossover(theory.bound(cdlab.methods.SPDC(batch_size=1)), theory.bound("sdca"))
    assert single.points[0].subs(m, 1) == n


def test_apcg_is_never_behind_spdc_or_sdca():
    """sqrt(1 + k) <= 1 + sqrt(m k) and sqrt(1 + k) <= 1 + k, k = kappa/n: squaring must not invent a crossing."""
    for other in ("spdc", "sdca"):
        c = theory.crossover(theory.bound("apcg"), theory.bound(other))
        assert c.points == ()
        assert [region.winner for region in c.regions] == ["apcg"]


def test_a_crossing_is_where_the_two_bounds_are_equal():
    spdc, sdca = theory.bound("spdc"), theory.bound("sdca")
    numbers = {"n": 100, "m": 4, "gamma": 4.0, "R": 2.0}
    assert theory.crossing(spdc, sdca, "kappa", n=100, m=4) == pytest.approx((400,))
    (at,) = theory.crossing(spdc, sdca, "l2", **numbers)
    assert at == pytest.approx(2.0**2 / (4.0 * 400))  # kappa = 400
    T = [theory.bound(method, "K").at(**numbers, l2=at) * cost for method, cost in (("spdc", 4), ("sdca", 1))]
    assert T[0] == pytest.approx(T[1])


def test_crossings_say_what_is_missing():
    spdc, sdca = theory.bound("spdc"), theory.bound("sdca")
    with pytest.raises(ValueError, match=r"crossing needs m: pass m=\.\.\."):
        theory.crossing(spdc, sdca, "kappa", n=100)
    with pytest.raises(ValueError, match="unknown symbol 'lam'"):
        theory.crossover(spdc, sdca, "lam")


def test_uniform_never_beats_importance_sampling():
    """F <= n R^2: the bounds of the two samplings meet only where all rows have the same norm."""
    importance, uniform = (theory.bound("quartz", "K", s).expr for s in ("importance", "uniform"))
    excess = sp.expand((uniform - importance) * gamma * l2 * n)
    assert sp.simplify(excess - (n * R**2 - F)) == 0


# ------------------------------------------------------------ limits
def test_limits_are_the_known_special_cases():
    expected = [
        1 + sp.sqrt(kappa),
        4 * sp.Max(n, kappa),
        4 * sp.Max(1, sp.sqrt(kappa)),
        R**2 / gamma,
        L**2 * R**2 / l2,
        L * R * sp.sqrt(n) / sp.sqrt(m * l2),
        n + R**2 / (gamma * l2),
        theory.bound("sdca", "T").expr,
        theory.bound("spdc", "T").expr,
        n,
        1 / d,
    ]
    for limit, value in zip(theory.limits(), expected, strict=True):
        positive = {s: sp.Symbol(s.name, positive=True) for s in (limit.value - value).free_symbols}
        assert sp.simplify((limit.value - value).subs(positive)) == 0, limit
    for limit in theory.limits():
        assert str(limit.value) in str(limit)
        assert limit.latex().startswith(r"\lim_{")


# ------------------------------------------------------------ parallel cost model
def test_one_node_sends_nothing_and_does_all_the_arithmetic():
    for method in ("sdca", "spdc", "asdca"):
        for partition in ("features", "examples"):
            for network in ("hypercube", "all-reduce"):
                t = theory.parallel_time(method, partition, network)
                serial = theory.bound(method, "T").expr
                assert sp.simplify(t.expr.subs(nodes, 1) - serial) == 0


def test_hypercube_communication_as_in_the_paper():
    rounds = sp.log(nodes, 2)
    expected = {
        ("sdca", "features"): nodes * rounds**2,
        ("asdca", "features"): m * nodes * rounds**2,
        ("asdca", "examples"): d * rounds,
        ("fista", "examples"): d * rounds,
    }
    for (method, partition), sent in expected.items():
        t = theory.parallel_time(method, partition)
        assert sp.simplify(t.communication - sent) == 0
    # by features iff m s log2(s) < d
    by_features, by_examples = (theory.parallel_time("asdca", p).communication for p in ("features", "examples"))
    assert sp.simplify(by_features / by_examples - m * nodes * rounds / d) == 0


def test_one_batch_of_all_examples_makes_asdca_the_accelerated_method_up_to_kappa_n2():
    """Shalev-Shwartz & Zhang 2013 say so without the condition gamma s lambda >= 1/n^2; just beyond it, it is false."""
    (limit,) = (each for each in theory.limits() if each.where != sp.true)
    assert limit.where == sp.Le(kappa, n**2)
    assert "where kappa <= n**2" in str(limit)
    K = sp.lambdify((n, kappa), limit.expr.subs(m, n))
    value = sp.lambdify((n, kappa), limit.value)
    for size in (10, 1000, 10**6):
        for power in np.linspace(-3, 2, 41):
            assert K(size, size**power) == pytest.approx(value(size, size**power))
        assert K(size, 1.1 * size**2) > value(size, 1.1 * size**2)


@pytest.mark.parametrize("partition", ["features", "examples"])
@pytest.mark.parametrize("network", ["hypercube", "all-reduce"])
def test_an_iteration_opens_its_channels_one_after_another(partition, network):
    """Every round of a sum is a channel; where all tell all on a hypercube, every round has one for each dimension."""
    t = theory.parallel_time("asdca", partition, network)
    rounds = sp.log(nodes, 2)
    assert sp.simplify(t.channels - (rounds**2 if (partition, network) == ("features", "hypercube") else rounds)) == 0
    numbers = {"n": 400, "nnz": 4000, "d": 50, "R": 1.0, "gamma": 1.0, "l2": 1e-4, "nodes": 8, "unit": 0.5, "m": 20}
    iterations = theory.bound("asdca", "K").at(**numbers)
    opened = 9 if (partition, network) == ("features", "hypercube") else 3
    assert t.at(**numbers, opening=7.0) - t.at(**numbers) == pytest.approx(iterations * 7 * opened)


def test_by_features_only_channels_make_batches_pay():
    """What is sent grows with the batch, so without them the best batch is one example; with them it lies inside."""
    numbers = {"n": 10_000, "nnz": 200_000, "d": 50, "R": 1.0, "gamma": 1.0, "l2": 1e-4, "nodes": 4, "unit": 0.1}
    best = theory.best_batch("asdca", "features")
    sizes = [best.at(**numbers, opening=cost) for cost in (0.0, 1e3, 1e5)]
    assert sizes[0] == 1
    assert 1 < sizes[1] < sizes[2] <= 10_000


def test_sdca_by_examples_gains_nothing_from_more_nodes():
    assert theory.parallel_time("sdca", "examples").runtime == nnz / n


@pytest.mark.parametrize("method", ["spdc", "asdca"])
def test_on_one_machine_the_best_batch_is_one_example(method):
    best = theory.best_batch(method, serial=True)
    assert {piece.shape for piece in best.pieces} == {"rising"}
    assert best.at(n=50, nnz=500, d=20, R=1.0, gamma=1.0, l2=1e-3) == 1


@pytest.mark.parametrize("method", ["spdc", "asdca"])
def test_the_best_batch_minimises_the_time(method):
    numbers = {
        "n": 400,
        "nnz": 4000,
        "d": 50,
        "R": 1.0,
        "gamma": 1.0,
        "l2": 1e-4,
        "nodes": 8,
        "unit": 0.5,
        "opening": 40.0,
    }
    best = theory.best_batch(method)
    assert "balances" in best.why
    at = best.at(**numbers)
    time = theory.parallel_time(method)
    of_m = sp.lambdify(m, best.time.subs({s: numbers[s.name] for s in best.time.free_symbols - {m}}), "math")
    times = [of_m(k) for k in range(1, 401)]
    assert 1 < at < 400
    assert at == int(np.argmin(times)) + 1
    assert time.at(**numbers, m=at) <= min(time.at(**numbers, m=8), time.at(**numbers, m=400)) * (1 + 1e-12)


def test_in_the_accelerated_regime_sending_and_computing_take_equally_long():
    """K ~ 1/sqrt(m): d/dm (A m + B)/sqrt(m) = 0 at A m = B."""
    pieces = [piece for piece in theory.best_batch("asdca").pieces if piece.best is not None]
    balance = (d * unit + opening) * sp.log(nodes, 2) / (nnz / (n * nodes))
    assert any(sp.simplify(piece.best - balance) == 0 for piece in pieces)


# ------------------------------------------------------------ tables, and what earlier analyses need
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


@pytest.mark.parametrize("theorem", ["earlier analyses", "earlier analyses, linear"])
@pytest.mark.parametrize("loss", LOSSES)
def test_earlier_analyses_need_a_smooth_dual(theorem, loss):
    """phi* curves without bound where it is an entropy: of logistic and softmax the slope has no limit at the end."""
    y = np.arange(30) % (3 if loss == "softmax" else 2)
    P = cdlab.Problem(np.random.default_rng(0).standard_normal((30, 4)), y, loss=loss, l2=0.1)
    bound = theory.bound("sdca", theorem=theorem)
    if loss in ("logistic", "softmax"):
        with pytest.raises(ValueError, match="dual_curvature < infinity|classes"):
            bound.for_problem(P, nu_linear=0.1)
    else:
        assert 0 < bound.for_problem(P, nu_linear=0.1, P0=0.5) < np.inf


@pytest.mark.parametrize("loss", LOSSES)
def test_the_conjugate_of_a_smooth_loss_curves_at_least_by_gamma(loss):
    made = cdlab.losses.resolve(loss)
    assert of_conjugate(made) >= made.gamma * (1 - 1e-9)
    assert np.isfinite(of_conjugate(made)) == (loss not in ("logistic", "softmax"))
    if loss in ("smooth_hinge", "huber"):
        assert of_conjugate(type(made)(0.3)) == pytest.approx(0.3)


def test_parallel_refusals():
    with pytest.raises(ValueError, match="takes no batches"):
        theory.best_batch("sdca")
    with pytest.raises(ValueError, match="no cost is known for partition 'rows'"):
        theory.parallel_time("sdca", "rows")


# ------------------------------------------------------------ tables
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
        order(m + n / m, sp.S.One)


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


@pytest.mark.parametrize("name", theory.table())
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


def test_names_stand_for_their_main_bounds():
    assert theory.crossover("spdc", "sdca") == theory.crossover(theory.bound("spdc"), theory.bound("sdca"))
    assert theory.crossing("spdc", "sdca", "kappa", n=1000, m=8) == pytest.approx((8000,))


def test_the_arrow_s_limits_are_those_of_the_matrix():
    """b fills the first column (one feature in every example), c the first row."""
    column, row = theory.limits()[-2:]
    for limit, letter in ((column, "b"), (row, "c")):
        X, _ = cdlab.datasets.arrow(5, 7, **{"a": 1.0, "b": 1.0, "c": 1.0, letter: 1e6})
        assert str(limit.symbol) == letter
        assert cdlab.faceoff(X).theorem3.ratio == pytest.approx(float(limit.value.subs({n: 7, d: 5})), rel=1e-5)
    assert "first column" in column.name
    assert "first row" in row.name
