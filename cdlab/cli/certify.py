"""``cdlab certify MODEL FILE``."""

from __future__ import annotations

import argparse
import math
import zipfile
from typing import Any

import numpy as np

from ..certificates import Distance
from ..certificates.bounding import Task, point
from ..certificates.certifying import answer, certify
from ..numerics import checks
from ..problems.problem import Problem
from ..runs import load_solution
from ..runs.solution_file import DAMAGED
from . import specs
from .options import Parser, add_output, add_problem, default, described, headline, load_problem
from .printing import to_json
from .watching import Progress

NAMES = {  # of arrays in MODEL: as `cdlab solve --solution` writes them, and as scikit-learn's attributes are called
    "w": "w", "coef": "w", "coef_": "w",
    "intercept": "intercept", "intercept_": "intercept",
    "alpha": "alpha",
}  # fmt: skip


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "certify",
        "MODEL FILE [options]",
        description="""Say how far the coefficients in MODEL are from the optimum of

    P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

at most. MODEL is an NPZ file: a solution that cdlab saved, or an array named w
(or coef) with, where predictions are x_i'w + b, one named intercept. With
--intercept b has no weight in P. Files with pickles are not read.""",
        epilog="""values
  primal         P(w), the mean loss and the regulariser
  dual           the best lower bound of P(w*) that was found
  gap            at most so far is P(w) above P(w*), rounding included
  at_least       at least so far
  relative_gap   gap / (P(0) - dual), which --tol limits
  rounding       the share of gap that is there because float64 rounds

exit codes
  0    there is a number (with --tol: a relative gap of at most T)
  1    there is none, or the relative gap is larger than T
  2    bad input

examples
  cdlab solve mushrooms --l2 1/n --solution w.npz
  cdlab certify w.npz mushrooms --l2 1/n
  cdlab certify w.npz mushrooms --l2 1/n --tol 1e-4 --json""",
    )
    parser.add_argument("model", type=specs.nonempty, metavar="MODEL", help="NPZ file with w, and perhaps intercept")
    add_problem(parser)
    group = parser.add_argument_group("the bound")
    group.add_argument("--tol", type=specs.number, metavar="T", help="exit with 1 above this relative gap")
    group.add_argument(
        "--max-passes", type=specs.limit, default=default(certify, "max_passes"), metavar="N",
        help="search a better bound for so many passes over the data at most (default: %(default)s)",
    )  # fmt: skip
    add_output(parser)
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: the exit code, and the text for stdout."""
    parts = _parts(args.model)
    with Progress(args.quiet) as progress:
        problem = load_problem(args, progress)
        task = _task(args, problem, parts)
        progress.show("searching a bound")
        found = answer([task], args.model, args.max_passes)
    good = math.isfinite(found.gap) and (args.tol is None or found.relative_gap <= args.tol)
    if args.json:
        text = to_json({"verb": "certify", "problem": described(args, problem), "result": _plain(found)})
    else:
        text = f"{headline(args, problem)}\n{found}"
    return 0 if good else 1, text


def _plain(found: Distance) -> dict[str, Any]:
    names = ("primal", "dual", "gap", "relative_gap", "at_least", "rounding")
    return {**{name: getattr(found, name) for name in names}, "why": found.why or None}


def _parts(path: str) -> dict[str, np.ndarray]:
    """The arrays of MODEL: w (d,) or (d, K), and where it has them intercept, a number or (K,), and alpha."""
    with open(path, "rb") as file:
        try:
            if not zipfile.is_zipfile(file):
                raise ValueError("it is no archive of named arrays")
            file.seek(0)
            archive = np.load(file, allow_pickle=False)
            if "about" not in archive.files:
                return _named({name: checks.real_array(name, archive[name]) for name in archive.files if name in NAMES})
        except (*DAMAGED, TypeError) as error:
            raise ValueError(f"{path} is no NPZ file of coefficients: {checks.error_message(error)}") from None
    s = load_solution(path)
    return {"w": s.w, "alpha": s.alpha, "intercept": np.asarray(s.intercept)}


def _named(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays by cdlab's names, and in its shapes: scikit-learn's coef_ has a row for each class, or one."""
    found = {NAMES[name]: x for name, x in arrays.items()}
    if "w" not in found:
        raise ValueError("it has no array named w, coef or coef_")
    if "w" not in arrays and found["w"].ndim == 2:
        found["w"] = found["w"][0] if len(found["w"]) == 1 else found["w"].T
    if "intercept" in found and found["intercept"].shape == (1,):
        found["intercept"] = found["intercept"][0]
    return found


def _task(args: argparse.Namespace, problem: Problem, parts: dict[str, np.ndarray]) -> Task:
    b = parts.get("intercept")
    if args.intercept and b is None:
        raise ValueError(f"{args.model} has no array named intercept, and --intercept asks for one: leave it out")
    if not args.intercept and b is not None and b.any():
        raise ValueError(f"{args.model} has an intercept: add --intercept, with which it has no weight in P")
    return point(problem, parts["w"], b if args.intercept else None, parts.get("alpha"))
