"""The dashboard: choose data and methods, watch primal and dual coordinate descent race beside their bounds.

`serve` starts it. Folders, each importing only from those above it:

* choices: the choices of a person as plain values: data, uploads, stories, the address, misfits with their reasons and
  repairs;
* bounds: theory about the chosen methods, moved, compared and in words;
* stores: the stores of sweeps that a server offers, read a piece at a time, and their views;
* races: races, run piece by piece in threads (turns, runner), the part of them that a page keeps (state, runs,
  results), the story of prediction and outcome, files and scripts;
* papers: the items of the papers in words, and their cases as choices. Up to here there is no Panel;
* parts: Panel components: forms, pictures that sliders change, drawers that work only while they are open;
* stage: what is drawn in the browser, and the plain values that it draws;
* engine: what the new page asks, `engine.schema`, and its answers, without a browser or Panel;
* chooser: data, sampling, algorithm, the guess and Run in three rows, and the stories above them;
* drawers: Race, Bounds, Face-off, Sampling, Runs, Store, Papers, Code, Advanced, each with its words;
* screen: what keeps these in step: the prediction while choices move, the race and its replay, the outcome, stories;
* here: views, which puts a page together; serving, visits (which pages are open), telling (from a race to
  its page), delivery, warming; limits and words, which all use.

What keeps it quick, measured by benchmarks/dashboard.py:

* A Panel widget costs each visitor 4 ms of the server, a pane 2 ms, a further field of a `Form` next to nothing. So
  inputs go into forms, text into few panes, and drawers are made when they are opened (`parts.lazy_tab`).
* Work of more than a few milliseconds runs in threads, `races.turns.PIECES` (pieces of races) or `LONG` (all else),
  never in the event loop.
* A race writes through `Teller`: one message a frame, none that piles up, none to a page that was closed.
* Per frame, columns of a trace are read incrementally, and a few hundred of its points are drawn (`Growing`).
"""

from .serving import serve

__all__ = ["serve"]
