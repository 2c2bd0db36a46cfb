"""What the stage draws, as plain values that JSON takes. ``contract.js`` says the same to the drawing modules.

Numbers that are not finite are None. Lists of one length belong together. Cells are those of the thumbnail.
"""

from __future__ import annotations

from typing import TypedDict


class Look(TypedDict):
    """How a method is drawn: see `cdlab.plots.style.look`."""

    light: str
    dark: str
    dash: list[int]
    marker: str


class Thumbnail(TypedDict):
    """A matrix in cells; row i of n lies in cell floor(i down/n), and columns likewise."""

    rows: int  # n
    columns: int  # d
    nonzeros: int
    down: int  # cells
    across: int
    levels: str  # base64 of down x across bytes, row by row: 255 sqrt(largest |x| of the cell/largest |x| of X)


class Draws(TypedDict):
    """How often the coordinates of one side are drawn."""

    sampling: str  # its label
    cells: list[float]  # mean of p m over the coordinates of each cell: 1 everywhere if uniform
    least: float  # p m
    most: float
    never: int  # how many are not drawn at all: empty lines


class Matrix(TypedDict):
    """The region "Matrix"."""

    thumbnail: Thumbnail
    primal: Draws | None  # of features; None: no primal method draws any
    dual: Draws | None  # of examples


class Steps(TypedDict):
    """The first updates of a run, one by one: what is true after each."""

    coordinates: list[list[int]]  # updated together, mostly one; []: the whole matrix was used
    nonzeros: list[int]  # visited by the update
    cells: list[list[int] | None]  # across the touched line, those with a nonzero; None: all, or not told
    passes: list[float]
    primal: list[float | None]
    dual: list[float | None]
    error: list[float | None]  # what the vertical axis shows
    gap: list[float | None]  # relative


class Moves(TypedDict):
    """What each of the first updates moved."""

    p: list[float | None]  # with which its coordinate was drawn; None: by an order, or one of a block
    moved: list[list[float | None] | None]  # entry of w (primal) or alpha (dual), before and after; None: not one alone
    weights: list[int]  # entries of w that are no longer what they were


class Promise(TypedDict):
    """A theorem's bound along a run."""

    passes: list[float]
    error: list[float | None]


class Lane(TypedDict):
    """One run of a race."""

    label: str
    side: str  # "primal", "dual"; "full": it takes the whole gradient
    look: Look
    steps: Steps
    moves: Moves
    passes: list[float]  # of the measurements, the start first
    primal: list[float | None]
    dual: list[float | None]
    error: list[float | None]
    gap: list[float | None]  # relative, by which a run ends
    reached: float | None  # passes at which the gap came to the target of the race; None: it did not
    promise: Promise | None
    note: str  # why there is no promise; else empty
    earlier: bool  # of a race before the one that is shown: drawn faintly, without single updates
    ended: str  # how the run ended


class Race(TypedDict):
    """The region "Convergence", and what moves in the others."""

    lanes: list[Lane]
    across: str  # title of the horizontal axis
    up: str  # title of the vertical one
    target: float  # relative gap
    problem: str  # loss and regulariser


class Side(TypedDict):
    """C of one side, made of its lines: nonzeros times squared norm, summed over columns (C_P) or rows (C_D)."""

    C: float
    parts: list[float]  # of the largest lines, falling
    rest: float  # of all others together
    lines: int  # that are not empty
    T: float | None  # visited nonzeros per factor e of accuracy


class Ratio(TypedDict):
    """Work of the primal over work of the dual: above 1 it favours the dual."""

    value: float | None  # None: undecided, as the words say
    winner: str | None  # "primal", "dual"; None: a tie, or undecided
    least: bool  # the winner's lead is at least that
    instead: str  # what is said where there is no value
    words: str


class FaceOff(TypedDict):
    """The region "Face-off"."""

    primal: Side
    dual: Side
    looks: dict[str, Look]  # of "primal" and "dual"
    predicted: Ratio
    measured: Ratio | None  # None: nothing has run


class Theorem(TypedDict):
    """A bound, typeset, with its value."""

    label: str  # of the run
    look: Look
    formula: str  # MathML
    value: float | None  # passes
    words: str  # what it says, under which assumptions, who proved it; or why there is none
    meanings: list[tuple[str, str]]  # of the symbols: (MathML, words)


class Bound(TypedDict):
    """The region "Bound"."""

    target: str  # to what the passes lead
    theorems: list[Theorem]
    note: str  # what the values are not, and where the other theorems are; or empty


class Path(TypedDict):
    """One method on the plane."""

    label: str
    side: str
    look: Look
    start: tuple[float, float | None]  # P and D there
    steps: Steps
    w: list[tuple[float, float]]  # the start, then after each step: one more than there are steps


class Level(TypedDict):
    """Where P is so much above P*."""

    height: float  # as a share of P(0) - P*
    lines: list[list[tuple[float, float]]]


class Plane(TypedDict):
    """The two-variable view."""

    title: str
    frame: tuple[float, float, float, float]  # left, right, bottom, top
    levels: list[Level]
    optimum: tuple[float, float]
    best: float  # P*
    paths: list[Path]


class Stage(TypedDict, total=False):
    """Everything, or the parts that changed."""

    matrix: Matrix
    race: Race | None
    stale: str  # if the race belongs to other choices: a sentence that says so; else empty
    waiting: bool  # what is known before a run is being worked out anew
    veiled: bool  # what theory says waits for a guess
    faceoff: FaceOff
    bound: Bound
    plane: Plane | None
