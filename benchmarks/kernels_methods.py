"""What a pass costs each method: part of benchmarks/kernels.py."""

import time
from collections.abc import Callable

import numpy as np

import cdlab
from cdlab import methods
from cdlab.runs.running import Run

ROUNDS = 9
MANY = 1000  # features: with more, greedy is left out
MU = 1e-6  # lower bound of an eigenvalue that these compute on small data only; a step costs the same whatever it is
PARAMETERS = {"acc_kaczmarz": {"mu": MU}, "acc_cd": {"mu": MU}}
HEAD = """## Every method

Nanoseconds a stored number for each pass (as many visited nonzeros as the matrix has; a line that is read and written
is one visit), drawing included and measuring not, over {rounds} epochs of each in turn; in brackets, how many reads of
the matrix that is. L2 alone; uniform sampling where a method draws, or as it says; linear systems with l2 = 0. `greedy`
is left out where there are many features: each of its d steps reads the whole matrix.
"""


def of_every_method(problems: list[tuple[str, cdlab.Problem]], read_seconds: Callable[[cdlab.Problem], float]) -> str:
    """A Markdown table with a row for each method and a column for each problem."""
    columns = {f"{name}, {problem.loss.name}": costs(problem, read_seconds) for name, problem in problems}
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = [["method", *columns], ["---"] * (1 + len(columns))]
    for name in names:
        rows.append([name, *(column.get(name, "") for column in columns.values())])
    return HEAD.format(rounds=ROUNDS) + "\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def costs(problem: cdlab.Problem, read_seconds: Callable[[cdlab.Problem], float]) -> dict[str, str]:
    """Nanoseconds of a pass for each stored number, and how many reads that is, of each method that fits."""
    stored = problem.X.size if isinstance(problem.X, np.ndarray) else problem.nnz
    runs = entered(problem)
    for run in runs.values():
        next(run), next(run)  # the start, and one epoch to warm the caches
    rounds = []
    for _ in range(ROUNDS):
        one = read_seconds(problem)
        rounds.append([one, *(seconds_a_pass(run) for run in runs.values())])
    seconds = np.array(rounds).T
    nanoseconds = np.nanmedian(seconds, axis=1) / stored * 1e9
    reads = np.nanmedian(seconds / seconds[0], axis=1)
    found = zip(("one read", *runs), nanoseconds, reads, strict=True)
    return {name: f"{ns:.2f} ({times:.1f})" for name, ns, times in found}


def entered(problem: cdlab.Problem) -> dict[str, Run]:
    """A run of each method, of linear systems on the same data with l2 = 0; what is refused is left out."""
    runs = {}
    system = cdlab.Problem(problem.X, problem.y, loss="squared", l2=0)
    for name, sampling in (("sdca", "permutation"), *((name, "uniform") for name in methods.METHODS)):
        if name == "greedy" and problem.d > MANY:
            continue
        for attempt in (problem, system):
            try:
                method = methods.resolve(name, **PARAMETERS.get(name, {}))
                run = Run(attempt, method, sampling, 0, clock=time.process_time)
            except ValueError:
                continue
            runs[f"{name}@{sampling}" if sampling == "permutation" else name] = run
            break
    return runs


def seconds_a_pass(run: Run) -> float:
    """Of the next epoch; NaN of one that visits nothing, as after the optimum."""
    before = run.trace.records[-1]
    after = next(run)
    passes = after.passes - before.passes
    return (after.seconds - before.seconds) / passes if passes else np.nan
