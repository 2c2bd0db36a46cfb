import numpy as np
import pytest

import cdlab
from cdlab.dashboard.bounds.theorems import theorem_for
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.drawers.bound_facts import bound_facts, in_words, symbols_table
from cdlab.dashboard.races.results import Lane
from cdlab.methods import METHODS, resolve
from cdlab.plots import best_of, errors
from cdlab.samplings import SAMPLINGS
from cdlab.samplings import resolve as sampling


def problem(**choices):
    return Choices(**({"n": 60, "d": 20, "density": 0.4} | choices)).problem()


@pytest.mark.parametrize("method", METHODS)
def test_the_value_is_the_formula_at_the_values_of_its_symbols_or_there_is_a_reason(method):
    P = problem()
    for name in SAMPLINGS:
        facts = bound_facts(P, resolve(method), sampling(name), 1e-4)
        try:
            bound = theorem_for(P, method, name)
        except ValueError:
            assert method in facts.reason
            assert np.isnan(facts.passes)
            continue
        assert facts.reason == ""
        names = sorted(symbol.name for symbol in bound.expr.free_symbols)
        values = dict(zip(names, (symbol.value for symbol in facts.symbols), strict=True))
        before = bound.for_problem(P, 1e-4) - bound.at(**values)  # what is visited before the first step
        assert facts.passes == pytest.approx(bound.for_problem(P, 1e-4))
        assert before == pytest.approx(0, abs=1e-9 * facts.passes) or bound.setup != 0


def test_what_was_measured_is_read_off_the_axis_of_the_bounded_quantity():
    P = problem()
    trace = cdlab.solve(P, "rcd", tol=1e-8, max_passes=500).trace
    lane = Lane("rcd, uniform", "primal", 0, trace=trace)
    facts = bound_facts(P, resolve("rcd"), sampling("uniform"), 1e-5, [lane])
    assert facts.shown == "primal"
    reached = errors(trace, best_of([trace]), "primal") <= 1e-5
    assert facts.measured == trace.column("passes")[reached.argmax()]
    assert facts.measured < facts.passes
    assert "measured/bound = " in in_words(facts)


def test_a_run_that_did_not_get_there_is_not_counted():
    P = problem()
    lane = Lane("rcd, uniform", "primal", 0, trace=cdlab.solve(P, "rcd", tol=1e-12, max_passes=1).trace)
    words = in_words(bound_facts(P, resolve("rcd"), sampling("uniform"), 1e-12, [lane]))
    assert "before getting there" in words
    assert "measured/bound" not in words


def test_of_several_runs_the_median_is_measured():
    P = problem()
    lanes = [
        Lane("rcd, uniform", "primal", seed, trace=cdlab.solve(P, "rcd", tol=1e-8, max_passes=500, seed=seed).trace)
        for seed in range(3)
    ]
    facts, *single = (bound_facts(P, resolve("rcd"), sampling("uniform"), 1e-5, runs) for runs in (lanes, *zip(lanes)))
    assert facts.measured == sorted(each.measured for each in single)[1]
    assert "The median of 3 runs needed" in in_words(facts)


def test_formulas_are_typeset_without_e_notation_and_with_few_digits():
    facts = bound_facts(problem(l2=1e-5), resolve("sdca"), sampling("norms"), 1e-9)
    text = in_words(facts) + symbols_table(facts)
    assert text.count(r"\[") == 1 + len(facts.definitions) > 1
    assert r"\( \varepsilon \)" in text
    assert not [word for word in text.split() if "e-0" in word or "e+0" in word or len(word.strip("<>/td.")) > 60]


def test_a_kink_leads_to_the_dual():
    P = problem(loss="hinge", dual_sampling="uniform")
    assert bound_facts(P, resolve("sdca"), sampling("uniform"), 1e-4).shown == "dual"


def test_what_holds_up_to_constants_is_said_so():
    P = problem(loss="hinge")
    facts = bound_facts(P, resolve("agd"), sampling("uniform"), 1e-4)
    assert not facts.known
    assert "Up to constants" in in_words(facts)
    assert r"\lesssim" in in_words(facts)


def test_a_distance_cannot_be_seen_in_a_race():
    P = problem()
    lane = Lane("saga, uniform", "dual", 0, trace=cdlab.solve(P, "saga", max_passes=5).trace)
    facts = bound_facts(P, resolve("saga"), sampling("uniform"), 1e-4, [lane])
    assert (facts.shown, facts.measured) == ("", None)
    assert "No race can show that" in in_words(facts)
