"""``cdlab serve``."""

from __future__ import annotations

import re
import socket
from typing import Annotated, Any

from cyclopts import Parameter

from .. import dashboard
from ..numerics.checks import short_repr
from .options import default
from .values import Folder, Integer, Number


def serve(
    *,
    port: Integer = default(dashboard.serve, "port"),
    address: Annotated[str, Parameter(metavar="HOST")] = default(dashboard.serve, "address"),
    origin: Annotated[str | None, Parameter(metavar="HOST:PORT")] = None,
    store: Annotated[list[Folder] | None, Parameter(metavar="DIR")] = None,
    site: Folder | None = None,
    sessions: Integer | None = None,
    entries: Number | None = None,
    upload: Number | None = None,
    no_show: bool = False,
) -> tuple[int, str]:
    """Open the dashboard in the browser.

    Choose data, sparsity, loss, samplings and methods, and watch primal and dual
    coordinate descent race beside their bounds and the face-off's prediction.
    Everything runs on this machine; no request goes to any other. Ctrl-C ends it.

    Parameters
    ----------
    port, sessions, entries, upload
        As `dashboard.serve`.
    address
        As `dashboard.serve`. 0.0.0.0: the whole network.
    origin
        The address that other machines type in their browser to reach this one.
    store
        A folder of a sweep that visitors may see; may be given several times (default: those that CDLAB_STORES names,
        as in PATH).
    site
        As `dashboard.serve`.
    no_show
        Open no browser window.

    Exit codes
    ----------
    0    ended by Ctrl-C
    2    bad input, such as a port that is taken or a store that is not there

    Examples
    --------
    cdlab serve
    cdlab serve --address 0.0.0.0 --origin 192.168.1.20:5006 --no-show
        for a classroom: others open http://192.168.1.20:5006
    cdlab serve --site build/site
        stories link to their notebooks, as pages of the built site
    cdlab serve --store results --store more
        the drawer Runs shows at its end the runs that sweeps keep there
    """
    if port > 65535:
        raise ValueError(f"--port must be a number from 0 to 65535, not {port}")
    _check_address(address)
    if origin is not None and not re.fullmatch(r"[^\s/]+:[0-9]{1,5}", origin):
        raise ValueError(f"--origin must be HOST:PORT, such as 192.168.1.20:5006, not {short_repr(origin)}")
    options: dict[str, Any] = {"sessions": sessions, "entries": entries, "upload": upload, "stores": store}
    if origin is not None:
        options["websocket_origin"] = origin
    dashboard.serve(port=port, address=address, show=not no_show, site=site, **options)
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
