"""The result of `advise`: choices, best first, and the refusals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

from ..runs import in_html
from .candidates import Refusal
from .probing import Probe

if TYPE_CHECKING:
    import pandas

MAX_ROWS = 10  # of the table in str()
WIDTH = 100  # characters of printed sentences

NUMBER_COLUMNS = ("passes", "spread", "seconds", "worst", "sharp")
TABLE_HEAD = ("entry", *NUMBER_COLUMNS, "basis")
BASIS_LEGEND = (  # the words of the last column
    "basis: own run, it was run here; probe, a short run of a method that walks alike; bound, the theorem's; count, of "
    "what its iterations multiply"
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Choice:
    """One method with a sampling, and what to expect of it. None stands for an unknown number.

    `cdlab.solve(P, choice)` runs it, `cdlab.race(P, advice[:3])` races several.

    Attributes
    ----------
    method, sampling : str
        Sampling "none": the method draws nothing.
    parameters : dict
        The method's parameters that differ from their defaults.
    runs : str
        The label of the run that it amounts to: mostly its own, but accprox_sdca is sdca where acceleration does not
        pay, and importance is uniform where all norms are equal.
    passes, seconds : float or None
        Expected passes and solver seconds to a relative best gap of eps, see `Advice`. Seconds need a probe.
    spread : float or None
        Measured passes were within this factor of the typical number in two cases out of three.
    basis : str
        Where the number comes from: factor times a bound, or a probe.
    sources : tuple of str
        The same in short: "own run", "probe", "bound", "count"; empty without a prediction.
    worst, sharp : float or None
        Passes that the bound guarantees to eps of the theorem's own quantity, often P(w) - P*, with its worst-case
        constants and with sharper ones.
    bound : str
        The bound behind both: method, sampling, theorem and source.
    outside : str
        What theory does not cover, and which bound stands in for it; empty if the theorem is about exactly this.
    """

    method: str
    sampling: str
    parameters: dict[str, Any]
    runs: str
    passes: float | None
    seconds: float | None
    spread: float | None
    basis: str
    sources: tuple[str, ...]
    worst: float | None
    sharp: float | None
    bound: str
    outside: str

    @property
    def label(self) -> str:
        """The entry as the command line takes it: "sdca@permutation"."""
        values = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        name = f"{self.method}:{values}" if values else self.method
        return name if self.sampling == "none" else f"{name}@{self.sampling}"

    @property
    def entry(self) -> tuple[str, dict[str, Any]]:
        """The entry as `cdlab.race` takes it: the method's name, and a dict of its options."""
        drawn = {} if self.sampling == "none" else {"sampling": self.sampling}
        return self.method, {**self.parameters, **drawn}

    def to_dict(self) -> dict[str, Any]:
        """All fields and the label as plain numbers, words and None: ready for JSON."""
        return {"label": self.label, **asdict(self)}

    def __repr__(self) -> str:
        known = {name: getattr(self, name) for name in ("passes", "seconds")}
        return f"Choice({', '.join([repr(self.label), *(f'{k}={_short(v)}' for k, v in known.items())])})"

    def __str__(self) -> str:
        seconds = "" if self.seconds is None else f" and {_short(self.seconds)} seconds"
        expected = f"about {_short(self.passes)} passes{seconds}, by " if self.passes is not None else ""
        lines = [f"{self.label}: {expected}{self.basis}"]
        if self.worst is not None:
            lines.append(f"  bound: {_short(self.worst)} passes ({self.bound})")
        if self.outside:
            lines.append(f"  outside what theory covers: {self.outside}")
        return "\n".join(lines)


def _short(value: float | None) -> str:
    return "None" if value is None else f"{value:.3g}"


@dataclass(frozen=True, repr=False)
class Advice(Sequence[Choice]):
    """A sequence of choices, best first; those without a prediction come last.

    Attributes
    ----------
    choices : tuple of Choice
    refused : tuple of Refusal
        The methods and samplings that cannot run on the problem, each with the reason.
    eps : float
        The accuracy that passes and seconds are for, of the quantity that `judged_by` says.
    by : "seconds" or "passes"
        The number that the order is by.
    probes : dict of str to Probe
        The short runs, by the lines of X that their passes go along: "rows", "columns", "matrix".
    finals : dict of str to Probe
        The runs of choices that were expected to be among the fastest, by label.
    constants : dict of str to float
        The constants behind `worst` and `sharp`: l2 and effective l2, largest and mean row norm, L_f.
    note : str
        A remark on the whole ranking; mostly empty.
    judged_by : "best_gap" or "primal"
        The relative gap of the best points; without a regulariser (P(w) - P*)/(P(0) - P*).
    """

    choices: tuple[Choice, ...]
    refused: tuple[Refusal, ...]
    eps: float
    by: str
    probes: dict[str, Probe]
    finals: dict[str, Probe]
    constants: dict[str, float]
    note: str = ""
    judged_by: str = "best_gap"

    @property
    def goal(self) -> str:
        """The accuracy in words."""
        words = {"best_gap": "a relative best gap of", "primal": "relative suboptimality"}
        return f"{words[self.judged_by]} {self.eps:.4g}"

    def __len__(self) -> int:
        return len(self.choices)

    @overload
    def __getitem__(self, index: int) -> Choice: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Choice, ...]: ...
    def __getitem__(self, index: int | slice) -> Choice | tuple[Choice, ...]:
        return self.choices[index]

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)

    @property
    def distinct(self) -> tuple[Choice, ...]:
        """The choices without other names for the same run, best first."""
        first: dict[str, Choice] = {}
        for choice in self:
            first.setdefault(choice.runs, choice)
        return tuple(first.values())

    def __repr__(self) -> str:
        first = f", the first {self[0].label!r}" if self.choices else ""
        choices = f"{len(self)} choice{'' if len(self) == 1 else 's'}"
        return f"<Advice of {choices} by {self.by} to {self.eps:g}{first}; print it for the table>"

    def table(self) -> pandas.DataFrame:
        """One row for each choice; columns are its label and attributes, without the parameters."""
        import pandas as pd

        return pd.DataFrame([choice.to_dict() for choice in self]).drop(columns=["parameters", "sources"])

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain numbers, words, lists, dicts and None: ready for JSON."""
        return {
            "eps": self.eps,
            "by": self.by,
            "judged_by": self.judged_by,
            "note": self.note,
            "constants": self.constants,
            "probes": {walks: asdict(probe) for walks, probe in self.probes.items()},
            "finals": {label: asdict(probe) for label, probe in self.finals.items()},
            "choices": [choice.to_dict() for choice in self],
            "refused": [refusal._asdict() for refusal in self.refused],
        }

    def __str__(self) -> str:
        head, shown, *rest = self._printed()
        lines = [head, "", *table_lines(shown)]
        for words in filter(None, rest):
            lines += ["", *textwrap.wrap(words, WIDTH)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import pandas as pd

        head, shown, *rest = self._printed()
        return in_html.notebook_html(head, pd.DataFrame(table_rows(shown), columns=list(TABLE_HEAD)), *rest)

    def _printed(self) -> tuple[str, tuple[Choice, ...], str, str, str, str]:
        """Return the text that is printed: the head, the choices of the table, and sentences below it."""
        shown = self.distinct[:MAX_ROWS]
        names = ", ".join(r.method if r.sampling == "any" else f"{r.method}@{r.sampling}" for r in self.refused)
        return (
            f"to {self.goal}, by {self.by}:",
            shown,
            describe_omitted(self.choices, shown, ".table() has all"),
            f"{BASIS_LEGEND}. print(advice[0]) says more of a choice." if shown else "",
            f"cannot run here: {names}; .refused says why" if names else "",
            self.note,
        )


# ---------------------------------------------------------------- the table: a row for each run
def table_rows(choices: Sequence[Choice]) -> list[dict[str, str]]:
    """The cells of each choice, by column."""
    return [
        {
            "entry": c.label,
            **{name: _number(getattr(c, name)) for name in NUMBER_COLUMNS},
            "basis": "+".join(c.sources) or "-",
        }
        for c in choices
    ]


def table_lines(choices: Sequence[Choice]) -> list[str]:
    """The table as lines of text, at most 100 columns wide."""
    cells = [dict(zip(TABLE_HEAD, TABLE_HEAD, strict=True)), *table_rows(choices)]
    width = {name: max(len(row[name]) for row in cells) for name in TABLE_HEAD}
    words = ("entry", "basis")
    return [
        "  ".join(
            row[name].ljust(width[name]) if name in words else row[name].rjust(width[name]) for name in TABLE_HEAD
        ).rstrip()
        for row in cells
    ]


def describe_omitted(choices: Sequence[Choice], shown: Sequence[Choice], where: str) -> str:
    """Return what is not in the table, and where it is; empty where nothing is missing."""
    runs = len({c.runs for c in choices}) - len(shown)
    names = len(choices) - len(shown) - runs
    parts = [f"{runs} more run{'s' * (runs > 1)}"] if runs else []
    parts += [f"{names} other name{'s' * (names > 1)} for the same runs"] if names else []
    return f"and {' and '.join(parts)}; {where}" if parts else ""


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.3g}"
