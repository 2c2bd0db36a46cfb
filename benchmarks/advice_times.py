"""What was timed: the candidates, their times, and the CSV files in which rows are kept."""

import csv
from dataclasses import dataclass, fields
from pathlib import Path

HERE = Path(__file__).parent
TIMES = HERE / "advice_times.csv"
EPS = 1e-6
GIVEN_UP = 2.5  # times the best so far

CANDIDATES = {  # likely winners first: they set the time after which the others are given up
    "lbfgs": (),
    "sdca": ("permutation", "uniform", "importance", "norms", "lipschitz", "fixed_permutation", "cyclic"),
    "apcg": ("uniform",),
    "agd": (),
    "fista": (),
    "rcd": ("permutation", "uniform", "importance", "norms", "lipschitz", "fixed_permutation", "cyclic"),
    "acc_rcd": ("uniform", "permutation", "lipschitz", "importance", "norms"),
    "adasdca_plus": (),
    "accprox_sdca": ("uniform", "permutation", "importance"),
    "acc_appa": ("uniform", "permutation"),
    "dual_appa": ("uniform", "permutation"),
    "appa": ("uniform", "permutation"),
    "spdc": ("uniform", "permutation", "norms"),
    "asdca": ("uniform",),
    "quartz": ("uniform", "permutation", "importance"),
    "saga": ("uniform", "permutation"),
    "sag": ("uniform", "permutation"),
    "svrg": ("uniform", "permutation", "importance"),
    "gd": (),
    "adasdca": (),
    "greedy": (),
    "sgd": ("uniform", "permutation"),
    "rda": ("uniform",),
    "kaczmarz": ("uniform", "permutation", "norms"),
    "acc_kaczmarz": ("uniform",),
    "acc_cd": ("uniform",),
}


@dataclass
class Time:
    """One candidate on one problem."""

    problem: str
    entry: str
    passes: float  # to relative suboptimality EPS; inf: given up
    gap_passes: float  # to relative gap EPS; inf: given up
    pass_seconds: float  # median seconds a pass
    tried: float  # passes done

    @property
    def seconds(self) -> float:
        return self.passes * self.pass_seconds

    @property
    def gap_seconds(self) -> float:
        return self.gap_passes * self.pass_seconds


def load(path: Path, row: type) -> list:
    """The rows of a CSV file as instances of a dataclass."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        _, *lines = csv.reader(file)
    return [row(*(f.type(text) for f, text in zip(fields(row), line, strict=True))) for line in lines]


def append(path: Path, rows: list) -> None:
    """Add rows to a CSV file, under a header if it is new."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow([f.name for f in fields(rows[0])])
        for row in rows:
            values = (getattr(row, f.name) for f in fields(row))
            writer.writerow([f"{value:.4g}" if isinstance(value, float) else value for value in values])
