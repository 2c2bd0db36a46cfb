"""`predict`: what is known of a race before it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ...datasets.catalogue import catalogue
from ...datasets.loading import MAX_CLASSES
from ...losses import LOSSES
from ...methods import METHODS, Method
from ...methods.base import draws_coordinates
from ...numerics.profiles import Profile
from ...numerics.written_numbers import number
from ...problems.labels import make_label_map
from ...problems.problem import Problem
from ...runs.entries import check_entry, resolve_entry
from ...samplings import SAMPLINGS, BySize, Coordinates
from ..visitor_limits import limits
from ..words import sentence
from .choices import ANY_BLOCK, Choices, Contestant, lines_at_once, parse_entry
from .data_sources import FAMILIES, SYNTHETIC, UPLOAD, too_large
from .numbers import ALIKE, counted, finite_or_none, heaviest, rounded
from .problems import PreparedProblem, RecentResults, prepared
from .schema import Lines, Matrix, Prediction, Refusal, Repair, Sum, Theorem
from .sentences import sentence_of
from .theorems import theorem, without_gain

PARTS = 24  # So many of the largest parts of C_P and C_D are shown.
HEAVY_SHARE = 0.5  # A part of more than this share of the largest, but for rounding, is named together with it.
MANY_ALIKE = 9  # More lines than this are not named.
SECONDS_PER_VISIT = 1e-8
LOOSE = 4.0  # Bounds typically exceed what is measured by this factor.
LONG_SECONDS = 1.0
ROUNDED = {
    "hinge": "smooth_hinge", "absolute": "huber", "squared_hinge": "smooth_hinge", "softmax": "logistic",
    "pinball": "huber", "epsilon_insensitive": "huber",
}  # fmt: skip
INSTEAD = {"primal": "rcd", "dual": "sdca", "full": "agd"}
MOST_REPAIRS = 3
LEAST_TARGET = 1e-13  # A gap below it is rounding.
RESULTS_LIMIT = 100

_theorems, _refusals = RecentResults(RESULTS_LIMIT), RecentResults(RESULTS_LIMIT)


def predict(choices: Choices) -> Prediction:
    """The matrix, the theorems, the sums and their ratio; or why there are none."""
    if refusal := data_refusal(choices):
        return nothing(choices, [refusal])
    try:
        about = prepared(choices)
    except (ValueError, OSError) as why:
        return nothing(choices, [Refusal("data", sentence(str(why)), _data_repairs(choices))])
    problem = about.problem
    entries = choices.contestants()
    refusals = [*entry_refusals(choices), *target_refusals(choices)]
    refused = {each.what for each in refusals}
    racing = [entry for entry in entries if entry.asked not in refused]
    key, target = choices.problem_key(), choices.target
    theorems = [
        _theorems.get((key, entry, target), lambda entry=entry: theorem(about, entry, target)) for entry in racing
    ]
    ratio, words = _ratio(racing, theorems)
    kappa = problem.kappa / problem.n
    return Prediction(
        digest=choices.digest,
        problem=title(choices, about),
        start=finite_or_none(about.start),
        primal_at_zero=problem.at_zero,
        dual_at_zero=finite_or_none(problem.dual_at_zero),
        condition=finite_or_none(kappa),
        matrix=matrix(about, racing),
        theorems=theorems,
        primal=_sum(choices, problem.column_profile, "primal"),
        dual=_sum(choices, problem.row_profile, "dual"),
        ratio=ratio,
        ratio_words=words,
        refusals=refusals,
        estimate=_estimate(choices, about, racing, theorems),
        notes=_notes(choices, about),
    )


def nothing(choices: Choices, refusals: list[Refusal]) -> Prediction:
    """The prediction where there is no problem."""
    return Prediction(choices.digest, "", None, 0.0, None, None, None, [], None, None, None, "", refusals)


# ------------------------------------------------------------ words and lines
def title(choices: Choices, about: PreparedProblem) -> str:
    """The title of the problem: "1,000 examples × 200 words · logistic loss"."""
    n, d = about.problem.n, about.problem.d - int(about.problem.intercept)
    name = "" if choices.data in FAMILIES else f"{choices.data.partition(':')[0]}: "
    examples, columns = name + counted(n, "example"), counted(d, column_word(choices))
    return sentence_of("title", {"examples": examples, "columns": columns, "loss": choices.loss.replace("_", " ")})


def column_word(choices: Choices) -> str:
    """The name of a column."""
    return "word" if choices.data == SYNTHETIC and choices.density < 1 and choices.skew > 0 else "feature"


def line_word(choices: Choices, side: str) -> str:
    """The name of a line of a side."""
    return column_word(choices) if side == "primal" else "example"


def matrix(about: PreparedProblem, racing: list[Contestant]) -> Matrix:
    problem = about.problem
    drawn = {}
    for entry in racing:
        if entry.draws is not None and entry.side != "full":
            drawn.setdefault(entry.side, entry)
    return Matrix(
        rows=problem.n,
        columns=problem.d,
        nonzeros=problem.nnz,
        down=int(about.down[-1]) + 1,
        across=int(about.across[-1]) + 1,
        levels=about.levels,
        primal=_lines(about, problem.column_profile, about.across, drawn.get("primal")),
        dual=_lines(about, problem.row_profile, about.down, drawn.get("dual")),
    )


def _lines(about: PreparedProblem, profile: Profile, bins: np.ndarray, entry: Contestant | None) -> Lines:
    sizes = np.bincount(bins)
    largest = np.zeros(sizes.size)
    np.maximum.at(largest, bins, profile.norms2)
    drawn: list[float] = []
    if entry is not None:
        p = entry.method.probabilities(about.problem, entry.sampling)
        drawn = rounded(np.bincount(bins, p / p.sum()) * p.size / sizes)
    line = heaviest(profile.norms2)
    means = rounded(np.bincount(bins, profile.counts) / sizes)
    return Lines(means, rounded(largest), drawn, line, int(profile.counts[line]))


def _sum(choices: Choices, profile: Profile, side: str) -> Sum:
    """C_P or C_D: entries times norm^2, summed over the lines."""
    parts = np.sort(profile.counts * profile.norms2)[::-1]
    total, few = float(parts.sum()), parts[: min(PARTS, parts.size)]
    heavy = int((ALIKE * parts > HEAVY_SHARE * parts[0]).sum()) if total > 0 else 0
    word = line_word(choices, side)
    if not heavy:
        words = ""
    elif heavy <= MANY_ALIKE < parts.size:
        share = f"{100 * parts[:heavy].sum() / total:.0f}"
        words = sentence_of("sum.few", {"lines": counted(heavy, word), "share": share})
    else:
        lines = counted(parts.size, word)
        words = sentence_of("sum.alike", {"lines": lines}) if heavy > parts.size / 2 else lines
    return Sum(
        profile.C, rounded(few[few > 0]), float(parts[PARTS:].sum()), int(np.count_nonzero(profile.counts)), words
    )


def _ratio(racing: list[Contestant], theorems: list[Theorem]) -> tuple[float | None, str]:
    """The primal theorem's passes over the dual one's, of the first entry of each side; or why there is none."""
    first: dict[str, tuple[Contestant, Theorem]] = {}
    for pair in zip(racing, theorems, strict=True):
        first.setdefault(pair[0].side, pair)
    if len(first.keys() & {"primal", "dual"}) < 2:
        return None, sentence_of("ratio.one side", {})
    (p, of_primal), (d, of_dual) = first["primal"], first["dual"]
    for entry, found in ((p, of_primal), (d, of_dual)):
        if found.value is None:
            order = entry.draws is not None and not entry.draws.has_theorem
            return None, sentence_of("ratio.order" if order else "ratio.none", {"label": entry.label})
        if found.curve is None:
            return None, sentence_of("ratio.averages", {"label": entry.label})
    if not of_dual.value or not of_primal.value:
        return None, sentence_of("ratio.near", {})
    words = sentence_of("ratio", {"primal": of_primal.value, "dual": of_dual.value})
    return of_primal.value / of_dual.value, words


def _estimate(
    choices: Choices, about: PreparedProblem, racing: list[Contestant], theorems: list[Theorem]
) -> float | None:
    passes = sum(min(choices.passes, (found.value or math.inf) / LOOSE) for found in theorems)
    seconds = passes * choices.seeds * about.problem.nnz * SECONDS_PER_VISIT
    return seconds if racing and seconds > LONG_SECONDS else None


def _notes(choices: Choices, about: PreparedProblem) -> list[str]:
    found = []
    if not about.certified:
        found.append(sentence_of("note.no weight", {}))
    elif why := without_gain(about.problem):
        found.append(why)
    if choices.intercept:
        found.append(sentence_of("note.intercept", {}))
    if choices.positive:
        found.append(sentence_of("note.positive", {}))
    return found


# ------------------------------------------------------------ refusals and repairs
def data_refusal(choices: Choices) -> Refusal | None:
    """The refusal of data that are more than this page takes, as far as that is known before they are loaded."""
    if choices.data == UPLOAD:
        try:
            choices.uploaded_data()
        except ValueError as error:
            return Refusal("file", sentence(str(error)))
    why = "" if choices.sample else why_too_large(choices.data)
    if not why and choices.data in FAMILIES:
        try:
            size = "{:,} × {:,}".format(*choices.shape())
            limits().check_entries(FAMILIES[choices.data].entries(choices), size, "lower n, d or the density")
        except ValueError as error:
            why = sentence(str(error))
    return Refusal("data", why, _data_repairs(choices)) if why else None


def why_too_large(data: str) -> str:
    """The reason why a real data set is more than this page takes; empty if it is not."""
    if not too_large(data):
        return ""
    stored = catalogue()[data].stored / 1e6
    return sentence_of("refusal.large", {"data": data, "stored": stored, "limit": limits().entries / 1e6})


def _data_repairs(choices: Choices) -> list[Repair]:
    if choices.data in FAMILIES:
        family = FAMILIES[choices.data]
        stored = family.entries(choices)
        if stored > limits().entries and "density" in family.asks:
            density = float(f"{0.9 * choices.density * limits().entries / stored:.1e}")
            if density >= choices.param.density.bounds[0]:
                return [Repair(sentence_of("repair.density", {"density": number(density)}), {"density": density})]
        if "density" in family.asks:  # of binary matrices: no line may be empty
            least = max(choices.n, choices.d) / (choices.n * choices.d)
            density = min(1.0, float(f"{1.01 * least:.2e}"))
            return [Repair(sentence_of("repair.density", {"density": number(density)}), {"density": density})]
        return [Repair(sentence_of("repair.rows", {}), {"n": 1000})]
    if too_large(choices.data):
        known = catalogue()[choices.data]
        rows = int(float(f"{0.5 * limits().entries / (known.stored / known.n):.0e}"))
        return [Repair(sentence_of("repair.sample", {"rows": f"{rows:,}"}), {"sample": rows})]
    if choices.data == UPLOAD:
        return _label_repairs(choices)
    if choices.classification:
        return [Repair(sentence_of("repair.squared", {}), {"loss": "squared"})]
    return [Repair(sentence_of("repair.words", {}), {"data": SYNTHETIC})]


def _label_repairs(choices: Choices) -> list[Repair]:
    """The losses that take the labels of the reader's file, and that an entry of the race takes."""
    many = np.unique(choices.uploaded_data()[1]).size > MAX_CLASSES
    found = []
    for name in ("squared",) if many else ("logistic", "softmax", "squared"):
        other = choices.but(loss=name)
        if name != choices.loss and _labels_fit(other) and not all(_why(other, entry) for entry in other.contestants()):
            found.append(Repair(sentence_of("repair.loss", {"loss": name}), {"loss": name}))
    return found


def _labels_fit(choices: Choices) -> bool:
    """Tell whether the loss takes the labels, as far as they are at hand: those of the reader's file."""
    if choices.data == UPLOAD:
        try:
            make_label_map(choices.uploaded_data()[1], LOSSES[choices.loss]())
        except ValueError:
            return False
    return True


def entry_refusals(choices: Choices) -> list[Refusal]:
    """The chosen entries that cannot run, with repairs; then the methods, samplings and losses that would not fit."""
    return _refusals.get(_matter(choices), lambda: [*_entry_refusals(choices), *_other_refusals(choices)])


def racing(choices: Choices) -> list[Contestant]:
    """The entries that can run.

    Raises
    ------
    ValueError
        Why the data cannot be taken, or why no entry can run.
    """
    if why := data_refusal(choices):
        raise ValueError(why.why)
    refused = {each.what: each.why for each in entry_refusals(choices)}
    entries = [entry for entry in choices.contestants() if entry.asked not in refused]
    if not entries:
        raise ValueError(" ".join(dict.fromkeys(refused[entry.asked] for entry in choices.contestants())))
    return entries


def _matter(choices: Choices) -> tuple[Any, ...]:
    """On what it depends what fits: no values of the data, but of a reader's file, whose labels repairs must suit."""
    small = tuple(min(size, choices.param.batch.bounds[1]) for size in choices.shape())
    names = ("loss", "primal_sampling", "dual_sampling", "against", "batch", "blocks", "intercept", "positive")
    small = choices.shape() if choices.blocks == "distributed" else small  # machines share all lines
    weights = (choices.l2 > 0, choices.l1 > 0)
    return (small, choices.upload, tuple(choices.methods), weights, *(getattr(choices, name) for name in names))


def _stand_in(choices: Choices) -> Problem:
    """A small problem that fits whom the chosen one fits: nobody waits for data to learn what cannot be run."""
    block = max(lines_at_once(entry.method, entry.sampling) for entry in choices.contestants())
    rows, columns = (min(max(block, 2), size) for size in choices.shape())
    size = max(rows, columns)
    k = np.arange(size)
    X = csr_matrix((1 + k / size, (k % rows, k % columns)), shape=(rows, columns))  # no two lines alike, as in data
    y = np.where(np.arange(rows) % 2, 1.0, -1.0)
    loss, l2 = choices.loss_named(choices.loss), choices.l2_for(choices.shape()[0])
    return Problem(X, y, loss=loss, l2=l2, l1=choices.l1, intercept=choices.intercept, lower=choices.lower)


def refusal(problem: Problem, method: Method | str, **options: Any) -> str:
    """The refusal that `solve` would give; empty if none."""
    try:
        check_entry(problem, *resolve_entry((method, options)))
    except ValueError as error:
        return str(error)
    return ""


def _why(choices: Choices, entry: Contestant) -> str:
    try:
        problem = _stand_in(choices)
    except ValueError as error:  # a loss that takes no intercept
        return str(error)
    if isinstance(entry.sampling, BySize) and entry.sampling.kind == "distributed":
        lines = np.ones(choices.shape()[entry.method.side == "primal"])
        try:
            entry.sampling.on(Coordinates(lines, 1.0, 1.0, lines))
        except ValueError as error:
            return str(error)
    return refusal(problem, entry.method, sampling=entry.sampling)


def _entry_refusals(choices: Choices) -> Iterator[Refusal]:
    for entry in choices.contestants():
        if why := _why(choices, entry):
            yield Refusal(entry.asked, sentence(why), list(_repairs(choices, entry)))


def _repairs(choices: Choices, entry: Contestant) -> Iterator[Repair]:
    """The changes, of one choice or of two, with which the entry runs: the mildest first."""
    name, batch, sampling = parse_entry(entry.asked)
    rest = [asked for asked in choices.methods if asked != entry.asked]
    plain = INSTEAD[entry.side]
    side = METHODS[name].side
    single: list[tuple[str, dict[str, Any]]] = []
    if sampling or batch:
        single.append(("repair.alone", {"methods": [name if a == entry.asked else a for a in choices.methods]}))
    if entry.draws is not None and entry.draws.name != "uniform":
        single.append(("repair.uniform", {f"{side}_sampling": "uniform"}))
    if choices.blocks != ANY_BLOCK:
        single.append(("repair.blocks", {"blocks": ANY_BLOCK}))
    if choices.batch > 1:
        single.append(("repair.batch", {"batch": 1}))
    if choices.intercept:
        single.append(("repair.intercept", {"intercept": False}))
    if choices.positive:
        single.append(("repair.positive", {"positive": False}))
    if choices.loss in ROUNDED and _labels_fit(choices.but(loss=ROUNDED[choices.loss])):
        single.append(("repair.loss", {"loss": ROUNDED[choices.loss]}))
    if choices.l2 == 0:
        single.append(("repair.weight", {"l2": 1.0, "l2_over_n": True}))
    if choices.l1 > 0:
        single.append(("repair.l1", {"l1": 0.0}))
    if plain not in rest and plain != name:
        single.append(("repair.method", {"methods": [plain if a == entry.asked else a for a in choices.methods]}))
    words = {"method": name, "loss": ROUNDED.get(choices.loss, "").replace("_", " ")}
    found = 0
    for count in (1, 2):
        for group in combinations(single, count):
            changes = {key: value for _, each in group for key, value in each.items()}
            changed = choices.but(**changes)
            if found < MOST_REPAIRS and not any(
                _why(changed, other) for other in changed.contestants() if other.asked not in rest
            ):
                found += 1
                numbers = [words | {"method": plain} if key == "repair.method" else words for key, _ in group]
                told_of = [sentence_of(key, each) for (key, _), each in zip(group, numbers, strict=True)]
                yield Repair(" and ".join(told_of), changes)
        if found:
            return


def _other_refusals(choices: Choices) -> Iterator[Refusal]:
    """Methods, samplings and losses that are not chosen, and could not be."""
    try:
        problem = _stand_in(choices)
    except ValueError:
        return
    for name, method in METHODS.items():
        own = choices.dual_sampling if method.side == "dual" else choices.primal_sampling
        why = refusal(problem, name, **({"sampling": own} if draws_coordinates(method()) else {}))
        if why and name not in choices.methods:
            yield Refusal(name, sentence(why))
    for name in SAMPLINGS:
        whys = [refusal(problem, e.method, sampling=name) for e in choices.contestants() if e.draws is not None]
        if whys and all(whys) and name not in (choices.primal_sampling, choices.dual_sampling):
            yield Refusal(name, sentence(whys[0]))
    for name in LOSSES:
        if name == choices.loss:
            continue
        other = choices.but(loss=name)
        whys = [_why(other, entry) for entry in other.contestants()]
        if all(whys):
            yield Refusal(name, sentence(whys[0]))


def target_refusals(choices: Choices) -> list[Refusal]:
    """A target that rounding alone exceeds."""
    if choices.target >= LEAST_TARGET:
        return []
    return [
        Refusal("target", sentence_of("refusal.target", {}), [Repair(sentence_of("repair.target", {}), {"tol": 1e-12})])
    ]
