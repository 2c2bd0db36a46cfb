"""What one visited nonzero costs each method, relative to SDCA with L2: interleaved, one epoch of each in turn.

    python benchmarks/methods.py [DATA [METHOD ...]]      default: news20.bigram, the lazy and accelerated methods

For each method with L2 and with L1+L2 it prints the median over rounds of its seconds a pass over those of SDCA with L2
in the same round, and the quartiles. Seconds are the trace's: measuring and compiling do not count. Each is repeated
with as many empty features appended as there are features: what a lazy method costs must not depend on d.
"""

import sys

import numpy as np
import scipy.sparse as sp

import cdlab

ROUNDS = 8
METHODS = [
    ("sdca", {}),
    ("quartz", {}),
    ("apcg", {}),
    ("spdc", {}),
    ("spdc", {"batch_size": 8}),
    ("asdca", {}),
    ("asdca", {"batch_size": 8}),
    ("sag", {}),
    ("saga", {}),
    ("svrg", {}),
]


def seconds_a_pass(run) -> float:
    before = run.trace.records[-1]
    after = next(run)
    return (after.seconds - before.seconds) / (after.passes - before.passes)


def ratios(problem, entries) -> dict[str, np.ndarray]:
    """Seconds a pass over SDCA's (L2), one row a round."""
    reference = cdlab.iterate(problem(0.0), "sdca")
    runs = {}
    for name, l1, parameters in entries:
        try:
            runs[name, l1] = cdlab.iterate(problem(l1), name.partition("(")[0], **parameters)
        except ValueError as refusal:
            print(f"left out: {refusal}")
    for run in (reference, *runs.values()):
        next(run), next(run)  # the start, and one epoch to warm the caches
    rounds = []
    for _ in range(ROUNDS):
        base = seconds_a_pass(reference)
        rounds.append([seconds_a_pass(run) / base for run in runs.values()])
    return dict(zip(runs, np.array(rounds).T, strict=True))


def main(data: str, methods: list[tuple[str, dict]]) -> None:
    X, y = cdlab.datasets.load(data, split="all", scale="unit")
    wide = sp.hstack([X, sp.csr_matrix(X.shape)]).tocsr()
    l2 = 0.1 / X.shape[0]
    print(f"{data}: {X.shape[0]} x {X.shape[1]}, squared hinge, l2 = 0.1/n, uniform sampling, {ROUNDS} rounds")
    for l1 in (0.0, 1e-5):
        label = "L1+L2" if l1 else "L2"
        entries = [(f"{name}({', '.join(f'{k}={v}' for k, v in kw.items())})", l1, kw) for name, kw in methods]
        for matrix, what in ((X, "as it is"), (wide, "d doubled with empty features")):
            found = ratios(lambda l1, Z=matrix: cdlab.Problem(Z, y, "squared_hinge", l2, l1), entries)
            for (name, _), values in found.items():
                low, middle, high = np.percentile(values, [25, 50, 75])
                print(f"{label:6} {name:24} {middle:6.2f} ({low:.2f} to {high:.2f})  {what}")


if __name__ == "__main__":
    chosen = [(name, {}) for name in sys.argv[2:]] or METHODS
    main(sys.argv[1] if len(sys.argv) > 1 else "news20.bigram", chosen)
