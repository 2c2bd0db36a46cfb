"""The cheapest budget that reaches a target is found, and who solves another problem is found out."""

import numpy as np
from cases import each_of
from known_tasks import best, peer, task

from benchmarks.peers.adapters.peer import COUNTS, TOLERANCES
from benchmarks.peers.searching import SAME_PROBLEM_ERROR, BudgetSearch, TimedCall, TooSlow, Verdict, call, search
from benchmarks.peers.tasks import Point
from benchmarks.peers.timing import time_first_calls, time_in_a_row, time_in_turn

TARGETS = (1e-3, 1e-6, 1e-9)


def searched(made, reached, targets=TARGETS):
    """A search where a budget reaches `reached(budget)`, and the budgets that were tried."""
    return search(made, targets, lambda budget: TimedCall(reached(budget), 1.0))


def test_the_cheapest_rung_is_found_for_each_target():
    found = searched(peer(None, COUNTS), lambda k: 0.5**k)
    assert found.verdict is Verdict.RIGHT
    for target in TARGETS:
        assert found.budgets[target] == next(k for k in COUNTS if 0.5**k <= target)
    assert len(found.tried) < len(COUNTS) / 2
    assert COUNTS[max(found.tried)] < 3 * found.budgets[1e-9]


def test_a_tolerance_is_no_tighter_than_it_must_be():
    found = searched(peer(None, TOLERANCES), lambda tol: 0.1 * tol)
    assert found.budgets == {target: next(t for t in TOLERANCES if 0.1 * t <= target) for target in TARGETS}


def test_a_peer_with_another_l2_is_found_out():
    t = task("squared")

    def ridge(X, y, loss, l2, l1, intercept, budget):
        n, d = X.shape
        return Point(np.linalg.solve(X.T @ X / n + 10 * l2 * np.eye(d), X.T @ y / n))  # ten times the weight

    found = search(peer(ridge, (1,)), TARGETS, lambda b: call(t, best(t), peer(ridge), b))
    assert found.verdict is Verdict.WRONG
    assert found.budgets == {}
    assert "another problem" in found.note


def test_a_peer_that_is_right_but_imprecise_keeps_what_it_reached():
    found = searched(peer(None, COUNTS), lambda k: max(0.5**k, 3e-8))
    assert found.verdict is Verdict.SHORT
    assert set(found.budgets) == {1e-3, 1e-6}
    assert max(found.tried) < len(COUNTS) - 1, "a standstill ends the climb"


def test_an_error_further_off_than_agreement_is_wrong_even_where_it_meets_a_loose_target():
    found = searched(peer(None, COUNTS), lambda k: max(0.5**k, 2 * SAME_PROBLEM_ERROR))
    assert found.verdict is Verdict.WRONG
    assert found.budgets == {}


def test_a_call_that_takes_too_long_leaves_what_was_reached():
    def at(k):
        if k > 15:
            raise TooSlow("a call took longer than 1 s")
        return TimedCall(0.5**k, 1.0)

    found = search(peer(None, COUNTS), (0.02, 1e-6), at)
    assert found.verdict is Verdict.SLOW
    assert found.budgets == {0.02: 6}, "still the cheapest one, though the climb stepped from 5 to 12"
    assert "longer than 1 s" in found.note


def test_an_error_of_a_package_is_its_result():
    def broken(*_):
        raise OverflowError("no such solver")

    t = task()
    found = search(peer(broken), TARGETS, lambda b: call(t, best(t), peer(broken), b))
    assert found.verdict is Verdict.FAILED
    assert found.note == "OverflowError: no such solver"


@each_of("w", [np.zeros(3), np.full(6, np.nan), np.zeros((6, 2))])
def test_an_answer_that_is_no_point_is_infinitely_bad(w):
    t = task()
    assert t.suboptimality(Point(w), best(t)) == np.inf
    assert t.suboptimality(Point(np.zeros(t.d)), best(t)) == 1.0


def test_who_certifies_is_asked_for_the_targets_themselves():
    asked = []

    def at(tol):
        asked.append(tol)
        return TimedCall(1e-3 * tol, 1.0)

    found = search(peer(None, certified=True), TARGETS, at)
    assert asked == list(TARGETS)
    assert found.budgets == {target: target for target in TARGETS}, "1e-3 also reaches 1e-6, but does not prove it"


def test_who_certifies_too_slowly_keeps_what_it_proved():
    def at(tol):
        if tol == 1e-6:
            raise TooSlow("a call took longer than 1 s")
        return TimedCall(1e-3 * tol, 1.0)

    found = search(peer(None, certified=True), TARGETS, at)
    assert found.verdict is Verdict.SLOW
    assert found.budgets == {1e-3: 1e-3, 1e-9: 1e-9}


def test_calls_are_timed_in_turn_and_those_that_fail_do_not_count():
    """In two rounds: a, whose budget serves two targets, and b, which is too slow once and fails with its defaults."""
    asked = []

    def attempt(name, budget):
        asked.append((name, budget))
        if asked.count(("b", 3.0)) == 1 and budget == 3.0:
            raise TooSlow("a call took longer than 1 s")
        return TimedCall(0.0, float(len(asked)), "no" if (name, budget) == ("b", None) else "")

    found = {
        "a": BudgetSearch([], None, budgets={1e-3: 2.0, 1e-6: 2.0}),
        "b": BudgetSearch([], None, budgets={1e-3: 3.0}),
    }
    calls = time_in_turn(found, attempt, 2, lambda _: None)
    assert asked == 2 * [("a", 2.0), ("a", None), ("b", 3.0), ("b", None)]
    seconds = {name: {budget: [c.cpu for c in made] for budget, made in own.items()} for name, own in calls.items()}
    assert seconds == {"a": {2.0: [1.0, 5.0], None: [2.0, 6.0]}, "b": {3.0: [7.0], None: []}}


def test_calls_in_a_row_leave_the_first_out():
    asked = []

    def attempts(name, budget, count):
        asked.append((name, budget, count))
        return [TimedCall(0.0, 10.0 * len(asked) + k) for k in range(count)]

    found = {name: BudgetSearch([], None, budgets={1e-3: 2.0, 1e-6: 2.0}) for name in "ab"}
    calls = time_in_a_row(found, attempts, 2, lambda _: None)
    assert asked == [("a", 2.0, 3), ("b", 2.0, 3)]
    assert [call.cpu for call in calls["b"][2.0]] == [21.0, 22.0]


def test_first_calls_are_those_of_ours_once_for_each_budget():
    asked = []

    def attempt(name, budget):
        asked.append((name, budget))
        return TimedCall(0.0, 1.0, "no" if budget == 3.0 else "")

    budgets = {1e-3: 2.0, 1e-6: 2.0, 1e-9: 3.0}
    found = {name: BudgetSearch([], None, budgets=budgets) for name in ("cdlab auto", "sklearn-saga")}
    calls = time_first_calls(found, attempt, lambda _: None)
    assert asked == [("cdlab auto", 2.0), ("cdlab auto", 3.0)]
    assert {budget: [each.cpu for each in made] for budget, made in calls["cdlab auto"].items()} == {
        2.0: [1.0],
        3.0: [],
    }
