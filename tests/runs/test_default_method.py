"""The default method takes what a user brings; a tolerance that was missed is told, once, and at the user's line."""

import io
import sys
import warnings

import numpy as np
import pytest
from problems import data, problem
from sklearn.exceptions import ConvergenceWarning

import cdlab

HARD = {"method": "rcd", "tol": 1e-15}  # not reached within the default limit
X, y = data()


def hard():
    scales = np.logspace(0, 4, X.shape[1])
    return cdlab.Problem(X * scales, y, l2=1e-9)


def lasso():
    return cdlab.Problem(X, X @ np.ones(X.shape[1]), "squared", l2=0.0, l1=0.01)


def told(call):
    """The warnings of a call, with what it returned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return caught, found


def test_the_default_solves_what_sdca_refuses():
    P = lasso()
    with pytest.raises(ValueError, match="l2 > 0"):
        cdlab.solve(P, "sdca")
    assert cdlab.solve(P).relative_gap <= 1e-6
    assert max(s.relative_gap for s in cdlab.path(P, l1=[0.1, 0.01])) <= 1e-6
    assert len(cdlab.path(P, "auto", l1=[0.1, 0.01])) == 2


def test_the_default_solves_raw_data_which_sdca_does_not():
    P = hard()
    assert cdlab.solve(P).relative_gap <= 1e-6
    assert cdlab.solve(P, "sdca", max_passes=1000).relative_gap > 1e-2


def test_who_accepts_a_problem_is_told_with_auto():
    with pytest.raises(ValueError, match="accept this problem: auto, "):
        cdlab.solve(lasso(), "sdca")


def test_a_list_of_weights_in_the_place_of_the_method_says_where_weights_go():
    for given in ([0.1, 0.01], 0.1, np.array([0.1])):
        with pytest.raises(TypeError, match="l2="):
            cdlab.path(problem(), given)


# ---------------------------------------------------------------- a tolerance that was missed
def test_a_missed_tolerance_is_told_at_the_line_of_the_call():
    caught, s = told(lambda: cdlab.solve(hard(), **HARD))
    assert [w.category for w in caught] == [ConvergenceWarning]
    assert caught[0].filename == __file__
    assert s.status == "pass limit"
    words = str(caught[0].message)
    for known in (f"{s.relative_gap:.2g}", f"after {s.trace.records[-1].passes:.0f}", "1e-15", "max_passes", "auto"):
        assert known in words


def test_what_chooses_already_is_not_told_to_choose():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 4))
    y = np.sign(X[:, 0] + 0.5 * rng.standard_normal(150))
    X[:3, 1] = 1e30  # a fill value
    caught, s = told(lambda: cdlab.solve(cdlab.Problem(X, y, "smooth_hinge", l2=1e-3, intercept=True)))
    assert s.status == "pass limit"
    assert len(caught) == 1
    assert 'method="auto"' not in str(caught[0].message)


@pytest.mark.parametrize(
    "passed",
    [
        {"tol": 0},
        {"max_passes": 1000},
        {"max_passes": 1000.0},
        {"max_passes": 5},
        {"max_seconds": 1e-9},
        {"max_seconds": 60},
        {"max_passes": None, "max_seconds": 1e-9},
        {"stop": lambda record: record.passes > 3},
        {"stop": lambda record: False},
    ],
)
def test_whoever_passed_a_limit_is_not_warned(passed):
    caught, s = told(lambda: cdlab.solve(hard(), **HARD | passed))
    assert not caught
    assert s.status in ("pass limit", "time limit", "stopped")
    caught, _ = told(lambda: cdlab.path(hard(), l2=[1e-8, 1e-9], **HARD | passed))
    assert not caught


def test_a_tolerance_that_was_reached_is_not_told():
    assert not told(lambda: cdlab.solve(problem()))[0]


def test_a_path_warns_once_and_counts():
    caught, along = told(lambda: cdlab.path(hard(), l2=[10.0, 1e-8, 1e-9], method="rcd", tol=1e-8))
    missed = [s for s in along if s.status == "pass limit"]
    assert 0 < len(missed) < 3
    assert [w.filename for w in caught] == [__file__]
    assert f"{len(missed)} of 3" in str(caught[0].message)
    assert f"{max(s.relative_gap for s in missed):.2g}" in str(caught[0].message)


def test_others_that_run_methods_do_not_warn():
    P = hard()
    assert not told(lambda: cdlab.race(P, ["rcd"], max_passes=3))[0]
    assert not told(lambda: cdlab.solve(P, "rcd", max_passes=3).resume(max_passes=5))[0]
    caught, _ = told(lambda: cdlab.CDClassifier(method="rcd", tol=1e-15, max_passes=5).fit(P.X, y))
    assert [w.filename for w in caught] == [__file__]


def test_a_gap_that_certifies_nothing_is_told_as_such():
    P = cdlab.Problem(X, y, "hinge", l2=0.0)
    caught, s = told(lambda: cdlab.solve(P, "spdc"))
    assert s.gap == np.inf
    assert "inf " not in str(caught[0].message)
    assert "l2 > 0" in str(caught[0].message)


# ---------------------------------------------------------------- progress
def test_progress_is_called_with_each_record():
    seen = []
    s = cdlab.solve(problem(), "sdca", progress=seen.append, tol=1e-10)
    assert seen[0].passes == 0
    assert [r.passes for r in seen] == [r.passes for r in s.trace.records]
    seen.clear()
    s = cdlab.solve(problem(), "sdca", progress=seen.append, tol=0, max_passes=50, stop=lambda r: r.passes >= 3)
    assert [r.passes for r in seen] == [r.passes for r in s.trace.records]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_progress_true_is_a_line_on_stderr(monkeypatch, capsys, stream):
    monkeypatch.setattr(sys, "stderr", stream())
    s = cdlab.solve(problem(), "sdca", progress=True)
    text = sys.stderr.getvalue()
    assert text.rstrip("\r\x1b[K").endswith("\n")
    assert "tolerance reached" in text
    assert f"{s.relative_gap:.2e}" in text
    assert ("\r" in text) == (stream is Terminal)
    assert capsys.readouterr().out == ""


def test_progress_changes_nothing():
    plain, watched = (cdlab.solve(problem(), progress=p) for p in (None, lambda record: True))
    assert np.array_equal(plain.w, watched.w)
    assert plain.status == watched.status == "tolerance reached"
