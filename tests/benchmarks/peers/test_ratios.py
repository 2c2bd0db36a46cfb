"""The report's arithmetic: ratios, counts and performance profiles of tables that can be done in the head."""

import math

import numpy as np
import pytest

from benchmarks.peers.page import write
from benchmarks.peers.report import against_each, costs, counts, defaults, median_time, report, rows, sentence
from benchmarks.peers.results import PeerResult, TimingSettings
from cdlab.comparisons.profiles import profiles, share_within

EPS = 1e-6
SETTINGS = TimingSettings([EPS], 3, 60.0)


def result(cell, peer, times, reached=1e-7, session="one", verdict="right", note="", by_default=None):
    kept = {EPS: list(times)} if times else {}
    there = {EPS: [reached] * len(times)} if times else {}
    return PeerResult(cell, peer, "1", verdict, note, dict.fromkeys(kept, 1.0), kept, there, by_default or {}, session)


RESULTS = [
    result("a", "cdlab sdca", [1.0, 2.0, 3.0]),
    result("a", "liblinear-s7", [2.0, 4.0, 6.0]),
    result("a", "snapml", [5.0, 5.0, 5.0]),
    result("b", "cdlab sdca", [6.0, 6.0, 6.0]),
    result("b", "liblinear-s7", [2.0, 3.0, 4.0], session="another"),
    result("c", "cdlab sdca", []),
    result("c", "snapml", [1.0, 1.0, 1.0]),
    result("d", "cdlab sdca", [1.0, 1.0, 1.0]),
    result("d", "snapml", [], verdict="wrong", note="its answers <end> elsewhere"),
    result("e", "snapml", []),
    result("a", "glum-lbfgs", [], verdict="failed", note="OverflowError"),  # a curve without a point
]


def test_a_row_compares_with_the_fastest_peer():
    a, b, c, d = rows(RESULTS, "cdlab sdca", EPS)
    assert (a.peer, a.ratio, a.low, a.high) == ("liblinear-s7", 0.5, 0.5, 0.5)
    assert (b.peer, b.ratio, b.low, b.high) == ("liblinear-s7", 2.0, 1.5, 3.0), "of two sessions: by the extremes"
    assert (c.peer, c.ratio) == ("snapml", math.inf)
    assert (d.peer, d.ratio) == ("", 0.0)


def test_a_load_that_hits_a_whole_round_does_not_change_the_ratio():
    slow_round = [result("a", "cdlab sdca", [1.0, 30.0, 1.0]), result("a", "snapml", [2.0, 60.0, 4.0])]
    (row,) = rows(slow_round, "cdlab sdca", EPS)
    assert (row.low, row.ratio, row.high) == (0.25, 0.5, 0.5)


def test_counts_are_shares_of_the_cells():
    assert counts([row.ratio for row in rows(RESULTS, "cdlab sdca", EPS)]) == {
        "cells": 4, "alone": 0, "median": 1.25, "low": 0.0, "high": math.inf, "good": 0.5, "ahead": 0.5, "behind": 0.5,
        "far": 0.25,
    }  # fmt: skip
    assert counts([0.6, 1.0, 1.5])["behind"] == 0, "the marks themselves are on the good side"
    assert counts([0.6, 1.0, 1.5])["good"] == pytest.approx(1 / 3)
    assert counts([1.0, math.inf, math.inf])["median"] == math.inf
    assert sentence(counts([])) == "no cell with a peer was finished"
    assert counts([2.0, math.nan, math.nan]) == counts([2.0]) | {"alone": 2}
    assert sentence(counts([2.0, math.nan])).startswith("1 cell (and 1 that no peer compared here takes): median ratio")


def test_the_interval_of_a_median_holds_the_truth_as_often_as_it_says():
    """Of 200 draws of 40 ratios, whose median is 1; 95% but for the error of 200 and of the bootstrap."""
    rng = np.random.default_rng(0)
    found = [counts(np.exp(rng.standard_normal(40))) for _ in range(200)]
    assert 0.9 <= np.mean([each["low"] <= 1 <= each["high"] for each in found]) <= 0.99


def test_beside_a_package_count_the_cells_that_it_takes():
    unfit = result("d", "liblinear-s7", [], verdict="unfit")
    found = {each["package"]: each for each in against_each([*RESULTS, unfit], "cdlab sdca", EPS)}
    liblinear, snapml = found["liblinear-official"], found["snapml"]
    assert (liblinear["cells"], liblinear["ahead"], liblinear["median"]) == (2, 0.5, 1.25)
    assert (snapml["cells"], snapml["ahead"], snapml["median"]) == (3, pytest.approx(2 / 3), 0.4), (
        "d: it did not arrive"
    )


def test_calls_in_a_row_and_in_a_new_process_are_told_apart(tmp_path):
    mine, theirs = result("a", "cdlab sdca", [3.0]), result("a", "snapml", [1.0])
    mine.in_a_row, theirs.in_a_row, mine.first = {EPS: [1.0, 1.0]}, {EPS: [2.0, 2.0]}, {EPS: [7.0]}
    (row,) = rows([mine, theirs], "cdlab sdca", EPS, "in_a_row")
    assert row.ratio == 0.5
    (row,) = rows([mine, theirs], "cdlab sdca", EPS)
    assert (row.ratio, row.ours, row.in_a_row, row.first) == (3.0, 3.0, 1.0, 7.0)
    write([mine, theirs], SETTINGS, tmp_path)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    assert "| a | 3,000 | 1,000 | 7,000 | snapml | 1,000 | **3.00** |" in page
    assert "3e+03 ms after calls of others, 1e+03 ms in a row, 7e+03 ms in a new process" in page


def test_a_cell_that_no_peer_takes_is_no_win():
    """As liblinear in a cell of least squares; a peer that takes it and does not get there is beaten."""
    unfit, short = (result("a", "snapml", [], verdict=verdict) for verdict in ("unfit", "short"))
    mine = result("a", "cdlab sdca", [1.0])
    (alone,) = rows([mine, unfit], "cdlab sdca", EPS)
    assert math.isnan(alone.ratio)
    assert costs([mine, unfit], [EPS]) == {}
    (won,) = rows([mine, short], "cdlab sdca", EPS)
    assert won.ratio == 0
    assert costs([mine, short], [EPS]) == {"cdlab sdca": {"a to 1e-06": 1.0}, "snapml": {"a to 1e-06": math.inf}}


def test_a_page_says_which_cells_nobody_else_takes_and_what_is_not_finished(tmp_path):
    write([result("a", "cdlab sdca", [1.0]), result("a", "snapml", [], verdict="unfit")], SETTINGS, tmp_path)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    assert page.count("no peer fits") == 1
    assert "Nothing is finished that could be drawn." in page
    write([], SETTINGS, tmp_path)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    assert "Nothing is finished that could be drawn." in page
    assert "matplotlib" not in page


def test_a_time_counts_only_if_the_target_was_reached_again():
    assert median_time(result("a", "snapml", [1.0, 2.0, 9.0]), EPS) == 2.0
    assert median_time(result("a", "snapml", [1.0], reached=2 * EPS), EPS) == math.inf


def test_solvers_as_users_run_them_beside_ours():
    def called(cpu, reached):
        return {"cpu": cpu, "wall": cpu, "reached": [reached] * len(cpu)}

    known = [
        result("a", "cdlab auto", [1.0], by_default=called([2.0, 1.0, 3.0], 1e-8)),
        result("a", "snapml", [1.0], by_default=called([1.0, 1.0, 9.0], 1e-2)),
        result("b/x/path", "cdlab auto", [1.0], by_default=called([4.0], 1e-7)),
        result("b/x/path", "snapml", [1.0], by_default=called([1.0], 1e-7)),
        result("c", "snapml", []),  # failed
    ]
    a, _ = rows(known, "cdlab auto", EPS)
    assert (a.default, a.accuracy) == (1.0, 1e-2)
    ours, theirs = defaults(known, "cdlab auto")
    assert (ours["solver"], ours["ratio"], ours["reached"]) == ("cdlab auto", 1.0, 1.0)
    assert (theirs["cells"], theirs["ratio"], theirs["worst"], theirs["reached"]) == (2, 0.375, 1e-2, 0.5)
    groups = report(known, SETTINGS)["methods"][0]["targets"][0]["groups"]
    assert list(groups) == ["one weight", "paths"]


def test_a_performance_profile_of_a_known_table():
    """Three problems: A needs 1, 2, 8, B needs 2, 1 and fails; nobody solves the fourth."""
    times = {"A": {"p": 1.0, "q": 2.0, "r": 8.0}, "B": {"p": 2.0, "q": 1.0, "r": math.inf, "s": math.inf}}
    found = profiles(times)
    np.testing.assert_array_equal(found["A"], [1, 1, 2])
    np.testing.assert_array_equal(found["B"], [1, 2, np.inf])
    assert [share_within(found["A"], tau) for tau in (0.9, 1, 2)] == pytest.approx([0, 2 / 3, 1])
    assert [share_within(found["B"], tau) for tau in (1, 2, 1e9)] == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert profiles({}) == {}


def test_a_package_stands_for_its_fastest_solver():
    more = [*RESULTS, result("a", "liblinear-s0", [1.0, 1.0, 1.0])]
    assert costs(more, [EPS])["liblinear-official"] == {"a to 1e-06": 1.0, "b to 1e-06": 3.0}
    assert costs(more, [EPS])["cdlab sdca"]["c to 1e-06"] == math.inf
    assert costs(more, [1e-9, EPS])["liblinear-official"]["a to 1e-09"] == math.inf


@pytest.mark.full
def test_the_page_says_what_was_measured_and_escapes_it(tmp_path):
    write(RESULTS, SETTINGS, tmp_path)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    assert "| d | snapml | wrong | its answers &lt;end> elsewhere |" in page
    told = "4 cells: median ratio 1.25 (0.00 to inf), 50% at most 1, 50% at most 0.6, 50% above 1.5, 25% above 2"
    assert told in page
    assert "| a | 2,000 | - | - | liblinear-s7 | 4,000 | 0.50 | 0.50 | 0.50 | - | - |" in page
    assert "| c | - | - | - | snapml | 1,000 | **only a peer** | - | - | - | - |" in page
    assert "| d | 1,000 | - | - | none reached it | - | only ours | - | - | - | - |" in page


def test_the_report_says_where_and_with_what():
    told = report(RESULTS, SETTINGS)["conditions"]
    assert told["cores"] >= 1
    assert told["processor"]
    assert told["threads"]["OMP_NUM_THREADS"] == "1"
    assert {"cdlab", "numpy", "scikit-learn"} <= set(told["versions"])
