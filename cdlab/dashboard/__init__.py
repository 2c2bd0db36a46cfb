"""The dashboard: choose data and methods, watch primal and dual coordinate descent race beside their bounds.

`serve` starts it. Layers, each importing only those before it:

* without Panel: presets, families (where data come from), uploads, parameters, address (choices as a query), fitting
  (what does not fit, and why), choices and limits, code (a race as a script), results and growing (curves), story,
  bound_facts, theorems (what theory says), state (what one page knows), turns (threads that serve all sessions in
  turn), runner (races);
* Panel components: form (inputs for parameters), controls (Run, Stop, progress), telling (from a race to its page),
  visits (which pages are open), lazy_tab;
* views: race_tab, bounds_tab, faceoff_tab, sidebar, and views, which puts a page together; serving, the server.

What keeps it quick, measured by benchmarks/dashboard.py:

* A Panel widget costs each visitor 4 ms of the server, a pane 2 ms, a further field of a `Form` next to nothing. So
  inputs go into forms, text into few panes, and tabs are filled when they are opened (`LazyTab`).
* Work of more than a few milliseconds runs in `turns.PIECES` (pieces of races) or `turns.LONG` (all else), never in
  the event loop.
* A race writes through `Teller`: one message a frame, none that piles up, none to a page that was closed.
* Per frame, columns of a trace are read incrementally, and a few hundred of its points are drawn (`Growing`).
"""

from .serving import serve

__all__ = ["serve"]
