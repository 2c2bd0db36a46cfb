"""``cdlab serve``."""

from __future__ import annotations

import argparse

from .. import dashboard
from . import specs
from .options import Parser, default


def parser() -> Parser:
    parser = Parser(
        "serve",
        "[options]",
        description="""Open the dashboard in the browser: choose data, sparsity, loss, samplings and
methods, and watch primal and dual coordinate descent race beside their bounds
and the face-off's prediction. Everything runs on this machine; no request goes
to any other. Ctrl-C ends it.""",
        epilog="""exit codes
  0    ended by Ctrl-C
  2    bad input, such as a port that is taken

examples
  cdlab serve
  cdlab serve --address 0.0.0.0 --origin 192.168.1.20:5006 --no-show
      for a classroom: others open http://192.168.1.20:5006""",
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
        "--origin", metavar="HOST:PORT", help="what other machines write in their browser to reach this one"
    )
    parser.add_argument("--no-show", action="store_true", help="open no browser window")
    return parser


def run(args: argparse.Namespace) -> tuple[int, str]:
    if args.port > 65535:
        raise ValueError(f"--port must be a number from 0 to 65535, not {args.port}")
    origin = {"websocket_origin": args.origin} if args.origin else {}
    dashboard.serve(port=args.port, address=args.address, show=not args.no_show, **origin)
    return 0, ""
