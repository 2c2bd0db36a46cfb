"""The sentence about each plausible mistake in a sampling of one's own."""

from dataclasses import dataclass
from itertools import repeat
from typing import ClassVar

import numpy as np
import pytest
from by_nonzeros import ByNonzeros
from cases import each_of
from problems import problem

import cdlab
from cdlab import testing
from cdlab.samplings import Sampling, normalised

pytestmark = pytest.mark.full  # a push tries what is right, in test_exercises.py


class Wrong(ByNonzeros):
    name = "wrong"


def drawing(**changed):
    return dataclass(frozen=True)(type("Drawing", (Wrong,), changed))()


SAMPLED = {
    "weights": ({"probabilities": lambda self, c: c.counts + 1.0}, r"must sum to 1, not .*normalised"),
    "one too few": ({"probabilities": lambda self, c: np.ones(c.m - 1)}, r"shape \(6,\), one for each coordinate"),
    "never the last": (
        {"probabilities": lambda self, c: np.r_[np.ones(c.m - 1), 0] / max(1, c.m - 1)},
        "never drawn is never optimised",
    ),
    "never the shortest": (
        {"probabilities": lambda self, c: normalised(c.counts - c.counts.min() + (np.ptp(c.counts) == 0) * 1.0)},
        "never drawn is never optimised",
    ),
    "uniform draws": (
        {"epochs": lambda self, c, rng: (rng.integers(c.m, size=c.m, dtype=np.uint64) for _ in repeat(0))},
        r"was drawn with frequency 0\.\d+ .* its probability is",
    ),
    "a generator of its own": (
        {"epochs": lambda self, c, rng: Sampling.epochs(self, c, np.random.default_rng())},
        "the same seed gave other draws",
    ),
    "a fact that coordinates have not": (
        {"probabilities": lambda self, c: normalised(c.nnz)},
        r"sampling wrong: <lambda> \(test_wrong_samplings\.py, line \d+\) fails: Coordinates has no 'nnz'; it has "
        r"beta, counts, l2n, m, norms2, smoothness$",
    ),
    "no self": (
        {"probabilities": lambda c: normalised(c.counts)},
        r"its probabilities takes \(c\) and is called with \(self, c\): write def probabilities\(self, c\)",
    ),
    "signed indices": (
        {"epochs": lambda self, c, rng: (rng.integers(c.m, size=c.m) for _ in repeat(0))},
        "dtype uint64",
    ),
    "from 1": (
        {"epochs": lambda self, c, rng: (rng.integers(c.m, size=c.m, dtype=np.uint64) + 1 for _ in repeat(0))},
        "drew coordinate 6 of 6",
    ),
}


@each_of("mistake", SAMPLED)
def test_a_wrong_sampling_is_told_what_is_wrong(mistake):
    changed, sentence = SAMPLED[mistake]
    with pytest.raises(AssertionError, match=sentence) as error:
        testing.check_sampling(drawing(**changed))
    assert "\n" not in str(error.value)


OF_DRAWS = {  # what a run would draw from other probabilities than its steps are for, or not at all
    "NaN": (lambda c: np.full(c.m, np.nan), "finite and at least 0; that of coordinate 0"),
    "negative": (lambda c: np.r_[-1.0, np.full(c.m - 1, 2 / (c.m - 1))], "at least 0; that of coordinate 0 .* is -1"),
    "divided by the largest": (lambda c: c.norms2 / c.norms2.max(), r"must sum to 1, not \d+.*normalised"),
    "a list": (lambda c: [1 / c.m] * c.m, "an array of float64, not a value of type list"),
    "float32": (lambda c: np.full(c.m, 1 / c.m, np.float32), "an array of float64, not an array of float32"),
    "nothing": (lambda c: None, "an array of float64, not None"),
    "one too few": (lambda c: np.full(c.m - 1, 1 / (c.m - 1)), "one for each coordinate; they have"),
}


@each_of("mistake", OF_DRAWS)
def test_no_run_draws_from_what_is_no_distribution(mistake):
    p, sentence = OF_DRAWS[mistake]
    own = drawing(probabilities=lambda self, c: p(c))
    with pytest.raises(ValueError, match=f"sampling wrong of .* coordinates: probabilities .*{sentence}"):
        cdlab.solve(problem(), "sdca", sampling=own)
    with pytest.raises(AssertionError, match=sentence):
        testing.check_sampling(own)


def test_weights_in_an_array_are_divided_by_their_sum():
    P = problem()
    weights = np.linspace(1, 7, P.n)
    a, b = (cdlab.solve(P, "sdca", sampling=w, tol=0, max_passes=3).w for w in (weights, weights / weights.sum()))
    np.testing.assert_array_equal(a, b)


def test_weights_are_an_array():
    """Coordinates are a tuple, so that c.count is a function of Python's."""
    with pytest.raises(
        TypeError, match="normalised takes an array of weights, one for each coordinate, not a value of "
    ):
        testing.check_sampling(drawing(probabilities=lambda self, c: normalised(c.count)))


def test_a_misspelt_method_of_a_sampling_is_not_uniform_in_silence():
    @dataclass(frozen=True)
    class Misspelt(Sampling):
        name: ClassVar[str] = "misspelt"

        def probability(self, c):
            return normalised(c.counts + 1.0)

    with pytest.raises(AssertionError, match="misspelt draws uniformly: .*is probability meant to be probabilities?"):
        testing.check_sampling(Misspelt())


def test_a_sampling_by_smoothness_says_that_it_needs_it():
    with pytest.raises(AssertionError, match=r"not finite where the loss is not smooth .*needs_smooth: .* = True"):
        testing.check_sampling(drawing(probabilities=lambda self, c: normalised(c.smoothness)))
    smooth = {"probabilities": lambda self, c: normalised(c.smoothness), "needs_smooth": True}
    assert testing.check_sampling(drawing(**smooth)) is None


def test_a_sampling_says_its_name():
    with pytest.raises(TypeError, match="sampling Nameless does not say its name: add to the class name: ClassVar"):

        class Nameless(Sampling):
            pass


def test_a_sampling_is_a_dataclass():
    bare = type("Bare", (Wrong,), {"__annotations__": {"power": float}, "power": 2.0})
    with pytest.raises(AssertionError, match=r"sampling wrong is not a dataclass, .*: write @dataclass\(frozen=True\)"):
        testing.check_sampling(bare())
    with pytest.raises(TypeError, match="sampling Bare is not a dataclass and has no parameters of its own"):
        bare(power=1.0)
