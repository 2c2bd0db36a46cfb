"""Constants of theorems about softmax are Euclidean: two classes are to them what the logistic loss is with l2/2."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each_of
from problems import data

import cdlab
from cdlab.theory import registry

# Weights of the squared norm are halved with l2, and steps of w = w_1 - w_0 are twice those of w_1.
GIVEN = {"delta": 1e-3, "step": 0.01, "inexactness": 0.5, "prox_weight": 0.3}
HALVED = {"delta": 5e-4, "step": 0.02, "inexactness": 0.5, "prox_weight": 0.15}
OTHERWISE = {
    ("sdca", "safe ball"): np.sqrt(0.5),  # of (w_0, w_1), whose norm is that of w over sqrt(2)
    ("newton_cd", "quadratic"): np.sqrt(2),  # over such a distance
    ("sdca", "almost smooth"): None,  # nu is another one
    ("sdca", "added l2"): None,  # by ||w||_1, which is the same
    ("spdc", "both distances"): None,  # the larger of that of w, which halves, and that of alpha, which doubles
    ("spdc", "both distances, as printed"): None,
    ("spdc", "optimum with perturbed loss"): None,  # delta ||alpha||^2 is another perturbation
    ("spdc", "optimum with perturbed both"): None,
}


def said(b, P, given):
    """What a theorem says of a problem, and its curve; None where it says nothing."""
    b = replace(b, fallback=None)
    symbols = b.symbols | getattr(b.guarantee, "free_symbols", set())
    known = {name: given[name] for name in {s.name for s in symbols} & given.keys()}
    try:
        value = b.for_problem(P, **({"eps": 1e-4} if b.counts else {}), **known)
    except ValueError:
        return None, None
    return value, b.curve(P, [0.0, 1.0, 10.0, 100.0], **known) if b.counts and b.guarantee is not None else None


@pytest.mark.parametrize("l1", [0.0, 0.01])
@pytest.mark.parametrize("l2", [0.5, 1e-2, 0.0])
def test_two_classes_are_the_logistic_loss_with_half_of_l2(l2, l1):
    """gamma l2, L^2/l2 and R^2 l2 stay, and the squared distance of (w_0, w_1) is half of that of w."""
    X, y = data()
    two, one = cdlab.Problem(X, y, "softmax", l2=l2, l1=l1), cdlab.Problem(X, y, "logistic", l2=l2 / 2, l1=l1)
    given, halved = (GIVEN, HALVED) if l2 > 0 else (GIVEN | {"w2": 3.0}, HALVED | {"w2": 6.0})  # else by ||w||_1
    heard = set()
    for b in (b for b in registry.all_theorems() if b.vectors):
        (value, curve), (other, same) = said(b, two, given), said(b, one, halved)
        assert (value is None) == (other is None), b
        ratio = OTHERWISE.get((b.method, b.theorem), 1.0)
        if value is None or ratio is None:
            continue
        heard.add(b.method)
        assert value == pytest.approx(ratio * other, rel=2e-3), b  # L_f is found to 1e-3
        if curve is not None:
            factor = 0.5 if b.bounded == "|w-w*|^2" else 1.0
            np.testing.assert_allclose(np.log(curve), np.log(factor * np.asarray(same)), rtol=2e-3, atol=2e-3)
    if l2 > 0:
        methods = {"sdca", "svrg", "saga", "spdc", "apcg", "appa", "dual_appa", "accprox_sdca"}
        assert heard >= methods | ({"asdca"} if l1 == 0 else set())


@each_of("name", ["svrg", "saga", "asdca", "spdc", "apcg", "appa", "acc_appa", "dual_appa", "accprox_sdca"])
def test_every_theorem_of_a_method_that_takes_softmax_is_about_it(name):
    """But for spdc's on perturbed problems, in which l1 sqrt(d) is a constant of one prediction."""
    others = {b.theorem for b in registry.theorems_of(name) if not b.vectors}
    assert all(name == "spdc" and theorem.startswith("perturbed ") for theorem in others)
