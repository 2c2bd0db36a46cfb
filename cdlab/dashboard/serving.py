"""Starting the dashboard's server."""

from __future__ import annotations

import errno
import socket
from typing import Any


def serve(port: int = 5006, show: bool = True, address: str = "127.0.0.1", **options: Any) -> None:
    """Serve the dashboard until interrupted; prints its address.

    Parameters
    ----------
    port : int, default 5006
        0: any free one.
    show : bool, default True
        Open a browser.
    address : str, default "127.0.0.1"
        Where to listen; the default lets nobody in from other machines.
    **options
        For panel.io.server.get_server, such as ``websocket_origin``.

    Raises
    ------
    OSError
        If the port is taken.
    """
    server = make_server(port, address, **options)
    host = "localhost" if address in ("127.0.0.1", "0.0.0.0", "") else address
    print(f"The dashboard is at http://{host}:{server.port}/ (Ctrl-C stops it)", flush=True)
    if show:
        server.io_loop.add_callback(server.show, "/")
    server.start()  # without it closed pages are never forgotten
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        server.stop()


def make_server(port: int, address: str, **options: Any):
    """The server, listening, its loop not yet running."""
    from panel.io.server import get_server

    from .views import TITLE, page

    _check_free(port, address)
    # a page that was closed is forgotten, and its race stopped, after seconds
    options = {"unused_session_lifetime_milliseconds": 5000, "check_unused_sessions_milliseconds": 5000} | options
    return get_server(page, port=port, address=address, title=TITLE, warm=True, show=False, start=False, **options)


def _check_free(port: int, address: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server's own socket
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise OSError(f"port {port} is taken, perhaps by another dashboard: choose another, or 0 for any") from None
