"""``cdlab serve``."""

from __future__ import annotations

import argparse
import re
import socket

from .. import dashboard
from ..dashboard.visitor_limits import Limits
from ..numerics.checks import short_repr
from . import specs
from .options import Parser, default


def parser() -> Parser:
    """The options of the verb."""
    parser = Parser(
        "serve",
        "[options]",
        description="""Open the dashboard in the browser: choose data, sparsity, loss, samplings and
methods, and watch primal and dual coordinate descent race beside their bounds
and the face-off's prediction. Everything runs on this machine; no request goes
to any other. Ctrl-C ends it.""",
        epilog="""exit codes
  0    ended by Ctrl-C
  2    bad input, such as a port that is taken or a store that does not exist

examples
  cdlab serve
  cdlab serve --address 0.0.0.0 --origin 192.168.1.20:5006 --no-show
      for a classroom: others open http://192.168.1.20:5006
  cdlab serve --store results --store more
      the drawer Store shows the runs that sweeps keep in these folders""",
    )
    parser.add_argument(
        "--port", type=specs.whole, default=default(dashboard.serve, "port"), metavar="N",
        help="port; 0: any free one (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--address", default=default(dashboard.serve, "address"), metavar="HOST",
        help="where to listen; 0.0.0.0: the whole network (default: %(default)s, this machine only)",
    )  # fmt: skip
    parser.add_argument(
        "--origin", metavar="HOST:PORT", help="the address that other machines type in their browser to reach this one"
    )
    parser.add_argument(
        "--store", action="append", type=specs.nonempty, metavar="DIR",
        help="a folder of a sweep that visitors may see; may be given several times "
        "(default: those that CDLAB_STORES names, as in PATH)",
    )  # fmt: skip
    limits = parser.add_argument_group("limits, so that no visitor keeps the machine from the others")
    limits.add_argument(
        "--sessions", type=specs.whole, metavar="N", help=f"pages open at once (default: {Limits.sessions})"
    )
    limits.add_argument(
        "--entries",
        type=specs.number,
        metavar="N",
        help=f"numbers stored by a data set (default: {Limits.entries:.0e})",
    )
    limits.add_argument(
        "--upload", type=specs.number, metavar="MB", help=f"size of an uploaded file (default: {Limits.upload:g})"
    )
    parser.add_argument("--no-show", action="store_true", help="open no browser window")
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    """Carry out the verb: serve until interrupted."""
    if args.port > 65535:
        raise ValueError(f"--port must be a number from 0 to 65535, not {args.port}")
    _check_address(args.address)
    if args.origin is not None and not re.fullmatch(r"[^\s/]+:[0-9]{1,5}", args.origin):
        raise ValueError(f"--origin must be HOST:PORT, such as 192.168.1.20:5006, not {short_repr(args.origin)}")
    origin = {"websocket_origin": args.origin} if args.origin else {}
    asked = {name: getattr(args, name) for name in ("sessions", "entries", "upload")}
    given = {name: value for name, value in asked.items() if value is not None}
    given |= {"stores": args.store} if args.store else {}
    dashboard.serve(port=args.port, address=args.address, show=not args.no_show, **given, **origin)
    return 0, ""


def _check_address(address: str) -> None:
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            raise ValueError(
                f"--address {address} is not an address of this machine: take 127.0.0.1 (this machine only), 0.0.0.0 "
                "(the whole network), or one that it has"
            ) from None
