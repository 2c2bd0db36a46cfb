"""Certificates of all kinds are accepted, and no false statement is: a second implementation gives each verdict."""

import bz2
import copy
import gzip
import hashlib
import json
import lzma
import math
import shutil
import subprocess
import sys
import zlib
from base64 import b64encode
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from cases import each_of
from mpmath import mp, mpf
from second_opinion import is_true, of_features, sealed, unpacked

import cdlab
from cdlab import checker, losses

N, D, K = 14, 4, 3
INF = math.inf


def solved(
    loss,
    l2=0.01,
    l1=0.0,
    intercept=False,
    weighted=False,
    offset=False,
    seed=0,
    tol=1e-7,
    max_passes=20_000,
    **features,
):
    """A problem and its solution; weights contain zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.7)
    y = X @ rng.normal(size=D) + 0.3 * rng.normal(size=N)
    if losses.resolve(loss).classification:
        y = np.where(y > 0, 1.0, -1.0)
    if loss == "softmax":
        y = np.arange(N) % K + 0.0
    more = {"sample_weight": rng.integers(0, 3, N) + 0.0} if weighted else {}
    more |= {"offset": 0.3 * rng.normal(size=N)} if offset else {}
    P = cdlab.Problem(X, y, loss, l2, l1, intercept=intercept, **more, **features)
    return P, cdlab.solve(P, tol=tol, max_passes=max_passes)


def written(tmp_path, *args, **how):
    P, s = solved(*args, **how)
    path = tmp_path / "a.cert"
    verdict = s.save_certificate(path)
    return P, s, path, verdict


def data_of(P):
    """X without the column of an intercept, and y."""
    X = P.features if P.intercept else P.X
    return np.asarray(X.todense() if hasattr(X, "todense") else X), P.y


SETTINGS = [
    {}, {"l1": 0.005}, {"l2": 0.0, "l1": 0.02}, {"intercept": True}, {"weighted": True}, {"offset": True},
    {"l2": 0.0, "l1": 0.02, "intercept": True, "weighted": True},
]  # fmt: skip
ONE_SIDED = {
    "l2": 0.0, "l1": 0.02, "lower": 0.0, "upper": [INF, 0.3, INF, INF], "penalty_factor": [1.0, 2.0, 0.5, 1.0],
    "weighted": True, "max_passes": 60,
}  # fmt: skip
MIXED = {
    "lower": [-0.2, -INF, -INF, 0.0], "upper": [0.3, 0.2, INF, 0.0], "penalty_factor": [0.0, 2.0, 0.1, 1.0],
    "offset": True, "max_passes": 60,
}  # fmt: skip
BOX = {"l2": 0.0, "lower": [-0.2, -0.1, 0.0, -0.3], "upper": 0.25, "max_passes": 60}
EVERY_CASE = [
    (loss, how)
    for loss in losses.LOSSES
    for how in [*SETTINGS, ONE_SIDED, MIXED]
    if not (loss == "softmax" and {"offset", "lower"} & set(how))
]


@each_of(
    "loss, how",
    [*EVERY_CASE, *((loss, BOX) for loss in ("squared", "logistic", "hinge"))],
    pushed=[*EVERY_CASE[::4], ("logistic", BOX)],
)
def test_every_loss_in_every_setting_is_accepted_and_its_claim_is_the_exact_gap(loss, how, tmp_path):
    P, s, path, verdict = written(tmp_path, loss, **how)
    X, y = data_of(P)
    known = json.loads(path.read_text())
    assert is_true(known, X, y)
    assert verdict.gap <= max(10 * s.gap, 1e-9)
    one_lower = copy.deepcopy(known)
    one_lower["claim"]["gap"] = math.nextafter(verdict.gap, -math.inf)
    assert not is_true(one_lower, X, y) or verdict.gap < 1e-50


# ------------------------------------------------------------ the file alone, without cdlab
def test_a_copy_of_the_checker_runs_without_cdlab_numpy_and_site_packages(tmp_path):
    P, _, path, verdict = written(tmp_path, "logistic")
    write_libsvm(tmp_path / "a.svm", *data_of(P))
    copied = tmp_path / "checker.py"
    shutil.copy(checker.__file__, copied)
    words = f"import runpy, sys\nsys.argv[1:] = {[str(path), str(tmp_path / 'a.svm')]}\n"
    words += f"try:\n runpy.run_path({str(copied)!r}, run_name='__main__')\n"
    words += "except SystemExit as end:\n print(end.code, 'cdlab' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ACCEPT")
    assert repr(verdict.gap) in done.stdout
    assert done.stdout.splitlines()[-1] == "0 False False"


def write_libsvm(path, X, y):
    """LIBSVM text with all digits."""
    lines = (
        " ".join([repr(float(t)), *(f"{j + 1}:{float(v)!r}" for j, v in enumerate(x) if v)])
        for x, t in zip(X, y, strict=True)
    )
    path.write_text("\n".join(lines) + "\n")


def file_in(form, X, y, folder):
    """The data in a file of this form, and what the certificate must say of it."""
    name = str(folder / f"data.{form}")
    if form.startswith("svm"):
        write_libsvm(folder / f"data.{form}", X, y)
    elif form == "npz":
        np.savez(name, X=X, y=y)
    elif form == "csv":
        np.savetxt(name, np.column_stack([X, y]), delimiter=",", fmt="%.17g", header="a,b,c,d,y", comments="")
    elif form == "tsv":
        np.savetxt(name, np.column_stack([y, X]), delimiter="\t", fmt="%.17g")
    elif form == "npy":
        np.save(name, np.asfortranarray(X))
        np.save(folder / "labels.npy", y)
        return [name, str(folder / "labels.npy")], {}
    packer = {"gz": gzip, "bz2": bz2, "xz": lzma}.get(form.rpartition(".")[2])
    if packer:
        raw = (folder / f"data.{form}").read_bytes()
        (folder / f"data.{form}").write_bytes(packer.compress(raw))
    return [name], {"label_column": {"csv": -1, "tsv": 0}.get(form)}


@each_of("form", ["svm", "svm.gz", "svm.bz2", "svm.xz", "npz", "csv", "tsv", "npy"])
def test_data_are_read_in_every_form(form, tmp_path, capsys):
    P, s = solved("squared")
    names, how = file_in(form, *data_of(P), tmp_path)
    s.save_certificate(tmp_path / "a.cert", **how)
    assert checker.main([str(tmp_path / "a.cert"), *names]) == 0
    assert capsys.readouterr().out.startswith("ACCEPT")


def test_words_as_labels_and_scaled_rows_are_those_of_the_data(tmp_path):
    P, _ = solved("logistic")
    X, y = data_of(P)
    words, scale = np.where(y > 0, "yes", "no"), np.linspace(1, 3, N)
    np.savez(tmp_path / "a.npz", X=X, y=words)
    s = cdlab.solve(cdlab.Problem(X / scale[:, None], words, "logistic", 0.01), tol=1e-8)
    s.save_certificate(tmp_path / "a.cert", scale=scale)
    assert checker.main([str(tmp_path / "a.cert"), str(tmp_path / "a.npz")]) == 0


# ------------------------------------------------------------ false statements
def altered(known, rng):
    """The certificate with something else in it, sealed anew."""
    other = copy.deepcopy(known)
    kind = rng.integers(11 if "lower" in other["problem"] else 9)
    if kind == 0:
        other["claim"]["gap"] = other["claim"]["gap"] * float(rng.choice([0.5, 1 - 1e-12, 1 + 1e-12]))
    elif kind == 1:
        name = str(rng.choice(["primal", "dual"]))
        other["claim"][name] = math.nextafter(other["claim"][name], float(rng.choice([-1e9, 1e9])))
    elif kind in (2, 3, 4):
        name = str(rng.choice(["w", "alpha"]))
        K = other["data"]["classes"] or 1
        size = K * (N if name == "alpha" else D + (other["problem"]["intercept"] is not None))
        x = unpacked(other[name], size).copy()
        k = int(rng.integers(size))
        x[k] = rng.choice([0.0, -x[k], np.nextafter(x[k], 1), x[k] * 2, x[k] + 1e-9, 1.5])
        other[name] = b64encode(zlib.compress(x.tobytes())).decode()
    elif kind == 5:
        name = str(rng.choice(["l2", "l1"]))
        other["problem"][name] = other["problem"][name] * float(rng.choice([0.0, 0.9, 1 + 1e-9, 2.0]))
    elif kind == 6:
        other["problem"]["intercept"] = None if other["problem"]["intercept"] else other["problem"]["intercept"]
        other["problem"]["loss"] = {"name": str(rng.choice(["hinge", "absolute", "logistic"]))}
    elif kind == 7:
        other["problem"]["weights"] = b64encode(zlib.compress(rng.integers(0, 3, N).astype(float).tobytes())).decode()
    elif kind == 8:
        for name in other["problem"]["loss"].keys() - {"name"}:
            other["problem"]["loss"][name] *= float(rng.choice([0.5, 1 + 1e-9, 2.0]))
    else:
        name = str(rng.choice(["lower", "upper", "factor"]))
        size = D + (other["problem"]["intercept"] not in (None, "free"))
        x = dict(zip(("lower", "upper", "factor"), of_features(other["problem"], size), strict=True))[name].copy()
        k = int(rng.integers(size))
        x[k] = rng.choice([0.0, -x[k], np.nextafter(x[k], 0), x[k] / 2, -INF, INF, 0.1, np.nan])
        other["problem"][name] = b64encode(zlib.compress(x.tobytes())).decode()
    return other


@pytest.mark.parametrize("many", [12, pytest.param(450, marks=pytest.mark.full)])
@each_of("loss", sorted(losses.LOSSES))
def test_altered_certificates_get_the_verdict_of_a_second_implementation(loss, many, tmp_path):
    rng, verdicts = np.random.default_rng(7), []
    for how in ({}, {"l2": 0.0, "l1": 0.02}, {"intercept": True, "weighted": True}, ONE_SIDED, MIXED):
        if (loss, how) not in EVERY_CASE and how in (ONE_SIDED, MIXED):
            continue
        P, _, path, _ = written(tmp_path, loss, **how)
        X, y = data_of(P)
        known, rows = json.loads(path.read_text()), [(np.flatnonzero(x).tolist(), x[x != 0].tolist()) for x in X]
        for _ in range(many // 3):
            other = altered(known, rng)
            path.write_text(sealed(other))
            try:
                expected = is_true(other, X, y)
            except AssertionError:
                expected = False
            try:
                read = checker.read_certificate(path)
                problem = checker.read_problem(read)
                checker.prove(read, problem, checker.sums_of(problem, read, rows, y.tolist()))
                found = True
            except checker.Rejected:
                found = False
            assert found == expected or (not found and labels_do_not_fit(other, y)), other["claim"]
            verdicts.append(found)
    assert not all(verdicts)


@each_of(
    "loss",
    [
        losses.Pinball(0.9),
        losses.Pinball(1 / 3, 0.2),
        losses.EpsilonInsensitive(0.3, 0.1),
        losses.SquaredEpsilonInsensitive(0.3, 2.0),
    ],
)
def test_parameters_are_part_of_what_is_proved(loss, tmp_path):
    P, _, path, _ = written(tmp_path, loss, intercept=True, weighted=True)
    X, y = data_of(P)
    known, rows = json.loads(path.read_text()), [(np.flatnonzero(x).tolist(), x[x != 0].tolist()) for x in X]
    assert is_true(known, X, y)
    for name, value in loss._asdict().items():
        for other in (np.nextafter(value, 0), value / 2, value * 1.1, -value, 1e300):
            changed = copy.deepcopy(known)
            changed["problem"]["loss"][name] = float(other)
            path.write_text(sealed(changed))
            read = checker.read_certificate(path)
            try:
                problem = checker.read_problem(read)
                checker.prove(read, problem, checker.sums_of(problem, read, rows, y.tolist()))
            except checker.Rejected:
                in_range = other >= 0 and (name != "quantile" or other < 1)
                assert not (in_range and is_true(changed, X, y))
            else:
                assert is_true(changed, X, y)


def labels_do_not_fit(known, y):
    """Of a loss of classes that was put in the place of another: the checker looks at labels first."""
    return losses.resolve(known["problem"]["loss"]["name"]).classification and set(y) != {-1.0, 1.0}


def test_other_data_are_rejected_and_a_broken_seal_is_seen(tmp_path, capsys):
    P, _, path, _ = written(tmp_path, "squared")
    X, y = data_of(P)
    for change in (0, 1, 2):
        other, labels = X.copy(), y.copy()
        if change == 0:
            other[3, 1] = np.nextafter(other[3, 1], 9)
        elif change == 1:
            labels[0] += 1
        else:
            other, labels = other[1:], labels[1:]
        np.savez(tmp_path / "a.npz", X=other, y=labels)
        assert checker.main([str(path), str(tmp_path / "a.npz")]) == 1
        assert capsys.readouterr().out.startswith("REJECT")
    np.savez(tmp_path / "a.npz", X=X, y=y)
    text = path.read_bytes()
    rng = np.random.default_rng(0)
    for k in rng.integers(len(text), size=60):
        flipped = bytearray(text)
        flipped[k] ^= 1 << int(rng.integers(7))
        path.write_bytes(flipped)
        status = checker.main([str(path), str(tmp_path / "a.npz")])
        assert capsys.readouterr().out.startswith({1: "REJECT", 2: "UNREADABLE"}[status])


@each_of(
    "text", ["", "[]", "{}", '{"file": "cdlab certificate"}', "[" * 100_000, '{"a": NaN}', '{"a": 1, "a": 1}', "\0\0"]
)
def test_what_is_no_certificate_is_rejected_in_a_sentence(text, tmp_path, capsys):
    (tmp_path / "a.cert").write_text(text)
    status = checker.main([str(tmp_path / "a.cert"), "nowhere.csv"])
    out = capsys.readouterr().out
    assert out.startswith({1: "REJECT", 2: "UNREADABLE"}[status])
    assert out.count("\n") == 1


def test_a_seal_covers_the_whole_file(tmp_path, capsys):
    P, _, path, _ = written(tmp_path, "squared")
    write_libsvm(tmp_path / "a.svm", *data_of(P))
    known = json.loads(path.read_text())
    decoy = json.dumps({**known, "about": {"seal": 1}}).replace('"seal": "', '"\\u0073eal": "')
    nothing = json.dumps({**known, "seal": hashlib.sha256(b"").hexdigest()}).encode("utf-16")
    for content in (decoy.encode(), nothing, path.read_bytes() + b"\n"):
        path.write_bytes(content)
        assert checker.main([str(path), str(tmp_path / "a.svm")]) == 1
        assert "seal" in capsys.readouterr().out


def test_arrays_that_would_be_misread_are_refused(tmp_path, capsys):
    P, _, path, _ = written(tmp_path, "squared")
    X, y = data_of(P)
    np.savez(tmp_path / "a.npz", X=X.astype(">f8"), y=y)
    assert checker.main([str(path), str(tmp_path / "a.npz")]) == 1
    assert "little-endian" in capsys.readouterr().out


def test_what_is_taken_from_the_certificate_is_told_with_its_range(tmp_path, capsys):
    P, _, path, _ = written(tmp_path, "squared", weighted=True, offset=True)
    write_libsvm(tmp_path / "a.svm", *data_of(P))
    known = json.loads(path.read_text())
    path.write_text(sealed({**known, "about": "\x1b[8A\nACCEPT"}))
    assert checker.main([str(path), str(tmp_path / "a.svm")]) == 0
    out = capsys.readouterr().out
    assert "weights from 0.0 to " in out
    assert ", offset from -0.7" in out
    assert "\x1b" not in out
    assert out.count("\n") == 7


def test_bounds_and_factors_are_told_and_a_w_outside_is_rejected(tmp_path, capsys):
    P, s, path, _ = written(tmp_path, "squared", **MIXED)
    write_libsvm(tmp_path / "a.svm", *data_of(P))
    known = json.loads(path.read_text())
    assert checker.main([str(path), str(tmp_path / "a.svm")]) == 0
    assert (
        "lower from -inf to 0.0, upper from 0.0 to inf, factor from 0.0 to 2.0, offset from" in capsys.readouterr().out
    )
    j = int(np.argmin(s.w))
    lower = of_features(known["problem"], D)[0].copy()
    lower[j] = np.nextafter(s.w[j], 0)
    known["problem"]["lower"] = b64encode(zlib.compress(lower.tobytes())).decode()
    path.write_text(sealed(known))
    assert not is_true(known, *data_of(P))
    assert checker.main([str(path), str(tmp_path / "a.svm")]) == 1
    assert f"coefficient {j + 1} is from " in capsys.readouterr().out


def test_without_bounds_and_factors_a_file_has_no_fields_for_them(tmp_path):
    _, s, path, _ = written(tmp_path, "squared")
    P = s.run.problem
    same = cdlab.Problem(P.X, P.y, "squared", P.l2, lower=-INF, upper=np.full(D, INF), penalty_factor=1.0)
    cdlab.solve(same, tol=1e-7).save_certificate(tmp_path / "same.cert")
    assert json.loads(path.read_text())["version"] == 1
    assert (tmp_path / "same.cert").read_text() == path.read_text()


@pytest.mark.timeout(20)
def test_multipliers_near_0_cost_nothing(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    s = cdlab.solve(cdlab.Problem(X, np.sign(X @ rng.normal(size=5)), "logistic", l2=1e-6), tol=1e-8)
    assert np.abs(s.alpha).min() < 1e-60
    assert s.save_certificate(tmp_path / "a.cert").gap <= 2 * s.gap


# ------------------------------------------------------------ what is rounded
def test_exponentials_and_logarithms_are_rounded_up_and_hardly():
    mp.dps = 120
    rng = np.random.default_rng(1)
    for x in [*(-rng.exponential(20, 200)).tolist(), -1e-300, -700.0, -1e5, -1e7]:
        exact, found = mp.exp(mpf(x)), checker.exp_up(Fraction(x))
        assert mpf(str(found)) >= exact
        assert x < -1e5 or mpf(str(found)) <= exact * (1 + mpf(10) ** -60)
    for x in [*rng.exponential(2, 200).tolist(), 1 - 2.0**-53, 1 + 2.0**-52, 1e-300]:
        exact, found = mp.log(mpf(x)), checker.ln_up(Decimal(x))
        assert mpf(found.numerator) / mpf(found.denominator) >= exact
        assert mpf(found.numerator) / mpf(found.denominator) <= exact + abs(exact) * mpf(10) ** -40 + mpf(10) ** -55


# ------------------------------------------------------------ models of other packages, and what is refused
def test_models_of_scikit_learn_have_certificates_one_a_class(tmp_path):
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.svm import LinearSVC

    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "iris.npz", X=X, y=y)
    for model, count in ((LogisticRegression(max_iter=2000), 1), (RidgeClassifier(), 3), (LinearSVC(), 3)):
        found = cdlab.certify(model.fit(X, y), X, y)
        verdicts = found.save_certificate(tmp_path / "m.cert")
        assert len(verdicts) == count
        assert sum(each.gap for each in verdicts) <= max(4 * found.gap, 1e-9)  # alpha is balanced anew
        for each in verdicts:
            assert checker.main([each.path, str(tmp_path / "iris.npz")]) == 0


def test_models_with_bounds_have_certificates(tmp_path):
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import ElasticNet, Lasso, Ridge

    X, y = load_diabetes(return_X_y=True)
    np.savez(tmp_path / "diabetes.npz", X=X, y=y)
    factors = [1, 2, 0, *[0.5] * 7]
    bounded = {"lower": [-1.0, *[-INF] * 9], "upper": [INF, 0, 3.0, *[INF] * 7], "penalty_factor": factors}
    models = [
        Lasso(alpha=0.1, positive=True),
        ElasticNet(alpha=0.01, positive=True),
        Ridge(positive=True, tol=1e-12),
        cdlab.CDRegressor("huber", l2=1e-3, l1=1e-2, positive=True, tol=1e-6),
        cdlab.CDRegressor("squared", l2=1e-3, intercept_scaling=2.0, **(bounded | {"lower": -1.0}), tol=1e-9),
    ]
    for model in models:
        found = cdlab.certify(model.fit(X, y), X, y)
        (verdict,) = found.save_certificate(tmp_path / "m.cert")
        assert verdict.gap <= found.gap < 1e-2 * found.primal
        assert checker.main([verdict.path, str(tmp_path / "diabetes.npz")]) == 0
        assert json.loads((tmp_path / "m.cert").read_text())["version"] == 4


def test_what_has_no_certificate_is_refused_in_a_sentence_and_leaves_no_file(tmp_path):
    P = cdlab.Problem(np.eye(3), [1.0, 2.0, 3.0], "squared", l2=0.0)
    with pytest.raises(ValueError, match="without a regulariser"):
        cdlab.solve(P, max_passes=5, tol=0).save_certificate(tmp_path / "a.cert")
    P = cdlab.Problem(np.eye(3), [1.0, 2.0, 3.0], "squared", l2=1.0, lower=0.0, penalty_factor=[1, 0, 1])
    with pytest.raises(ValueError, match="two finite bounds of each feature"):
        cdlab.solve(P, max_passes=5, tol=0).save_certificate(tmp_path / "a.cert")
    _, s = solved("squared")
    s.save(tmp_path / "s.npz")
    with pytest.raises(ValueError, match="without its problem"):
        cdlab.load_solution(tmp_path / "s.npz").save_certificate(tmp_path / "a.cert")
    with pytest.raises(OSError, match="nowhere"):
        s.save_certificate(tmp_path / "nowhere" / "a.cert")
    assert not list(tmp_path.glob("*.cert"))


def hard_or_real(k, loss, l2=0.01, l1=0.0, intercept=False, weighted=False, offset=False, max_passes=500, **features):
    """Problems of measured data as they are, and of columns of unlike scales, twice, or far from 0."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

    rng = np.random.default_rng(k)
    X, y = (load_breast_cancer, load_diabetes, load_wine)[k % 3](return_X_y=True)
    rows = rng.permutation(len(y))[:60]
    X, y = X[rows, :8], y[rows]
    if k % 2:
        X = np.column_stack([X * 10.0 ** rng.integers(-5, 5, 8), X[:, 0]]) + 100.0 * (k % 4 == 1)
    if losses.resolve(loss).classification:
        y = np.where(y > np.median(y), 1.0, -1.0) if len(set(y)) > 2 else 2.0 * (y > 0) - 1
    if loss == "softmax":
        y = np.arange(60) % K + 0.0
    more = {"sample_weight": rng.integers(0, 3, 60) + 0.0} if weighted else {}
    more |= {"offset": rng.normal(size=60)} if offset else {}
    more |= {name: np.resize(x, X.shape[1]) for name, x in features.items()}
    P = cdlab.Problem(X, y, loss, l2, l1, intercept=intercept, **more)
    return P, cdlab.solve(P, tol=10.0 ** -(k % 12 + 1), max_passes=max_passes)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # that hard problems are not solved to the end
def test_500_certificates_over_all_losses_and_settings_are_true(tmp_path, capsys):
    """400 small problems and 100 of real or hard data; what is proved of a solution is what its gap says, or less."""
    shares = []
    for k in range(500):
        loss, how = EVERY_CASE[k % len(EVERY_CASE)]
        P, s = hard_or_real(k, loss, **how) if k % 5 == 4 else solved(loss, seed=k, tol=10.0 ** -(k % 12 + 1), **how)
        verdict = s.save_certificate(tmp_path / "a.cert")
        X, y = data_of(P)
        assert is_true(json.loads((tmp_path / "a.cert").read_text()), X, y), (k, loss, how)
        np.savez(tmp_path / "a.npz", X=X, y=y)
        assert checker.main([str(tmp_path / "a.cert"), str(tmp_path / "a.npz")]) == 0, (k, loss, how)
        shares.append(verdict.gap / s.gap)
    with capsys.disabled():
        print(f"exact gap over solution.gap: {np.percentile(shares, [0, 5, 50, 95, 100]).round(3).tolist()}")
    assert max(shares) <= 1.001
