"""How a theorem is stated: each part that is wrong is refused in a sentence that says what would be right."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import sympy as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.methods import RCD
from cdlab.theory.registry import forget
from cdlab.theory.symbols import P0, R_col, d, eps, forget_parameter, gamma, l1, l2, n, nnz, t

RIGHT = {
    "K": d * (R_col**2 / (gamma * n) + l2) / l2, "constant": P0, "bounded": "P(w)-P*", "W": nnz / d,
    "assumptions": (gamma > 0, l2 > 0, sp.Eq(l1, 0)), "source": "mine", "side": "primal",
}  # fmt: skip


def stated(**changed):
    return theory.contraction("rcd", "mine", **RIGHT | changed)


@each_of(
    "changed, error, words",
    [
        ({"bounded": "P-P*"}, ValueError, r"bounded must be 'P\(w\)-P\*', 'P-D', .* or '.*', not 'P-P\*'"),
        ({"side": "prim"}, ValueError, "side must be \"dual\" if .*, not 'prim'"),
        ({"constant": 0}, ValueError, "constant is the error to begin with, such as P0, and cannot be 0"),
        ({"K": "d/l2"}, TypeError, "K must be a sympy expression .*, not 'd/l2'"),
        ({"W": "nnz"}, TypeError, "W must be a sympy expression .*, not 'nnz'"),
        ({"W": None}, TypeError, "theorem 'mine' lacks W: nonzeros that an iteration visits"),
        ({"K": None}, TypeError, r"theorem 'mine' lacks K: 1/\(contraction factor\), such as"),
        ({"constant": None}, TypeError, "theorem 'mine' lacks constant: the error to begin with"),
        (
            {"bounded": None},
            TypeError,
            r"theorem 'mine' lacks bounded: the quantity that it bounds, one of 'P\(w\)-P\*'",
        ),
        ({"source": None}, TypeError, "theorem 'mine' lacks source: the paper"),
        ({"sources": "mine"}, TypeError, "given 'sources', which no theorem has; did you mean 'source'"),
        ({"assumptions": gamma > 0}, TypeError, r"assumptions must be a tuple .*; of one: \(l2 > 0,\)"),
        ({"assumptions": (l1 == 0,)}, TypeError, r"an assumption is False.*: write sympy.Eq\(l1, 0\)"),
        ({"assumptions": (gamma < 0,)}, ValueError, "an assumption is never true"),
        ({"assumptions": (gamma >= 0,)}, ValueError, "an assumption is always true: leave it out"),
        ({"assumptions": ("l2 > 0",)}, TypeError, "an assumption must be a sympy relation"),
    ],
)
def test_a_wrong_part_is_named(changed, error, words):
    with pytest.raises(error, match=words):
        stated(**changed)


def test_a_number_is_a_formula():
    assert stated(K=12.0).K == 12.0


def test_other_forms_are_checked_in_the_same_way():
    rest = {name: RIGHT[name] for name in ("W", "assumptions", "source", "side")}
    with pytest.raises(ValueError, match="bounded must be "):
        theory.decay("rcd", "mine", guarantee=P0 / (t + 1), bounded="P", **rest)
    with pytest.raises(TypeError, match="lacks W"):
        theory.decay("rcd", "mine", guarantee=P0 / (t + 1), bounded="P-D", **rest | {"W": None})
    with pytest.raises(ValueError, match="side must be"):
        theory.asymptotic("rcd", "mine", count=1 / eps, **rest | {"side": "left"})
    with pytest.raises(TypeError, match="lacks source"):
        theory.lemma("rcd", "mine", value=P0, target="the gain", assumptions=(), side="primal")


# ------------------------------------------------------------ parameters of one's own method
@dataclass(frozen=True)
class Blockwise(RCD):
    block: int = 3

    name: ClassVar[str] = "blockwise"


@pytest.fixture
def block():
    yield theory.parameter("block", "features in a block", "b", integer=True)
    forget_parameter("block")
    forget("blockwise")


def test_a_symbol_stands_for_a_parameter_of_ones_own(block):
    b = theory.contraction("blockwise", "smooth", **RIGHT | {"K": d / block, "W": block * nnz / d})
    theory.register(b)
    P = cdlab.Problem(*cdlab.datasets.make(n=20, d=6, seed=0), loss="logistic", l2=0.1)
    for instance in (Blockwise(), Blockwise(block=2)):
        assert theory.bound(instance, "K").for_problem(P) == 6 / instance.block
    assert theory.bound("blockwise", "K").at(d=6, block=2, n=20, gamma=4, l2=0.1) == 3
    assert theory.bound("blockwise", "K").latex() == r"\frac{d}{b}"
    assert theory.bound("blockwise", "K").where()["b"] == "features in a block"
    with pytest.raises(ValueError, match=r"needs block \(features in a block\).*: pass block="):
        theory.bound("blockwise", "K").for_problem(P)


def test_defaults_answer_for_the_name_alone(block):
    b = theory.contraction("blockwise", "smooth", **RIGHT | {"K": d / block}, defaults=((block, sp.Integer(3)),))
    theory.register(b)
    P = cdlab.Problem(np.eye(6), np.ones(6), loss="logistic", l2=0.1)
    assert theory.bound("blockwise", "K").for_problem(P) == 2


def test_a_parameter_that_no_part_of_the_theorem_mentions_is_not_covered(block):
    theory.register(theory.contraction("blockwise", "smooth", **RIGHT))
    with pytest.raises(ValueError, match="does not cover blockwise with block=2"):
        theory.bound(Blockwise(block=2))
    theory.register(theory.contraction("blockwise", "smooth", **RIGHT, neutral=("block",)))
    assert theory.bound(Blockwise(block=2)).theorem == "smooth"


def test_cdlabs_symbols_keep_their_meaning():
    with pytest.raises(ValueError, match=r"a symbol 'n' in cdlab.theory.SYMBOLS already \(number of examples\)"):
        theory.parameter("n", "something else")
    with pytest.raises(ValueError, match="the name of the method's field, not 'my block'"):
        theory.parameter("my block", "something")


def test_what_other_forms_of_theorems_need():
    parts = {"W": nnz / d, "assumptions": (l2 > 0,), "source": "mine", "side": "primal"}
    with pytest.raises(TypeError, match="theorem 'mine' lacks bounded"):
        theory.decay("rcd", "mine", guarantee=P0 / t, **parts)
    with pytest.raises(TypeError, match="theorem 'mine' lacks count: the order of the steps"):
        theory.asymptotic("rcd", "mine", **parts)
    with pytest.raises(TypeError, match="theorem 'mine' lacks W: "):
        theory.asymptotic("rcd", "mine", count=d, source="mine", side="primal")
    with pytest.raises(TypeError, match="theorem 'mine' lacks value: the bound itself"):
        theory.lemma("rcd", "mine", target="a step", assumptions=(), source="mine", side="primal")
