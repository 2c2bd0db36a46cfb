"""The checker of the page gives the verdicts of `cdlab.checker`, on genuine and altered certificates and on others."""

import copy
import gzip
import hashlib
import json
import math
import re
import subprocess
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from nodejs import node
from second_opinion import sealed
from test_checker import EVERY_CASE, altered, data_of, file_in, solved, write_libsvm

import cdlab
from cdlab import checker

HERE = Path(__file__).parent
CHECKER = Path(cdlab.__file__).parent / "dashboard/frontend/checker"


def verdicts(cases):
    """What the page says of (certificate, data, ...) each."""
    lines = "\n".join(json.dumps(list(map(str, case))) for case in cases)
    done = subprocess.run([node(), HERE / "verdicts.mjs"], input=lines, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def agree(cases, capsys):
    """Compare with `cdlab.checker`; the certificates that are accepted."""
    expected = [checker.main(list(map(str, case))) == 0 for case in cases]
    capsys.readouterr()
    found = verdicts(cases)
    assert len(found) == len(cases)
    differing = [
        (case, each["last"]) for case, each, so in zip(cases, found, expected, strict=True) if each["accepted"] != so
    ]
    assert not differing
    return expected


def many_certificates(folder, many, seed=0):
    """Genuine certificates of losses and settings, with a number of the claim one digit better, and altered ones."""
    rng, cases = np.random.default_rng(seed), []
    for loss, how in EVERY_CASE:
        P, s = solved(loss, **how)
        name = folder / f"{len(cases)}"
        data = name.with_suffix(".svm")
        write_libsvm(data, *data_of(P))
        s.save_certificate(name.with_suffix(".cert"))
        known = json.loads(name.with_suffix(".cert").read_text())
        cases.append((name.with_suffix(".cert"), data))
        others = [altered(known, rng) for _ in range(many * (3 if "lower" in how else 1))]
        for field, side in (("gap", -1), ("primal", -1), ("dual", 1)):
            better = copy.deepcopy(known)
            better["claim"][field] = math.nextafter(known["claim"][field], side * math.inf)
            others.append(better)
        for k, other in enumerate(others):
            path = name.with_suffix(f".{k}.cert")
            path.write_text(sealed(other))
            cases.append((path, data))
    return cases


@pytest.mark.parametrize("many", [1, pytest.param(60, marks=pytest.mark.full)])
def test_the_page_gives_the_verdicts_of_the_checker(many, tmp_path, capsys):
    expected = agree(many_certificates(tmp_path, many), capsys)
    assert 50 < sum(expected) < len(expected) - 150


def test_the_page_reads_data_in_every_form_but_bz2_and_xz(tmp_path, capsys):
    P, s = solved("squared")
    X, y = data_of(P)
    cases = []
    for form in ("svm", "svm.gz", "npz", "csv", "tsv", "npy"):
        names, how = file_in(form, X, y, tmp_path)
        s.save_certificate(tmp_path / f"{form}.cert", **how)
        cases.append((tmp_path / f"{form}.cert", *names))
    np.savez_compressed(
        tmp_path / "test.npz", X=X.astype(np.float32), y=y.astype(np.int64), is_test=np.arange(len(y)) < 3
    )
    half = cdlab.solve(
        cdlab.Problem(X[3:].astype(np.float32).astype(float), y[3:].astype(np.int64) + 0.0, "squared", 0.01)
    )
    half.save_certificate(tmp_path / "half.cert", rows="train")
    cases.append((tmp_path / "half.cert", tmp_path / "test.npz"))
    words, scale = np.where(y > 0, "yes, so", 'no "thing"'), np.linspace(1, 3, len(y))
    named = cdlab.solve(cdlab.Problem(X / scale[:, None], words, "logistic", 0.01))
    np.savez(tmp_path / "words.npz", X=X, y=words)
    named.save_certificate(tmp_path / "words.cert", scale=scale)
    cases.append((tmp_path / "words.cert", tmp_path / "words.npz"))
    lines = [
        "a;b;c;d;said",
        *(
            ";".join([*map(repr, x.tolist()), f'"{w.replace(chr(34), chr(34) * 2)}"'])
            for x, w in zip(X, words, strict=True)
        ),
    ]
    (tmp_path / "words.csv").write_text("\n".join(lines))
    named.save_certificate(tmp_path / "words.csv.cert", scale=scale, label_column=4)
    cases.append((tmp_path / "words.csv.cert", tmp_path / "words.csv"))
    assert all(agree(cases, capsys))
    names, _ = file_in("svm.bz2", X, y, tmp_path)
    (refused,) = verdicts([(tmp_path / "svm.cert", *names)])
    assert not refused["accepted"]
    assert "unpacked first" in refused["last"]["words"]


def test_what_is_no_certificate_or_no_data_is_refused_in_a_sentence(tmp_path, capsys):
    P, s = solved("squared")
    write_libsvm(tmp_path / "a.svm", *data_of(P))
    s.save_certificate(tmp_path / "a.cert")
    text = (tmp_path / "a.cert").read_text()
    known, cases = json.loads(text), []

    def add(content, data="a.svm"):
        path = tmp_path / f"{len(cases)}.cert"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        cases.append((path, tmp_path / data))

    for content in (
        "",
        "[]",
        "{}",
        '{"file": "cdlab certificate"}',
        "[" * 100_000,
        '{"a": NaN}',
        text[:-20],
        b"\xff\xfe",
    ):
        add(content)
    rng = np.random.default_rng(0)
    for k in rng.integers(len(text), size=30):
        flipped = bytearray(text.encode())
        flipped[k] ^= 1 << int(rng.integers(7))
        add(bytes(flipped))
    claims = [{"gap": 10**400}, {"gap": True}, {"gap": "1"}, {"gap": 2**60 + 1}, {"gap": 1e308 * 10}]
    changes = [
        *({"claim": {**known["claim"], **claim}} for claim in claims),
        {"version": 3}, {"w": "!"}, {"alpha": "eJw="}, {"w": b64encode(gzip.compress(b"")).decode()},
        {"problem": {**known["problem"], "l2": -1}}, {"data": {**known["data"], "features": 4.0}},
        {"data": {**known["data"], "examples": 13}}, {"data": {**known["data"], "labels": [["x", 1.0]]}},
        {"data": {**known["data"], "scale": 0}},
    ]  # fmt: skip
    for change in changes:
        add(sealed({**known, **change}).replace("Infinity", "1e999"))
    twice = text[: text.index('"seal"')].replace('"version": 1', '"version": 1, "version": 1')
    add(twice + f'"seal": "{hashlib.sha256(twice.encode()).hexdigest()}"}}')
    for k, data in enumerate(["", "1 2:1 1:1\n", "1 1:x\n", "1 1:1:1\n", "\0\0", "1 0x1:1\n", "1 9:1\n"]):
        (tmp_path / f"{k}.svm").write_text(data)
        add(text, f"{k}.svm")
    (tmp_path / "a.npz").write_bytes(b"PK")
    add(text, "a.npz")
    assert not any(agree(cases, capsys))
    assert all(each["last"]["words"].count("\n") == 0 and not each["last"]["holds"] for each in verdicts(cases))


def test_the_example_of_the_page_is_a_certificate(tmp_path, capsys):
    source = (CHECKER / "example.js").read_text()
    (tmp_path / "five.svm").write_text(re.search(r'DATA = "(.*)"', source)[1].replace(r"\n", "\n"))
    (tmp_path / "five.cert").write_text(re.search(r"'(\{.*\})'", source)[1])
    assert checker.main([str(tmp_path / "five.cert"), str(tmp_path / "five.svm")]) == 0
    assert "0.0566" in capsys.readouterr().out
