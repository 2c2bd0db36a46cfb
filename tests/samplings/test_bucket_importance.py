"""Importance sampling of one coordinate from each bucket: fewer iterations than without it."""

import numpy as np
import pytest
from cases import each_of
from problems import data
from scipy.optimize import minimize

import cdlab
from cdlab.eso_parameters import bucket_importance
from cdlab.samplings import Bucket, TauNice


def uneven(n=24, d=10, loss="squared", seed=0, **weights):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5) * np.exp(1.5 * rng.standard_normal((n, 1)))
    return cdlab.Problem(X, np.sign(rng.standard_normal(n)), loss=loss, **{"l2": 1 / n, **weights})


def iterations(P, sampling, side="dual"):
    """max_i (beta v_i + l2 n)/(p_i l2 n)."""
    p = sampling.probabilities(P.coordinates(side))
    return ((P.beta * cdlab.eso(P, sampling, side=side) + P.l2 * P.n) / (p * P.l2 * P.n)).max()


def parts(m, tau):
    return np.array_split(np.random.default_rng(1).permutation(m), tau)


@each_of("side", ["dual", "primal"])
@each_of("seed", range(5))
def test_it_needs_fewer_iterations_than_uniform_buckets(side, seed):
    P = uneven(seed=seed)
    buckets = parts(P.coordinates(side).m, 4)
    sampling = bucket_importance(P, buckets, side)
    assert [b.tolist() for b in sampling.buckets] == [b.tolist() for b in buckets]
    assert iterations(P, sampling, side) <= iterations(P, Bucket(buckets), side)


def test_on_uneven_examples_by_far():
    P = uneven()
    few = iterations(P, bucket_importance(P, parts(P.n, 4)))
    assert few < iterations(P, Bucket(parts(P.n, 4))) / 2
    assert few < iterations(P, TauNice(4)) / 2


def test_one_bucket_is_importance_sampling():
    """And needs n + beta F/(l2 n) iterations."""
    P = uneven()
    sampling = bucket_importance(P, [np.arange(P.n)])
    np.testing.assert_allclose(
        sampling.inside, cdlab.samplings.resolve("importance").probabilities(P.coordinates("dual")), rtol=1e-13
    )
    assert iterations(P, sampling) == pytest.approx(cdlab.faceoff(P).K_D, rel=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_no_probabilities_are_much_better(seed):
    """A direct search over all p finds up to 16% more: it lets easy buckets make way for the hardest one."""
    P = uneven(n=8, d=5, seed=seed)
    buckets = [np.arange(4), np.arange(4, 8)]
    ours = iterations(P, bucket_importance(P, buckets))

    def value(t):
        return np.log(iterations(P, Bucket(buckets, np.exp(t))))

    start = np.log(bucket_importance(P, buckets).inside)
    found = min(
        minimize(value, start + shift, method="Nelder-Mead", options={"maxiter": 600, "maxfev": 600}).fun
        for shift in (0.0, 0.1 * np.random.default_rng(seed).standard_normal(8))
    )
    assert ours <= np.exp(found) * 1.2


def test_a_run_with_it_converges():
    P = uneven(loss="logistic")
    sampling = bucket_importance(P, parts(P.n, 4))
    s = cdlab.solve(P, "quartz", sampling=sampling, tol=1e-6, max_passes=20_000)
    assert s.status == "tolerance reached"
    assert s.trace.label == "quartz, bucket(4 buckets)"


def test_equal_examples_are_drawn_uniformly():
    X = np.where(np.random.default_rng(0).standard_normal((12, 5)) > 0, 1.0, -1.0)
    P = cdlab.Problem(X, np.r_[np.ones(6), -np.ones(6)], l2=0.1)
    np.testing.assert_allclose(
        bucket_importance(P, [np.arange(4), np.arange(4, 12)]).inside, np.repeat([1 / 4, 1 / 8], (4, 8))
    )


@pytest.mark.parametrize("settings", [{"l2": 0.0}, {"loss": "hinge"}])
def test_it_needs_what_the_bound_needs(settings):
    with pytest.raises(ValueError, match="needs l2 > 0 and a smooth loss"):
        bucket_importance(uneven(**settings), [np.arange(24)])


def test_buckets_must_be_a_partition():
    X, y = data()
    with pytest.raises(ValueError, match="does not fit 30 coordinates"):
        bucket_importance(cdlab.Problem(X, y), [np.arange(29)])


def test_iterations_beyond_float64_are_refused():
    with pytest.raises(ValueError, match="exceed float64"):
        bucket_importance(uneven(l2=1e308), parts(24, 3))
