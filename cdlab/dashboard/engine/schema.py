"""Questions of the page and answers of an engine, as values that JSON takes.

Two engines answer: Python (this folder) and WebAssembly (``frontend/wasm``). Numbers that are not finite are None.
Lists of one length belong together. Lines are the columns of X (primal) or its rows (dual), counted from 0. HTML stands
nowhere but in fields called ``mathml``. ``.ci/schema_types.py`` makes TypeScript of all this, for a type checker.

Choices are sent as one flat object, with the names and values of `choices.Choices.values()`; the address of the page
holds those that differ from the catalog's ``defaults``. An entry of ``methods`` is "sdca", "sdca@permutation" with a
sampling of its own, or "quartz(32)" with a batch size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

Side = Literal["primal", "dual", "full"]  # "full": full gradients, neither side's coordinates


# ---------------------------------------------------------------------------------------------------------- catalog
@dataclass
class Slider:
    """A choice that is a number."""

    name: str
    label: str
    words: str
    least: float
    most: float
    scale: Literal["linear", "log"]
    whole: bool  # only integers
    unit: str = ""  # "%": the value is a share


@dataclass
class Card:
    """A kind of data that is made on the spot."""

    name: str
    title: str
    words: str
    sets: dict[str, Any]  # the choices that make it
    sliders: list[str]  # names; the first four are shown
    thumbnail: list[list[float]]  # rows of levels between 0 and 1


@dataclass
class Preset:
    """A real data set."""

    name: str
    words: str
    n: int
    d: int
    nonzeros: int
    why_not: str = ""  # a sentence: why this engine cannot take it; empty if it can


@dataclass
class Named:
    """A sampling or a loss."""

    name: str
    words: str
    group: str = ""
    why_not: str = ""  # why this engine does not have it


@dataclass
class MethodEntry:
    """A method."""

    name: str
    side: Side
    words: str  # "one weight, down its column": what a step is
    sentence: str
    group: str  # heading in the list
    search: list[str] = field(default_factory=list)  # other words by which it is found: "momentum"
    update: str = ""  # a step as MathML
    update_words: str = ""  # what its letters are
    draws: bool = True
    batches: bool = False
    why_not: str = ""


@dataclass
class StoryStep:
    """A race of a story."""

    question: str
    choices: dict[str, Any]  # in the first step: beside the defaults; later: beside those of the step before
    sentence: str  # after the race, with places for numbers of outcomes, {a.sdca}, {b.lead}: a is the first step's race
    button: str = ""  # the words of the change that leads to this step


@dataclass
class Story:
    """A story: a question, a race and what it shows, a change, another race."""

    name: str
    title: str
    notebook: str  # of the course, which says more about it: its file's name in the folder notebooks, without ".ipynb"
    steps: list[StoryStep]
    axis: Literal["passes", "iterations"] = "passes"


@dataclass
class Catalog:
    """The choices that there are, and what this engine offers of them."""

    engine: Literal["python", "wasm"]
    version: str
    defaults: dict[str, Any]  # of every choice
    cards: list[Card]
    sliders: list[Slider]
    presets: list[Preset]
    samplings: list[Named]
    losses: list[Named]
    methods: list[MethodEntry]
    stories: list[Story]
    limits: dict[str, float]  # "entries": largest number of stored values, "upload": megabytes
    drawers: list[str]  # names that `facts` answers; empty: none
    terms: dict[str, str]  # what symbols and words mean: "pass", "κ", "L", shown on focus and touch
    ranges: dict[str, list[float | None]] = field(default_factory=dict)  # of numbers: the least and the largest
    names: dict[str, list[str]] = field(default_factory=dict)  # that a choice which is a word can be


# ---------------------------------------------------------------------------------------------------------- predict
@dataclass
class Lines:
    """The columns or rows of X, in as many bins as the matrix is drawn with: line k of m lies in bin k * bins // m."""

    entries: list[float]  # nonzeros: of a line, or the mean of a bin
    norms2: list[float]  # ||line||^2, or the largest of a bin
    probabilities: list[float]  # with which a step draws it, times the number of lines; a bin's mean. []: none drawn
    largest: int  # the line with the largest norm
    largest_entries: int  # its nonzeros


@dataclass
class Matrix:
    """X as a picture."""

    rows: int  # n
    columns: int  # d
    nonzeros: int
    down: int  # bins
    across: int
    levels: str  # base64 of down x across bytes, row by row: 255 sqrt(largest |x| of the cell/largest |x| of X)
    primal: Lines
    dual: Lines


@dataclass
class BoundCurve:
    """A bound on the relative best gap along a run."""

    passes: list[float]
    gap: list[float]


@dataclass
class Theorem:
    """A promise of theory about one entry of the race."""

    label: str  # of the entry, as in the race
    mathml: str  # passes to the target; empty: no theorem
    numbers: str  # "(1 + 995/4) × 19.4"; the same formula with numbers put in, in plain text
    value: float | None  # passes to the target
    line: int | None  # the column or row that sets it
    line_words: str  # "the heaviest column"
    words: str  # the statement in a sentence, or why no theorem speaks
    curve: BoundCurve | None
    source: str = ""
    meanings: list[tuple[str, str]] = field(
        default_factory=list
    )  # MathML of a symbol, and what it means with its value


@dataclass
class Sum:
    """C_P or C_D: entries x norm^2, summed over the lines."""

    value: float
    parts: list[float]  # of the largest lines, falling
    rest: float
    lines: int
    words: str  # "3 words: 66 %"


@dataclass
class Repair:
    """A change of choices that makes something possible."""

    words: str
    choices: dict[str, Any]


@dataclass
class Refusal:
    """A refusal of something chosen: why it cannot be, in a sentence, and what would do."""

    what: str  # "data", "file" (the reader's, not open here), "target", or a method, sampling or loss
    why: str
    repairs: list[Repair] = field(default_factory=list)


@dataclass
class Prediction:
    """Knowledge before a race."""

    digest: str  # of the choices that it is about
    problem: str  # "1,000 examples × 200 words · logistic loss"
    start: float | None  # P(0) - D(0), the gap of the start
    primal_at_zero: float
    dual_at_zero: float | None
    condition: float | None  # κ/n = 1/(γ λ n) max ||x_i||²; None: no smoothness
    matrix: Matrix | None
    theorems: list[Theorem]  # in the order of the race's entries
    primal: Sum | None
    dual: Sum | None
    ratio: float | None  # value of the first primal entry's theorem / the first dual one's: above 1 favours the dual
    ratio_words: str  # or why there is none: "No theorem here on this order"
    refusals: list[Refusal]
    estimate: float | None = None  # seconds that the race will take, if it will take over one
    notes: list[str] = field(default_factory=list)  # what was changed or left out of what was asked


# ------------------------------------------------------------------------------------------------------------- race
@dataclass
class Update:
    """An update, one of the first single ones of a run."""

    lines: list[int]  # updated together, mostly one; []: a full gradient
    entries: int  # nonzeros read
    passes: float  # done after it
    before: float | None = None  # value of the one coordinate
    after: float | None = None


@dataclass
class Snapshot:
    """The iterate at a moment, in the bins of the matrix: the entry of largest modulus of a bin."""

    passes: float
    w: list[float]
    alpha: list[float]
    lines: list[int]  # the last update
    entries: int


@dataclass
class RunData:
    """A run of one entry with one draw, up to now."""

    label: str
    side: Side
    draw: int  # the seed
    passes: list[float]
    iterations: list[int]
    seconds: list[float]
    primal: list[float | None]  # smallest P so far
    dual: list[float | None]  # largest D so far, at least D(0)
    gap: list[float | None]  # the relative gap of the best points so far
    reached: float | None  # passes to the target, interpolated in the logarithm of the gap
    status: str  # empty while it runs; then why it ended, in a sentence
    updates: list[Update] = field(default_factory=list)  # of the first draw alone
    snapshots: list[Snapshot] = field(default_factory=list)
    examples: list[float] = field(default_factory=list)  # processed
    test_error: list[float | None] = field(default_factory=list)  # []: the data have no test part


@dataclass
class Result:
    """The result of one entry over all draws."""

    label: str
    reached: float | None  # median of the passes to the target
    low: float | None  # smallest, largest
    high: float | None
    last_gap: float  # the smallest of the ends
    last_passes: float
    levels: list[float]  # relative gaps, falling
    median: list[float | None]  # passes to each level
    least: list[float | None]
    most: list[float | None]
    iterations: float | None = None  # median of the updates (rounds of a batch) to the target
    weights: int | None = None  # of w that are not 0 at the end of the first draw


@dataclass
class Outcome:
    """The winner, and by how much."""

    results: list[Result]
    winner: str | None  # a label; None: about even or nobody reached the target
    loser: str | None  # whom the lead is over: the best entry of the other side, else the next
    lead: (
        float | None
    )  # loser's passes/winner's, of the medians; None: nobody was there, or the winner from the start on
    lead_low: float | None  # of the ratios of single draws
    lead_high: float | None
    at_least: bool  # the loser did not reach the target: the lead is a lower bound
    primal_over_dual: float | None  # median passes of the first primal entry/those of the first dual one


@dataclass
class RaceEvent:
    """A message of the stream that answers `race`; the last one has an outcome or an error."""

    digest: str
    runs: list[RunData]  # those that have grown, from the beginning
    progress: float  # 0 to 1
    words: str  # "Racing: 40 of about 300 passes"
    outcome: Outcome | None = None
    error: str = ""


# ---------------------------------------------------------------------------------------------------- explain, advise
@dataclass
class Figure:
    """A number of a sentence, and whose it is; see `explanations.Figure`."""

    quantity: str
    method: str
    draws: str
    data: str
    source: str
    value: float
    low: float
    high: float | None  # None: a run ended above the target
    runs: int
    lines: str
    reached: bool


@dataclass
class Reason:
    """Why a race came out so, in a sentence with its figures."""

    rule: str  # see `explanations.Reason`; also "none"
    side: Side | None
    figures: list[Figure]
    sentence: str


@dataclass
class Explanation:
    """An explanation of why a race came out so, and why not as predicted."""

    digest: str
    why: Reason
    why_not: Reason | None  # None: off by less than 1.5, or nothing was predicted


@dataclass
class Advice:
    """Advice on who is likely best."""

    digest: str
    entry: dict[str, Any] | None  # choices that add it to the race
    label: str
    passes: float | None
    low: float | None
    high: float | None
    words: str  # from what it was worked out


@dataclass
class Facts:
    """Facts that a drawer shows."""

    digest: str
    drawer: str
    words: str
    tables: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Rates:
    """Exact rates of entries in an order, of which no theorem speaks; of one that has none known, nothing."""

    digest: str
    words: dict[str, str]  # by label
    passes: dict[str, float]  # per factor e of the mean error


# ------------------------------------------------------------------------------------------------------- the envelope
@dataclass
class Question:
    """A question of the page. A newer one of its kind cancels it."""

    number: int
    kind: Literal["catalog", "predict", "race", "explain", "advise", "rates", "facts", "stop"]
    choices: dict[str, Any] | None = None
    draws: int = 1  # of race; one where more are chosen: a draft, of whose snapshots Python sends the last
    drawer: str = ""  # of facts

    def __post_init__(self) -> None:
        """Raise ValueError for what no page asks."""
        kinds = get_args(get_type_hints(Question)["kind"])
        typed = [type(x) for x in (self.number, self.kind, self.draws, self.drawer)] == [int, str, int, str]
        if not (typed and self.kind in kinds and isinstance(self.choices, dict | None) and self.draws > 0):
            raise ValueError(f"no page asks this: {self!r:.200}")


@dataclass
class Answer:
    """An answer, or one piece of a stream of them."""

    number: int
    kind: str
    done: bool
    value: Catalog | Prediction | RaceEvent | Explanation | Advice | Rates | Facts | None = None
    error: str = ""  # a sentence for the reader
