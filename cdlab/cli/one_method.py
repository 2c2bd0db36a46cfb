"""The options --method, --sampling and --seed of the verbs that run one method: solve and path."""

from __future__ import annotations

import argparse

from ..methods import METHODS, Method
from ..runs import solving
from ..runs.entries import drawn_by
from ..samplings import Sampling
from . import specs
from .options import default


def add_method(parser: argparse.ArgumentParser) -> None:
    """Add the options. The method is auto, which chooses: at a terminal nothing depends on which one it was."""
    group = parser.add_argument_group("the method")
    group.add_argument(
        "--method", type=specs.named, default="auto", metavar="NAME[:k=v][@SAMPLING]",
        help=f"auto, which chooses among the others, {', '.join(METHODS)}; parameters as in quartz:averaged=true "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--sampling", type=specs.sampling, metavar="NAME[:k=v]",
        help=f"{specs.SAMPLINGS_HELP}; parameters as in lipschitz:power=0.5 (default: what --method says, or uniform)",
    )  # fmt: skip
    group.add_argument(
        "--seed", type=specs.whole, default=default(solving.solve, "seed"), metavar="N",
        help="the same seed gives the same run (default: %(default)s)",
    )  # fmt: skip


def entrant(args: argparse.Namespace) -> tuple[Method, Sampling]:
    """The method and the sampling that the options name; a method that chooses knows --tol.

    Raises
    ------
    ValueError
        If the sampling is named twice.
    """
    method, named = args.method
    if named is not None and args.sampling is not None:
        raise ValueError("the sampling is given twice, in --method and in --sampling: leave one out")
    return method, drawn_by(method, args.sampling if named is None else named)
