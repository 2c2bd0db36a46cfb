"""The dashboard: choose data and methods, watch primal and dual coordinate descent race beside their bounds.

`serve` starts it. Parts, each importing only from those above it:

* engine: what the page asks, `engine.schema`, and the answers, without a browser or Panel: choices, data, predictions,
  races in threads and in turn, reasons, advice, stories;
* frontend: the page in a browser, as one bundle, and its engine as WebAssembly;
* session: what a page has told, for drawers to watch;
* drawers: theory, samplings and runs in more detail, made by Panel when they are opened;
* app: a Panel component around the front end, its messages and its drawers; security, what servers let in and send;
* here: serving; limits and words, which all use.

What keeps it quick, measured by benchmarks/dashboard.py:

* A page is one component, and a message is text that is written once: a session costs 50 ms of the server until its
  first picture. Drawers are made when they are opened.
* Work of more than a few milliseconds runs in threads, `engine.thread_pools`, never in the event loop.
* The next piece of a race is asked for when the last one is on its way: none piles up, none goes to a closed page.
"""

from .serving import serve

__all__ = ["serve"]
