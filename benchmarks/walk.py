"""How far a call walks: the files of cdlab that it touches, and the Python calls into cdlab that it makes.

    python benchmarks/walk.py

Of the second call of each kind, so that nothing is imported, compiled or cached anew. Functions of cdlab alone count:
neither what numpy does nor compiled kernels; a generator that goes on, and a comprehension, count as calls.
"""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import cdlab

ROOT = str(Path(cdlab.__file__).parent)
N, D, L2 = 200, 20, 0.1


@contextlib.contextmanager
def walked() -> Iterator[list[str]]:
    """The files in which calls begin, one for each call."""
    files: list[str] = []

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            files.append(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(None)


def main() -> None:
    X, y = cdlab.datasets.make(n=N, d=D, seed=0)
    P = cdlab.Problem(X, y, l2=L2)
    calls = {
        'solve(P, "sdca"), problem reused': lambda: cdlab.solve(P, "sdca"),
        'solve(P, "sdca"), problem fresh': lambda: cdlab.solve(cdlab.Problem(X, y, l2=L2), "sdca"),
        "CDClassifier().fit(X, y)": lambda: cdlab.CDClassifier().fit(X, y),
    }
    for name, call in calls.items():
        call()
        with walked() as files:
            call()
        print(f"{name:34} {len(set(files)):3} files {len(files):4} calls")


if __name__ == "__main__":
    main()
