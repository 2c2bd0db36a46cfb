"""K, W and T of any sampling, serial or not: by definition and by listing blocks."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from faceoff_matrices import NAMES, uneven_problem
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.eso_parameters import bucket_importance
from cdlab.faceoffs import Work
from cdlab.samplings import Bucket, Distributed, Independent, Lipschitz, TauNice


def defined(P, p, q, u, v):
    """K = max s/(p l2 n), W = sum p c, T = K W with s = beta v + l2 n, coordinate by coordinate."""
    found, l2n, X = {}, P.l2 * P.n, P.X
    for letter, share, parameters, counts in (("P", p, u, (X != 0).sum(0)), ("D", q, v, (X != 0).sum(1))):
        K = max((P.beta * v_k + l2n) / (p_k * l2n) for p_k, v_k in zip(share, parameters, strict=True))
        W = sum(p_k * c for p_k, c in zip(share, counts, strict=True))
        found |= {f"K_{letter}": K, f"W_{letter}": W, f"T_{letter}": K * W}
    return pytest.approx([found[name] for name in NAMES], rel=1e-12)


def values(work):
    return [getattr(work, name) for name in NAMES]


# ---------------------------------------------------------------- serial samplings
@each_of("seed", range(3))
def test_uniform_and_importance_by_definition_are_the_closed_forms(seed):
    P = uneven_problem(seed=seed)
    f = cdlab.faceoff(P, samplings=["uniform", "importance"])
    assert values(f.by_sampling["uniform"]) == pytest.approx(values(f.uniform), rel=1e-12)
    assert values(f.by_sampling["importance"]) == pytest.approx(values(f), rel=1e-12)


@given(st.floats(0, 1), st.integers(0, 50))
def test_nesterov_s_family(power, seed):
    """p ~ L^a gives K = sum L^a max L^(1-a)/l2."""
    P = uneven_problem(seed=seed)
    work = cdlab.faceoff(P, samplings=[Lipschitz(power)]).by_sampling[Lipschitz(power).label]
    for K, side in ((work.K_P, "primal"), (work.K_D, "dual")):
        c = P.coordinates(side)
        L = c.smoothness[c.norms2 > 0] / P.n  # empty lines are no coordinates
        assert pytest.approx((L**power).sum() * (L ** (1 - power)).max() / P.l2, rel=1e-9) == K


def test_given_probabilities_belong_to_one_side():
    P = uneven_problem()
    p, q = np.arange(1.0, 7), np.arange(1.0, 13)
    work = cdlab.faceoff(P, samplings=[(p, q)]).by_sampling["given"]
    squares = P.X**2
    assert values(work) == defined(P, p / p.sum(), q / q.sum(), squares.sum(0), squares.sum(1))
    f = cdlab.faceoff(P, samplings=[(p, None), (None, q)])
    assert list(f.by_sampling) == ["given", "given'"]
    assert f.by_sampling["given"] == Work(K_P=work.K_P, W_P=work.W_P, T_P=work.T_P)
    assert f.by_sampling["given'"] == Work(K_D=work.K_D, W_D=work.W_D, T_D=work.T_D)
    assert f.by_sampling["given"].ratio is None


# ---------------------------------------------------------------- blocks
BOTH = {
    "tau_nice(tau=3)": TauNice(3),
    "independent(p=0.25)": Independent(0.25),
    "distributed(c=2, tau=2)": Distributed(2, 2),
}


@each_of("label", BOTH)
def test_blocks_have_their_own_parameters_in_place_of_squared_norms(label):
    P, sampling = uneven_problem(), BOTH[label]
    work = cdlab.faceoff(P, samplings=[sampling]).by_sampling[label]
    u, v = cdlab.eso(P, sampling, "primal"), cdlab.eso(P, sampling, "dual")
    assert values(work) == defined(P, sampling.marginals(6), sampling.marginals(12), u, v)


@each_of("label", BOTH)
def test_W_is_the_mean_number_of_nonzeros_of_a_drawn_block(label):
    P, sampling = uneven_problem(), BOTH[label]
    work, rng = cdlab.faceoff(P, samplings=[sampling]).by_sampling[label], np.random.default_rng(0)
    blocks = sampling.draws(12, rng)
    counts = (P.X != 0).sum(1)
    drawn = np.array([counts[next(blocks)].sum() for _ in range(4000)])
    assert work.W_D == pytest.approx(drawn.mean(), abs=5 * drawn.std() / np.sqrt(drawn.size) + 1e-12)


def test_blocks_of_one_are_uniform_sampling_and_sparse_data_make_blocks_free():
    P = uneven_problem()
    f = cdlab.faceoff(P, samplings=[TauNice(1)])
    assert values(f.by_sampling["tau_nice(tau=1)"]) == pytest.approx(values(f.uniform), rel=1e-12)
    diagonal = cdlab.Problem(np.diag(np.arange(1.0, 5)), [1, -1, 1, -1], loss="squared", l2=0.1)
    f = cdlab.faceoff(diagonal, samplings=[TauNice(4)])  # no two lines meet: four at a time, a fourth of the iterations
    assert f.by_sampling["tau_nice(tau=4)"].K_D == pytest.approx(f.uniform.K_D / 4)
    assert f.by_sampling["tau_nice(tau=4)"].T_D == pytest.approx(f.uniform.T_D)


def test_each_side_may_have_its_own_and_buckets_their_importance():
    P = uneven_problem(24, 8)
    features, examples = np.array_split(np.arange(8), 2), np.array_split(np.arange(24), 4)
    plain = (Bucket(features), Bucket(examples))
    best = (bucket_importance(P, features, "primal"), bucket_importance(P, examples, "dual"))
    f = cdlab.faceoff(P, samplings=[plain, best, (None, TauNice(4))])
    uniform, importance = f.by_sampling["bucket(2 buckets) / bucket(4 buckets)"], list(f.by_sampling.values())[1]
    assert importance.K_P <= uniform.K_P
    assert importance.K_D < uniform.K_D
    q, v = best[1].marginals(24), cdlab.eso(P, best[1])
    assert importance.K_D == pytest.approx(((v + P.l2 * P.n) / (q * P.l2 * P.n)).max())
    assert f.by_sampling["tau_nice(tau=4)"].K_P is None
    table = f.table()
    assert table.loc[("dual", "tau_nice(tau=4)"), "T"] == f.by_sampling["tau_nice(tau=4)"].T_D
    assert np.isnan(table.loc[("primal", "tau_nice(tau=4)"), "T"])
    assert (
        json.loads(json.dumps(f.to_dict()))["by_sampling"]["tau_nice(tau=4)"]["K_D"]
        == f.by_sampling["tau_nice(tau=4)"].K_D
    )


def test_sparse_and_dense_agree():
    P = uneven_problem()
    for a, b in zip(
        *(cdlab.faceoff(Q, samplings=list(BOTH.values())).by_sampling.values() for Q in (P, problem_sparse(P))),
        strict=True,
    ):
        assert values(a) == pytest.approx(values(b), rel=1e-12)


def problem_sparse(P):
    return cdlab.Problem(sp.csr_matrix(P.X), P.y, loss="squared", l2=P.l2)


# ---------------------------------------------------------------- where there is no bound
@each_of("order", ["cyclic", "permutation", "fixed_permutation"])
def test_no_theorem_covers_an_order(order):
    with pytest.raises(ValueError, match=f"{order} is an order, which no theorem covers"):
        cdlab.faceoff(uneven_problem(), samplings=[order])


@each_of(
    "sampling, words",
    [
        (TauNice(7), "on the primal side, with 6 features: .* take tau <= 6"),
        ((TauNice(7), None), "on the primal side"),
        (np.ones(12), "on the primal side, with 6 features"),
        ((None, np.r_[np.zeros(1), np.ones(11)]), "on the dual side, given never draws coordinate 0"),
        ((None, None), "a pair of samplings is"),
        (("uniform",), "a pair of samplings is"),
        ("unifrom", "did you mean 'uniform'"),
        ("tau_nice", "needs arguments"),
    ],
)
def test_what_does_not_fit_is_refused(sampling, words):
    with pytest.raises(ValueError, match=words):
        cdlab.faceoff(uneven_problem(), samplings=[sampling])


@each_of("one", ["uniform", TauNice(2), np.ones(3)])
def test_one_sampling_is_still_a_list(one):
    with pytest.raises(TypeError, match="must be a list, even of one"):
        cdlab.faceoff(uneven_problem(), samplings=one)


def test_reasons_hold_for_all_samplings():
    for settings in ({"loss": "hinge"}, {"l2": 0.0}):
        assert cdlab.faceoff(uneven_problem(**settings), samplings=["norms"]).by_sampling == {"norms": Work()}
    work = cdlab.faceoff(uneven_problem(l1=0.1), samplings=[TauNice(2)]).by_sampling["tau_nice(tau=2)"]
    assert (work.K_P, work.T_P, work.ratio) == (None, None, None)
    assert work.T_D > 0
    with pytest.raises(ValueError, match="belong to a loss"):
        cdlab.faceoff(np.eye(2), samplings=["norms"])


# ---------------------------------------------------------------- a matrix with a loss
def test_labels_play_no_part():
    P = uneven_problem()
    assert cdlab.faceoff(P.X, loss="squared", l2=0.1, samplings=[TauNice(2)]) == cdlab.faceoff(
        P, samplings=[TauNice(2)]
    )


@each_of(
    "arguments, settings, words",
    [
        (uneven_problem(), {"l2": 0.1}, "the Problem has its own"),
        (uneven_problem(), {"loss": "squared", "l2": 0.1}, "the Problem has its own"),
        (np.eye(2), {"loss": "squared"}, "loss and l2 go together"),
        (np.eye(2), {"l2": 0.1}, "loss and l2 go together"),
        (np.eye(2), {"loss": "squared", "l2": -1}, "l2 must be a finite number >= 0, not -1"),
        (np.eye(2), {"loss": "squared", "l2": True}, "l2 must be"),
        (np.eye(2), {"loss": "cubic", "l2": 1}, "cubic"),
    ],
)
def test_the_objective_is_named_once(arguments, settings, words):
    with pytest.raises(ValueError, match=words):
        cdlab.faceoff(arguments, **settings)
