"""The table of docs/sklearn.md: each row has the same optimum on both sides."""

import re
from pathlib import Path

import numpy as np
import sklearn.linear_model
import sklearn.svm
from cases import each_of

import cdlab

PAGE = (Path(__file__).parents[2] / "docs" / "sklearn.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)\((.*)\)` \| `((?:Problem|CDClassifier|CDRegressor)\(.*\))` \|$", PAGE, re.MULTILINE)
PRECISE = {
    "LogisticRegression": {"tol": 1e-10, "max_iter": 10_000},
    "LinearSVC": {"tol": 1e-10, "max_iter": 10**6},
    "LinearSVR": {"tol": 1e-10, "max_iter": 10**6},
    "SVC": {"tol": 1e-10},
    "SVR": {"tol": 1e-10},
    "QuantileRegressor": {},
    "Ridge": {"solver": "cholesky"},
    "Lasso": {"tol": 1e-12, "max_iter": 10**6},
    "ElasticNet": {"tol": 1e-12, "max_iter": 10**6},
}


def test_the_table_has_a_row_for_each_estimator():
    assert {name for name, *_ in ROWS} == set(PRECISE)


@each_of("name, given, ours", ROWS)
def test_the_optimum_there_is_the_optimum_here(name, given, ours):
    classes = name in ("LogisticRegression", "LinearSVC", "SVC")
    X, y = cdlab.datasets.make(n=80, d=6, seed=0, task="classification" if classes else "regression")
    values = {"n": len(y), "C": 0.3, "a": 0.05, "r": 0.4, "e": 0.1, "q": 0.7}
    there = eval(f"dict({given})", dict(values))
    dual = {"dual": True} if name == "LinearSVC" else {}
    estimator = getattr(sklearn.svm if "SV" in name else sklearn.linear_model, name)
    free = {} if name in ("SVC", "SVR") else {"fit_intercept": ours.startswith("CD")}
    theirs = estimator(**free | there, **dual, **PRECISE[name]).fit(X, y)
    w = theirs.coef_.ravel()
    names = {each: getattr(cdlab, each) for each in ("Problem", "CDClassifier", "CDRegressor", "losses")}
    here = eval(ours, names | {"X": X, "y": y, **values})
    if not isinstance(here, cdlab.Problem):
        fitted = here.set_params(tol=1e-10, max_passes=10**5).fit(X, y)
        np.testing.assert_allclose(
            np.append(w, theirs.intercept_), np.append(fitted.coef_, fitted.intercept_), atol=1e-4
        )
        return
    s = cdlab.solve(here, "sdca" if here.l2 else "fista", tol=1e-10, max_passes=10**5)
    assert s.status == "tolerance reached"
    if here.intercept:
        s.w, w = np.append(s.w, s.intercept), np.append(w, theirs.intercept_)
    assert here.primal(w) - here.primal(s.w) <= 1e-6 * here.primal(np.zeros(here.d))
    np.testing.assert_allclose(w, s.w, atol=1e-4)
