"""The dashboard's server."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .stores import set_stores
from .visitor_limits import set_limits


def serve(
    port: int = 5006,
    show: bool = True,
    address: str = "127.0.0.1",
    *,
    sessions: int | None = None,
    entries: float | None = None,
    upload: float | None = None,
    stores: Sequence[str | os.PathLike[str]] | None = None,
    site: str | os.PathLike[str] | None = None,
    **options: Any,
) -> None:
    """Serve the dashboard until interrupted; prints its address.

    Parameters
    ----------
    port : int, default 5006
        The port; 0: any free one.
    show : bool, default True
        Open a browser.
    address : str, default "127.0.0.1"
        The address to listen on; the default lets nobody in from other machines.
    sessions : int, optional
        Largest number of pages open at once; by default the environment variable CDLAB_SESSIONS, or 40.
    entries : float, optional
        Largest number of values that a data set may store; by default CDLAB_ENTRIES, or 2e7.
    upload : float, optional
        Largest size of an uploaded file, in megabytes; by default CDLAB_UPLOAD, or 50.
    stores : sequence of str or path, optional
        The folders of sweeps that visitors may see at the end of the drawer Runs, and no others; by default those
        that the environment variable CDLAB_STORES names, separated as in PATH.
    site : str or path, optional
        The folder of the built site, which visitors then may read, and to whose notebooks stories link; without it
        they name the notebook's file.
    **options : any
        For panel.io.server.get_server, such as ``websocket_origin``.

    Raises
    ------
    OSError
        If the port is taken.
    ValueError
        If a limit is not above 0, there is no such store or site, or CDLAB_EMBED is no host's address.
    """
    asked = {"sessions": sessions, "entries": entries, "upload": upload}
    set_limits(**{name: value for name, value in asked.items() if value is not None})
    set_stores(stores)
    server = make_server(port, address, site, **options)
    from .app import open_pages  # loads Panel, as the server does

    host = "localhost" if address in ("127.0.0.1", "0.0.0.0", "") else address
    print(f"The dashboard is at http://{host}:{server.port}/ (Ctrl-C stops it)", flush=True)
    if show:
        server.io_loop.add_callback(server.show, "/")
    server.start()  # without it closed pages are never forgotten
    with suppress(KeyboardInterrupt):  # which Panel's own handler may take: then the loop ends as if asked to
        server.io_loop.start()
    pages = open_pages()
    print(f"\nStopped; {pages} page{' was' if pages == 1 else 's were'} open.", flush=True)
    server.stop()


def make_server(port: int, address: str, site: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """A tornado server that listens and whose loop does not run yet; parameters and errors are those of `serve`."""
    from panel.io.server import get_server
    from tornado.web import RedirectHandler, StaticFileHandler

    from .app import TITLE, page, secure, warm_up

    secure()
    if site is not None and not Path(site, "notebooks").is_dir():
        raise ValueError(f"{site} holds no site, which sphinx-build -W -c docs . build/site makes in a clone of cdlab")
    _check_free(port, address)
    # a page that was closed is forgotten after seconds (its race has ended by then, see `app.page`)
    options = {"unused_session_lifetime_milliseconds": 5000, "check_unused_sessions_milliseconds": 2000} | options
    # `panel serve apps/faceoff.py` has the page there: one address serves both; what follows "?" comes along
    there = ("/faceoff", RedirectHandler, {"url": "./", "permanent": False})
    options["extra_patterns"] = [*options.get("extra_patterns", ()), there]
    notebooks = ""
    if site is not None:
        files = {"path": os.fspath(site), "default_filename": "index.html"}
        options["extra_patterns"].append(("/site/(.*)", StaticFileHandler, files))
        notebooks = "site/notebooks/"

    def visitor_page() -> Any:
        return page(notebooks)

    server = get_server(
        visitor_page, port=port, address=address, title=TITLE, warm=True, show=False, start=False, **options
    )
    warm_up()
    return server


def _check_free(port: int, address: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server's own socket
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise OSError(f"port {port} is taken, perhaps by another dashboard: choose another, or 0 for any") from None
