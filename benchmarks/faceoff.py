"""The face-off's predictions beside what happens: rcd against quartz and sdca; docs/faceoff.md.

    CDLAB_DATA=FOLDER nice -n 5 python benchmarks/faceoff.py        one process, an hour and a half

As in the paper: logistic loss, l2 = 1/n, X divided by its mean row norm (Csiba & Richtarik 2016, section 7), and once
more with l2 = 0.01/n, where the sides differ more. The paper does not say which sampling its runs use: both are raced.
Its runs are sweeps (`cdlab.sweep`), kept in a store in the cache folder: it goes on where it was stopped, and what the
solvers' code has changed is computed anew. `faceoff_page.py` writes the page, from `faceoff_text.py` and the numbers.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from faceoff_runs import LEVELS, STORE, Effort, curvature, race
from faceoff_sets import SLOW, Data, families, family, real
from faceoff_words import is_crowded

import cdlab

# loss, l2 n, sampling: every coordinate in turn; no slack in the curvature; a strong regulariser
CONTROLS = (("logistic", 1.0, "permutation"), ("squared", 1.0, "importance"), ("logistic", 100.0, "importance"))
CONTROLLED = {"mushrooms": 3, "a9a": 3, "w8a": 3, "leu": 3, "rcv1_vw1000": 3, "news20.bigram": 1}  # with so many seeds
WEAK = 0.01  # l2 n of the second regulariser
MANY = ("leu",)  # one outcome there turns on the sampling, and needs many seeds


def of_set(data: Data, l2n: float, effort: Effort, many: int) -> dict:
    """Predictions and races of one set at one l2, with importance and uniform sampling."""
    P = data.problem(l2n)
    seeds = replace(effort, seeds=many if data.name in MANY else effort.seeds)
    races = {sampling: race(data.name, P, sampling, seeds) for sampling in ("importance", "uniform")}
    found = {"name": data.name, "kind": data.kind, "face": cdlab.faceoff(P), "races": races}
    return found | curvature(P) if is_crowded(found) else found


def with_causes(data: Data, found: dict, effort: Effort) -> dict:
    """`found`, and what explains where theory errs: curvature, and races with one cause taken away."""
    P, few = data.problem(), replace(effort, seeds=CONTROLLED.get(data.name, 0))
    found["seconds"] = cdlab.faceoff(P, derivative_cost="measured")
    found |= curvature(P)
    found["controls"] = [
        (cdlab.faceoff(Q).ratio, race(data.name, Q, sampling, few, ("quartz", "rcd")))
        for Q, sampling in ((data.problem(l2n, loss), sampling) for loss, l2n, sampling in CONTROLS if few.seeds)
    ]
    return found


def of_family(builder: str, arguments, effort: Effort) -> dict:
    P, name = family(builder, arguments), f"{builder}{tuple(arguments)}"
    return {"name": name, "face": cdlab.faceoff(P), "races": {"importance": race(name, P, "importance", effort)}}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Race the face-off's predictions and write docs/faceoff.md.")
    parser.add_argument("--seeds", type=int, default=5, help="seeds of each run (default: %(default)s)")
    parser.add_argument("--many", type=int, default=25, help=f"seeds on {', '.join(MANY)} (default: %(default)s)")
    parser.add_argument(
        "--visits", type=float, default=1e10, help="visits of a nonzero after which a run ends (default: %(default)g)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes; more than one disturb each other's seconds")
    parser.add_argument("--store", type=Path, default=STORE, help="folder of the runs (default: %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="race these sets alone, and write no page")
    return parser.parse_args()


def main(args: argparse.Namespace) -> None:
    effort = Effort(args.seeds, args.visits, args.jobs, args.store)
    first, weak = [], []
    for data in real():
        if args.only is None or data.name in args.only:
            first.append(of_set(data, 1.0, effort, args.many))
            if data.name not in SLOW:
                weak.append(of_set(data, WEAK, effort, args.many))
    synthetic = [of_family(*each, effort) for each in families()] if args.only is None else []
    for data in real():
        for found in first:
            if found["name"] == data.name and data.kind == "paper":
                with_causes(data, found, effort)
    if args.only is None:
        from faceoff_page import write

        write(first, weak, synthetic, LEVELS, effort, args.many)


if __name__ == "__main__":
    main(options())
