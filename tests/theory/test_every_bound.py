"""What every bound must have: documented keywords, a source, clean LaTeX, a value, the right monotony."""

import re

import numpy as np
import pytest
import sympy as sp
from cases import pushed
from formulas import naming

from cdlab import theory
from cdlab.theory import registry
from cdlab.theory import symbols as S
from cdlab.theory.evaluate import first_failed, in_words

COUNTING = [b for b in registry.all_theorems() if b.counts]
COUNTED = sorted({b.method for b in COUNTING})


def counts_of(method):
    return [b for b in COUNTING if b.method == method]


# ------------------------------------------------------------ every bound
@pytest.mark.full
def test_bounds_lists_each_theorem_for_each_of_its_quantities_once():
    listed = [(b.method, b.theorem, b.sampling, b.quantity) for b in theory.bounds()]
    assert listed == [(b.method, b.theorem, b.sampling, quantity) for b in COUNTING for quantity in b.quantities]
    assert len(set(listed)) == len(listed)
    samplings = {"uniform", "importance", "norms", "lipschitz", "given"}
    for method in ("sdca", "quartz", "rcd"):
        assert {b.sampling for b in COUNTING if b.method == method} >= samplings


@pytest.mark.parametrize("method", pushed(registry.methods(), "sdca", "rcd", "appa", "spdc", "svrg"))
def test_every_theorem_is_documented_typeset_and_evaluable(method, numbers_for):
    for b in registry.theorems_of(method):
        with naming(b):  # in passes K, W and the logarithm are in one formula
            documented_typeset_and_evaluable(b.per("passes") if b.counts else b, numbers_for(b))


def documented_typeset_and_evaluable(b, numbers):
    assert b.source
    assert b.kind in ("theorem", "checked", "asymptotic")
    assert b.step in ("iteration", "stage")
    assert all(isinstance(assumption, sp.logic.boolalg.Boolean) for assumption in b.assumptions)
    keywords = set(theory.SYMBOLS) - {"t"}
    assert {symbol.name for symbol in b.symbols} <= keywords
    assert {symbol.name for a in b.assumptions for symbol in a.free_symbols} <= keywords
    assert b.where().keys() == {S.to_latex(symbol) for symbol in b.expr.free_symbols}

    value = b.at(**numbers)
    assert isinstance(value, float)
    assert value >= 0
    exactly = b.expr.subs({theory.SYMBOLS[k]: v for k, v in numbers.items()})
    assert value == pytest.approx(max(0.0, float(exactly)), rel=1e-9)

    column, row = np.array([[1.0], [0.5]]) * numbers["eps"], numbers["R"] * np.array([1.0, 1.1, 1.2])
    grid = b.at(**numbers | {"eps": column, "R": row})
    assert np.shape(np.broadcast_to(grid, (2, 3))) == (2, 3)

    latex = b.latex()
    for formula in (latex, *b.latex_definitions()):
        well_formed(formula)
    sentence = b.explain()
    drawn = "" if b.sampling == "none" else f" with {b.sampling} sampling"
    assert sentence.startswith(f"{b.method}{drawn}: ")
    assert sentence.endswith(f"({b.source}).")
    if b.quantity != "cost per iteration":
        assert all(in_words(assumption) in sentence for assumption in b.assumptions)
    assert b._repr_latex_() == rf"$\displaystyle {latex}$"


def well_formed(latex):
    """Braces and \\left ... \\right pair up, scripts do not stack, no code name is left."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        assert depth >= 0, latex
    assert depth == 0, latex
    assert latex.count(r"\left") == latex.count(r"\right"), latex
    assert not re.search(r"\^\{[^{}]*\}\^|_\{[^{}]*\}_|\^\w\^|\^\w_\w\^", latex), (
        latex
    )  # a double script is an error in TeX
    bare = re.sub(r"\\(mathrm|operatorname|text|begin|end)\{\w+\}|\\[A-Za-z]+", " ", latex)
    assert re.findall(r"[A-Za-z][A-Za-z0-9]+", bare) == [], latex  # "l2" or "gap0" would be typeset letter by letter


def test_the_papers_letters():
    latex = {
        ("sdca", "passes", "uniform"): r"\left(1 + \frac{R^{2}}{\gamma \lambda n}\right) "
        r"\ln{\left(\frac{\left(D^{*}-D_{0}\right) "
        r"\left(n + \frac{R^{2}}{\gamma \lambda}\right)}{\varepsilon} \right)}",
        ("rcd", "T", "importance"): r"\mathrm{nnz} + \frac{C_P}{\gamma \lambda n}",
        ("quartz", "T", "uniform"): r"\mathrm{nnz} \left(1 + \frac{R^{2}}{\gamma \lambda n}\right)",
        ("quartz", "cost per iteration", "importance"): r"\frac{\gamma \lambda n \,\mathrm{nnz} + C_D}"
        r"{\gamma \lambda n^{2} + {\left\|X\right\|_F^2}}",
        ("rcd", "iterations", "norms"): r"K \ln{\left(\frac{P_{0}-P^{*}}{\varepsilon} \right)}",
        ("rcd", "K", "importance"): r"d + \frac{{\left\|X\right\|_F^2}}{\gamma \lambda n}",
    }
    for (method, quantity, sampling), expected in latex.items():
        assert theory.bound(method, quantity, sampling).latex() == expected
    definitions = theory.bound("rcd", sampling="lipschitz").latex_definitions()
    assert definitions == [
        r"K = \max_{i}{\left(\frac{s_{i}}{\lambda n p_{i}} \right)}",
        r"W = \sum_{i=1}^{d} c_{i} p_{i}",
        r"s_{i} = \lambda n + \frac{v_{i}}{\gamma}",
        r"p_{i} = \frac{s_{i}^{a}}{\sum_{k=1}^{d} s_{k}^{a}}",
    ]


START = ("D0", "P0", "gap0", "w2", "w2_p", "a2", "g2")
WORSE_SMALLER = ("l2", "gamma", "mu", "lmin", "mu_rows", "mu_cols", "lam_p", "G_min", "sigma_1")
WORSE_LARGER = ("R", "Rbar", "R_col", "F", "L_f", "C_P", "C_D", "L", "K", "W", "G_max", "bend")


def keywords(b, among):
    """Those that the bound depends on."""
    names = {symbol.name for symbol in b.expr.free_symbols}
    if b.theorem.startswith("lipschitz") or b.theorem == "last point":
        names -= {"R", "L"} & set(WORSE_LARGER)  # t0 falls with L R: the 1/t rate starts sooner
    return [name for name in among if name in names]


PRECISION_FREE = {("accprox_sdca", "total"), ("pseudoinverse", "table 1")}  # up to logarithms, and exact
CONDITION_FREE = {  # of K: the weight is mu, the stages fit the condition, or the statement has none but in its norm
    ("acc_rcd", "convex"),
    ("rcd", "convex"),
    ("appa", "corollary 2.5"),
    ("dual_appa", "corollary 2.11"),
    ("svrg", "averaged long stages"),
    ("sdca", "earlier analyses"),
    ("sdca", "earlier analyses, linear"),
    ("row_sampling", "table 1"),
    ("pseudoinverse", "table 1"),
}


@pytest.mark.full
@pytest.mark.parametrize("method", COUNTED)
def test_more_precision_and_a_worse_start_never_cost_less(method, numbers_for):
    grid = np.linspace(1, 30, 30)
    for theorem in counts_of(method):
        with naming(theorem):
            b = theorem.per("iterations")
            depends = keywords(b, ("eps", *START))
            assert bool(depends) == ((b.method, b.theorem) not in PRECISION_FREE)
            for keyword in depends:
                grows(b, numbers_for(b), keyword, 1 / grid if keyword == "eps" else grid)


@pytest.mark.parametrize("method", COUNTED)
def test_worse_conditioning_never_costs_less(method, numbers_for):
    grid = np.linspace(1, 30, 30)
    for theorem in counts_of(method):
        with naming(theorem):
            b = theorem.per("K" if "K" in theorem.quantities else "iterations")
            smaller, larger = keywords(b, WORSE_SMALLER), keywords(b, WORSE_LARGER)
            assert bool(smaller or larger) == ((b.method, b.theorem) not in CONDITION_FREE)
            for keyword in (*smaller, *larger):
                grows(b, numbers_for(b), keyword, 1 / grid if keyword in smaller else grid)


@pytest.mark.parametrize("free", [PRECISION_FREE, CONDITION_FREE], ids=["precision", "condition"])
def test_statements_without_a_precision_or_a_condition_exist(free):
    assert free <= {(b.method, b.theorem) for b in COUNTING}


def grows(b, numbers, keyword, change):
    """Along `change` of one keyword the bound does not fall, as far as its assumptions hold."""
    values = [
        b.at(**changed)
        for factor in change
        if first_failed(b.assumptions, changed := numbers | {keyword: numbers[keyword] * factor}) is None
    ]
    assert len(values) > 1, keyword
    values = np.array(values)
    assert (values[1:] >= values[:-1] * (1 - 1e-12)).all(), keyword  # also where both are infinite


@pytest.mark.parametrize("theorem", ["smooth", "lipschitz"])
def test_iterations_grow_with_n_at_fixed_row_norm(theorem, numbers):
    n = np.arange(10, 10_000, 7)
    count = theory.bound("sdca", "iterations", theorem=theorem).at(**numbers | {"n": n})
    assert (np.diff(count) > 0).all()
