"""Every refusal is one clear sentence."""

import numpy as np
import pytest
from cases import each_of

from cdlab import theory


def sentence(call, *words, error=ValueError):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert len(text.split()) >= 5, text
    assert "\n" not in text
    for word in words:
        assert word in text, text


def test_unknown_names_list_the_known_ones():
    sentence(lambda: theory.bound("sdka"), "no bound for 'sdka'", "'quartz', 'rcd'")
    sentence(lambda: theory.bound("sdca", "seconds"), "unknown quantity 'seconds'", "iterations", "passes")
    sentence(lambda: theory.bound("rcd", theorem="averaged"), "rcd has no theorem 'averaged'", "'smooth'")
    sentence(
        lambda: theory.bound("rcd", sampling="gaussian"),
        "does not cover sampling 'gaussian'",
        "'uniform', 'importance'",
        "(any probabilities: cdlab.theory.bound('rcd', sampling=p))",
    )
    sentence(
        lambda: theory.bound("sdca", sampling="importance", theorem="lipschitz"),
        "'lipschitz'",
        "'importance'",
        "'uniform'",
    )


@each_of("order", ["permutation", "fixed_permutation", "cyclic"])
def test_no_theorem_covers_a_fixed_order(order):
    class Order:
        name = order

    for sampling in (order, Order()):
        sentence(lambda s=sampling: theory.bound("sdca", sampling=s), f"no theorem covers {order} sampling", "uniform")


def test_keywords_of_at():
    b = theory.bound("sdca", "iterations")
    given = {"n": 10, "l2": 0.1, "gamma": 1.0, "R": 1.0, "D0": 1.0, "eps": 1e-3}
    for name in given:
        rest = {k: v for k, v in given.items() if k != name}
        sentence(lambda rest=rest: b.at(**rest), f"needs {name}: pass {name}=...")
    sentence(lambda: b.at(n=10), "needs D0, R, eps, gamma, l2", "D0=..., R=..., eps=...")
    sentence(lambda: b.at(**given, lam=1), "unknown keyword 'lam'", "l2, l1, gamma")
    sentence(lambda: b.at(**given, t=1), "unknown keyword 't'")
    assert b.at(**given, C_P=3.0, m=2, Rbar=0.5) == b.at(**given)  # one set of numbers serves all bounds


def test_values_out_of_range():
    b = theory.bound("sdca", "iterations")
    given = {"n": 10, "l2": 0.1, "gamma": 1.0, "R": 1.0, "D0": 1.0, "eps": 1e-3}
    sentence(lambda: b.at(**given | {"eps": 0}), "eps must be positive")
    sentence(lambda: b.at(**given | {"n": np.array([3, -1])}), "n must be positive, not -1")
    sentence(lambda: b.at(**given | {"R": -1.0}), "R must be at least 0")
    sentence(lambda: b.at(**given | {"D0": np.nan}), "D0 must be at least 0, not nan")
    sentence(lambda: b.at(**given | {"n": "ten"}), "n must be a number", error=TypeError)
    sentence(lambda: b.at(**given | {"gamma": np.array([1.0, 0.0])}), "needs gamma > 0", "gamma = [1. 0.]")
    sentence(lambda: theory.bound("greedy").at(l1=0.1), "needs l1 = 0", "l1 = 0.1")
    sentence(lambda: theory.bound("sdca", theorem="lipschitz").at(L=np.inf), "needs L < infinity")
    sentence(
        lambda: theory.bound("rcd", "iterations").at(
            **given | {"d": 3, "R_col": 0.0, "P0": np.inf, "gamma": np.inf, "l2": 0.0}
        ),
        "needs l2 > 0",
    )


def test_an_undefined_result_is_not_returned():
    # no data, and no nonzero either: passes are 0/0
    sentence(
        lambda: theory.bound("rcd", "passes", "importance").at(n=3, nnz=0, l2=1, gamma=1, C_P=0, P0=1, eps=0.1),
        "undefined",
    )


def test_failed_assumptions_of_a_problem_name_what_fits(golden):
    sentence(
        lambda: theory.bound("sdca").for_problem(golden("hinge")),
        "needs gamma > 0", "gamma = 0", "bound('sdca', sampling='uniform', theorem='lipschitz') covers it",
    )  # fmt: skip
    sentence(lambda: theory.bound("sdca").curve(golden("hinge"), [0, 1]), "needs gamma > 0")
    sentence(
        lambda: theory.bound("greedy").for_problem(golden(l1=0.1)),
        "needs l1 = 0", "bound('sdca', sampling='uniform', theorem='smooth') covers it",
    )  # fmt: skip
    sentence(
        lambda: theory.bound("sdca", theorem="lipschitz").for_problem(golden("squared")),
        "needs L < infinity", "L = inf", "theorem='smooth') covers it",
    )  # fmt: skip
    with pytest.raises(ValueError, match="needs l2 > 0") as caught:
        theory.bound("quartz").for_problem(golden(l2=0.0))
    assert "covers it" not in str(caught.value)  # nothing does


def test_for_problem_arguments(golden):
    b = theory.bound("sdca")
    sentence(lambda: b.for_problem(golden(), eps=0), "eps must be positive")
    sentence(lambda: b.for_problem(golden(), eps=-1), "eps must be positive")
    sentence(lambda: b.for_problem(golden(), Dstar=1), "unknown keyword 'Dstar'")


def test_probabilities(golden):
    sentence(lambda: theory.bound("sdca", sampling=np.ones((2, 2))), "1-D array of probabilities")
    sentence(lambda: theory.bound("sdca", sampling=["a"]), "1-D array of probabilities")
    sentence(lambda: theory.bound("sdca", sampling=[0.5, 0.5, -0.1]), "every sampling probability must be positive")
    sentence(
        lambda: theory.bound("sdca", sampling=[0.5, 0.5]).for_problem(golden()),
        "2 sampling probabilities",
        "5 coordinates",
    )
    given = theory.bound("sdca", "iterations", sampling="given")
    sentence(lambda: given.for_problem(golden()), "pass the array itself")
    assert given.for_problem(golden(), K=10.0, W=1.0, eps=0.1, D0=0.5, P0=0.5) == pytest.approx(10 * np.log(100))


def test_what_a_theorem_does_not_have():
    sentence(lambda: theory.bound("sdca", "K", theorem="lipschitz"), "not a contraction", "examples, arithmetic")
    sentence(lambda: theory.bound("sdca", "cost per iteration").sharper(), "no sharper form")
    sentence(lambda: theory.theorem2_small(1), "needs m >= 2")


def test_what_is_not_a_problem_a_bound_or_one_number(golden):
    b = theory.bound("sdca")
    sentence(lambda: b.for_problem(golden().X), "a cdlab.Problem", "an array of shape", error=TypeError)
    sentence(lambda: theory.table("face-off").for_problem(3), "a cdlab.Problem", error=TypeError)
    sentence(lambda: b.for_problem(golden(), eps=[1e-3, 1e-6]), "eps must be one number", error=TypeError)
    sentence(lambda: theory.crossover(3, b), "bound or the name of a method", error=TypeError)
    sentence(lambda: theory.crossing("spdc", "sdca", "kappa", n=[10, 20], m=2), "n must be one number")
    sentence(lambda: b.at(n=[1, 2], l2=[1, 2, 3], gamma=1, R=1, D0=1, eps=0.1), "n (2,), l2 (3,)", "broadcast")


@pytest.mark.parametrize("passes", [[-1], [0, float("nan")], ["a"]])
def test_a_curve_begins_at_no_passes(golden, passes):
    sentence(lambda: theory.bound("sdca").curve(golden(), passes), "passes must be numbers >= 0")


def test_a_theorem_needs_a_guarantee_or_a_count():
    with pytest.raises(ValueError, match="needs a guarantee, a count, or both"):
        theory.decay("rcd", "mine", guarantee=None, bounded="P-D", W=1, side="primal", assumptions=(), source="mine")
