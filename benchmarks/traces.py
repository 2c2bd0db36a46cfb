"""Is every number still the same? Short runs of every method, by their digests.

    python benchmarks/traces.py record before.json     in the checkout before a change
    python benchmarks/traces.py compare before.json    in the one after it

Each line of the list is a method with its options, a loss, a sampling and a form of the data; a run is its records
without seconds, w, alpha and status, and a refusal is its sentence. Numbers depend on the machine: record and compare
on the same one.
"""

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab.methods import METHODS

LOSSES = ("logistic", "squared", "smooth_hinge", "hinge", "huber", "softmax")
SAMPLINGS = ("uniform", "permutation", "fixed_permutation", "cyclic", "symmetric", "importance", "norms",
             cdlab.samplings.TauNice(4))  # fmt: skip
FORMS = ("dense", "sparse", "weights", "intercept", "l1", "resumed", "batches", "l1 alone")
OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sdca", {"anderson": 5}), ("rcd", {"anderson": 4}), ("gd", {"anderson": 5}), ("quartz", {"anderson": 5}),
    ("rcd", {"screening": "gap_safe"}), ("sdca", {"screening": "shrink"}), ("newton_cd", {"screening": "gap_safe"}),
    ("rcd", {"working_set": True}), ("sdca", {"added_l2": 0.01}), ("adasdca", {"added_l2": 0.01}),
    ("sdca", {"average": "all"}), ("sdca", {"average": "half"}), ("quartz", {"averaged": True}),
    ("spdc", {"batch_size": 4}), ("asdca", {"batch_size": 4}),
)  # fmt: skip


def cases() -> Iterator[tuple[str, dict[str, Any], str, Any, str]]:
    """Method, its options, loss, sampling (None: its default) and form."""
    for name in ("auto", *METHODS):
        for loss in LOSSES:
            for form in FORMS:
                yield name, {}, loss, None, form
        for sampling, form in zip(SAMPLINGS, cycle(FORMS[:3]), strict=False):
            yield name, {}, "logistic", sampling, form
    for name, options in OPTIONS:
        for loss in ("logistic", "squared", "hinge"):
            for sampling, form in zip((None, *SAMPLINGS), cycle(FORMS[:5]), strict=False):
                yield name, options, loss, sampling, form


def problem(loss: str, form: str) -> cdlab.Problem:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((30, 12)) * (rng.random((30, 12)) < 0.6)
    X[4] = 0.0
    z = X @ rng.standard_normal(12) + 0.3 * rng.standard_normal(30)
    y = np.arange(30) % 3 if loss == "softmax" else z if loss in ("squared", "huber") else np.where(z > 0, 1.0, -1.0)
    return cdlab.Problem(
        sp.csr_matrix(X) if form in ("sparse", "batches", "resumed") else X, y, loss=loss,
        l2=0.0 if form == "l1 alone" else 0.05, l1=0.02 if form.startswith("l1") else 0.0,
        intercept=form == "intercept", sample_weight=1.0 + rng.random(30) if form == "weights" else None,
    )  # fmt: skip


def outcome(name: str, options: dict[str, Any], loss: str, sampling: Any, form: str) -> str:
    """A digest of the run, or the refusal's sentence."""
    how: dict[str, Any] = dict(options, seed=3, max_passes=7, tol=1e-12)
    if form == "batches":
        how["batch_size"] = 3
    if sampling is not None:
        how["sampling"] = sampling
    try:
        P = problem(loss, form)
        if form == "resumed":
            first = cdlab.solve(P, name, **{**how, "seed": 1, "max_passes": 2})
            how["start"] = (first.w, first.alpha)
        s = cdlab.solve(P, name, **how)
    except (ValueError, TypeError) as refused:
        return f"{type(refused).__name__}: {refused}"
    numbers = [s.trace.column(c) for c in s.trace.names if c != "seconds"] + [s.w, s.alpha]
    digest = hashlib.sha256(s.status.encode())
    for each in numbers:
        digest.update(b"none" if each is None else np.ascontiguousarray(each, float).tobytes())
    return digest.hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--methods", default="", help="of these names only, with commas between them")
    args = parser.parse_args()
    chosen = args.methods.split(",") if args.methods else []
    known = json.loads(args.file.read_text()) if args.what == "compare" else {}
    found, changed = {}, {"numbers": 0, "refusals": 0}
    warnings.simplefilter("ignore")  # of tolerances that are missed
    for name, options, loss, sampling, form in cases():
        if chosen and name not in chosen:
            continue
        options_text = "".join(f":{key}={value}" for key, value in options.items())
        key = f"{name}{options_text} {loss} {sampling or '-'} {form}"
        found[key] = outcome(name, options, loss, sampling, form)
        if args.what == "compare" and known.get(key) != found[key]:
            kind = "refusals" if " " in found[key] and " " in str(known.get(key)) else "numbers"
            changed[kind] += 1
            print(f"{kind}: {key}\n  before {known.get(key)}\n  after  {found[key]}", flush=True)
    runs = sum(" " not in each for each in found.values())
    print(f"{runs} runs, {len(found) - runs} refusals", end="")
    if args.what == "record":
        args.file.write_text(json.dumps(found, indent=1))
        print()
    else:
        print(f"; {changed['numbers']} runs and {changed['refusals']} refusals are not as before")
    return int(changed["numbers"] > 0)


if __name__ == "__main__":
    sys.exit(main())
