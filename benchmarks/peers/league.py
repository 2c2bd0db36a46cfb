"""The league of defaults: how near the optimum each package's default fit is, each number with its certificate.

    python -m benchmarks.peers.league --out FOLDER                        all data sets, and the page
    python -m benchmarks.peers.league breast_cancer LogisticRegression --out FOLDER     one number, made anew

FOLDER gets DATA.npz and DATA.FIT.cert of each number: ``cdlab check FOLDER/DATA.FIT.cert FOLDER/DATA.npz`` proves it.
"""

from __future__ import annotations

import argparse
import contextlib
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import cdlab
from cdlab.certificates import Distance
from cdlab.datasets.npz import write_npz

MOST_NONZEROS = 30_000  # exact arithmetic takes some seconds then; of larger sets some rows are drawn
PAGE = Path(__file__).parents[2] / "docs/league.md"


def _sklearn(name: str, *, standardised: bool = False, target: Any = None) -> tuple[Any, np.ndarray]:
    """A data set that comes with scikit-learn; the target is the class against the rest."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if standardised:
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    return X, y if target is None else np.where(np.isin(y, target), 1, -1)


def _made(**how: Any) -> tuple[Any, np.ndarray]:
    return cdlab.datasets.make(seed=0, **how)


def _stored(name: str, target: Any = None) -> tuple[Any, np.ndarray]:
    X, y = cdlab.datasets.load(name)
    return X, y if target is None else np.where(np.isin(y, target), 1, -1)


CLASSES: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "mushrooms": lambda: _stored("mushrooms"),
    "a9a": lambda: _stored("a9a"),
    "w8a": lambda: _stored("w8a"),
    "rcv1_vw1000": lambda: _stored("rcv1_vw1000"),
    "reuters21578": lambda: _stored("reuters21578.earnacq"),
    "news20.unigram": lambda: _stored("news20.unigram"),
    "leukemia": lambda: _stored("leu"),
    "covtype, raw": lambda: _stored("covtype.binary"),
    "mnist, raw pixels": lambda: _stored("mnist", (1, 2, 4, 5, 7)),
    "iris": lambda: _sklearn("iris", target=1),
    "wine, raw": lambda: _sklearn("wine", target=0),
    "wine, standardised": lambda: _sklearn("wine", standardised=True, target=0),
    "breast_cancer, raw": lambda: _sklearn("breast_cancer", target=1),
    "breast_cancer, standardised": lambda: _sklearn("breast_cancer", standardised=True, target=1),
    "digits": lambda: _sklearn("digits", target=(1, 3, 5, 7, 9)),
    "made, dense": lambda: _made(n=2000, d=30),
    "made, sparse": lambda: _made(n=5000, d=2000, density=0.01),
    "made, wide": lambda: _made(n=200, d=500),
}
NUMBERS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "abalone": lambda: _stored("abalone_scale"),
    "bodyfat": lambda: _stored("bodyfat_scale"),
    "housing": lambda: _stored("housing_scale"),
    "space_ga": lambda: _stored("space_ga_scale"),
    "diabetes": lambda: _sklearn("diabetes"),
    "diabetes, standardised": lambda: _sklearn("diabetes", standardised=True),
    "digits, as numbers": lambda: _sklearn("digits"),
    "wine, as numbers": lambda: _sklearn("wine"),
    "breast_cancer, as numbers": lambda: _sklearn("breast_cancer"),
    "made dense, as numbers": lambda: _made(n=2000, d=30, task="regression"),
    "made sparse, as numbers": lambda: _made(n=5000, d=2000, density=0.01, task="regression"),
    "made wide, as numbers": lambda: _made(n=200, d=500, task="regression"),
}


class Fit(NamedTuple):
    """A model with its package's defaults, and its distance once fitted."""

    package: str
    make: Callable[[], Any]
    certify: Callable[[Any, Any, np.ndarray], Distance] = cdlab.certify


def _of(package: str, module: str, name: str, **options: Any) -> Fit:
    def make() -> Any:
        found = __import__(module, fromlist=[name])
        return getattr(found, name)(**options)

    return Fit(package, make)


def _celer_logistic(model: Any, X: Any, y: np.ndarray) -> Distance:
    return cdlab.certify(model.coef_.ravel(), X, y, "logistic", l2=0.0, l1=1 / (model.C * len(y)))


def _celer_lasso(model: Any, X: Any, y: np.ndarray) -> Distance:
    return cdlab.certify(model.coef_, X, y, "squared", l2=0.0, l1=model.alpha, intercept=float(model.intercept_))


def _skglm_svc(model: Any, X: Any, y: np.ndarray) -> Distance:
    return cdlab.certify(model.coef_.ravel(), X, y, "hinge", l2=1 / (model.C * len(y)))


OF_CLASSES = {
    "LogisticRegression": _of("scikit-learn", "sklearn.linear_model", "LogisticRegression"),
    "LogisticRegression(solver='saga')": _of(
        "scikit-learn", "sklearn.linear_model", "LogisticRegression", solver="saga"
    ),
    "LinearSVC": _of("scikit-learn", "sklearn.svm", "LinearSVC"),
    "SGDClassifier": _of("scikit-learn", "sklearn.linear_model", "SGDClassifier", random_state=0),
    "RidgeClassifier": _of("scikit-learn", "sklearn.linear_model", "RidgeClassifier"),
    "celer.LogisticRegression": _of("celer", "celer", "LogisticRegression")._replace(certify=_celer_logistic),
    "skglm.LinearSVC": _of("skglm", "skglm", "LinearSVC")._replace(certify=_skglm_svc),
    "CDClassifier": _of("cdlab", "cdlab", "CDClassifier"),
}
OF_NUMBERS = {
    "Ridge": _of("scikit-learn", "sklearn.linear_model", "Ridge"),
    "Lasso": _of("scikit-learn", "sklearn.linear_model", "Lasso"),
    "Lasso(alpha=0.01)": _of("scikit-learn", "sklearn.linear_model", "Lasso", alpha=0.01),
    "ElasticNet": _of("scikit-learn", "sklearn.linear_model", "ElasticNet"),
    "LinearSVR": _of("scikit-learn", "sklearn.svm", "LinearSVR"),
    "celer.Lasso(alpha=0.01)": _of("celer", "celer", "Lasso", alpha=0.01)._replace(certify=_celer_lasso),
    "CDRegressor": _of("cdlab", "cdlab", "CDRegressor"),
}
PARTS = ((CLASSES, OF_CLASSES), (NUMBERS, OF_NUMBERS))


def data_of(name: str, folder: Path) -> tuple[Path, Any, np.ndarray]:
    """The data of a name, no more rows than fit, and the NPZ file that they are written to."""
    X, y = {**CLASSES, **NUMBERS}[name]()
    rows = np.random.default_rng(0).permutation(len(y))
    X, y = X[rows], y[rows]
    counts = np.full(X.shape[0], X.shape[1]) if isinstance(X, np.ndarray) else np.diff(X.indptr)
    most = max(50, int(np.searchsorted(np.cumsum(counts), MOST_NONZEROS)))
    X, y, path = X[:most], y[:most], folder / f"{slug(name)}.npz"
    write_npz(path, X, y)
    return path, X, y


def slug(name: str) -> str:
    """A name as a file has it."""
    return "".join(c if c.isalnum() or c in ".-_" else "-" for c in name)


def score(data: str, fit: str, folder: Path) -> str:
    """The proved relative gap of a fit, as the page has it; a star where it warned that it had not converged."""
    path, X, y = data_of(data, folder)
    model = {**OF_CLASSES, **OF_NUMBERS}[fit]
    try:
        fitted = model.make()
    except ImportError:
        return f"no {model.package}"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            fitted.fit(X, y)
        except ValueError as error:
            return f"refused: {str(error).splitlines()[0][:60]}"
    star = " *" if any("onverge" in str(each.message) for each in said) else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            distance = model.certify(fitted, X, y)
        except (ValueError, TypeError) as error:
            return f"no certificate: {str(error).splitlines()[0][:60]}"
    if not np.isfinite(distance.gap):
        return f"not bounded{star}"
    proved = distance.save_certificate(folder / f"{slug(data)}.{slug(fit)}.cert")
    scale = distance.gap / distance.relative_gap if distance.relative_gap > 0 else 1.0
    return f"{sum(each.gap for each in proved) / scale:.1e}{star}"


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", help="of one number: its data set")
    parser.add_argument("fit", nargs="?", help="and the model")
    parser.add_argument("--out", type=Path, required=True, help="the folder of data and certificates")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.data:
        print(score(asked.data, asked.fit, asked.out))
        return
    lines = [*HEAD]
    for sets, fits in PARTS:
        lines += ["", f"| data | rows x columns | {' | '.join(fits)} |", f"|{'---|' * (2 + len(fits))}"]
        for data in sets:
            try:
                _, X, _ = data_of(data, asked.out)
            except (OSError, ValueError) as error:
                print(f"{data}: {error}")
                continue
            cells = [score(data, fit, asked.out) for fit in fits]
            lines.append(f"| {data} | {X.shape[0]:,} x {X.shape[1]:,} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    PAGE.write_text("\n".join([*lines, "", f"Versions: {versions()}."]) + "\n")


HEAD = """# The league of defaults

How near the optimum is what a package's default fit gives? Each number below is a *proved* bound of

    (P(w) - min P) / (P(0) - min P)

for the objective that the model says it minimises: exact arithmetic, no rounding, checked by a program that shares no
code with any solver ([certificates](proofs.md)). 1e-3 is a fit that has lost the third digit of what there was to win;
1e-16 is the optimum. A star: the fit warned that it had not converged. It says nothing of how well a model predicts.

Made by `python -m benchmarks.peers.league --out FOLDER`; of one number, with its certificate, by

```console
$ python -m benchmarks.peers.league "wine, raw" LogisticRegression --out FOLDER
$ cdlab check FOLDER/wine--raw.LogisticRegression.cert FOLDER/wine--raw.npz
```

Of large data sets these are some rows, drawn once, of 30,000 nonzeros at most. Defaults are those of the versions told
below; models in whose name an argument stands have it beside their defaults.""".splitlines()


def versions() -> str:
    """Those of the packages that are here."""
    found = {}
    for name in ("cdlab", *sorted({fit.package for _, fits in PARTS for fit in fits.values()} - {"cdlab"})):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return ", ".join(f"{name} {version}" for name, version in found.items())


if __name__ == "__main__":
    main()
