"""Try many hostile inputs: ``python tests/hostile/hunt.py [EXAMPLES] [CLASS ...]``.

Each class runs in processes of its own; an example that ends its process, or takes longer than LIMIT seconds of the
processor, is counted, shown, and the class goes on with other random numbers. Prints a table of outcomes, and each kind
of failure.
"""

from __future__ import annotations

import collections
import faulthandler
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 30.0  # processor seconds an example may take; kernels may compile in it
PATIENCE = 20.0  # times as many by the clock on the wall, for what waits instead
SHOWN = 600  # characters of an example


def child(name: str, count: int, seed: int, log: Path) -> None:
    """Try `count` examples, writing down each before it is tried and what came of it."""
    sys.path[:0] = [str(HERE), str(HERE.parent.parent)]
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from tried import CLASSES

    warnings.simplefilter("error")
    strategy, check = CLASSES[name]
    with log.open("a", buffering=1) as out:

        @seeded(seed)
        @settings(
            max_examples=count, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(strategy)
        def try_one(example):
            shown = told(example)
            out.write(f"try\t{shown!r}\n")
            faulthandler.dump_traceback_later(PATIENCE * LIMIT, exit=True)
            signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)  # its signal ends the process, also in compiled code
            start = time.process_time()
            try:
                outcome = check(example)
            except Exception as error:
                line = f"{type(error).__name__}: {' '.join(str(error).split())[:300]} at {place(error)}"
                out.write(f"fail\t{line!r}\t{shown!r}\n")
                outcome = "FAILED"
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            faulthandler.cancel_dump_traceback_later()
            seconds = time.process_time() - start
            out.write(f"done\t{outcome}\t{seconds:.3f}\n")

        try_one()


def told(example: object) -> str:
    """An example in a line, cut; an int of very many digits cannot be written."""
    try:
        return repr(example)[:SHOWN]
    except ValueError:
        return "(something that has no repr)"


def place(error: Exception) -> str:
    """The last line of the library that the error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "cdlab/" in frame.filename and "tests" not in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"


def hunt(name: str, count: int) -> tuple[collections.Counter, list[str], float]:
    outcomes: collections.Counter = collections.Counter()
    failures, slowest, seed = [], 0.0, 0
    while (left := count - sum(outcomes.values())) > 0:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            log.touch()
            command = [sys.executable, __file__, "--child", name, str(left), str(seed), str(log)]
            run = subprocess.run(command, capture_output=True, text=True)
            lines = [line.split("\t") for line in log.read_text().splitlines()]
        done = [line for line in lines if line[0] == "done"]
        outcomes.update(line[1] for line in done)
        slowest = max([slowest, *(float(line[2]) for line in done)])
        failures += [" <- ".join(line[1:]) for line in lines if line[0] == "fail"]
        if lines and lines[-1][0] == "try":
            word = "HUNG" if run.returncode == -signal.SIGVTALRM or "Timeout" in run.stderr else "CRASHED"
            outcomes[word] += 1
            failures.append(f"{word} ({run.returncode}) <- {lines[-1][1]} <- {run.stderr[-700:]}")
        elif not done:
            raise SystemExit(run.stderr)
        seed += 1
    return outcomes, failures, slowest


def main(words: list[str]) -> None:
    if words[:1] == ["--child"]:
        return child(words[1], int(words[2]), int(words[3]), Path(words[4]))
    sys.path[:0] = [str(HERE), str(HERE.parent.parent)]
    count = int(words[0]) if words else 10_000
    from tried import CLASSES

    for name in words[1:] or CLASSES:
        start = time.perf_counter()
        outcomes, failures, slowest = hunt(name, count)
        told = ", ".join(f"{word} {number}" for word, number in outcomes.most_common())
        print(f"{name}: {told}; slowest {slowest:.1f} s, {time.perf_counter() - start:.0f} s in all", flush=True)
        kinds: dict[str, str] = {}
        for failure in failures:
            kinds.setdefault(re.sub(r"/\S+/tmp\w+|\d+", "", failure.partition(" <- ")[0]), failure)
        for failure in kinds.values():
            print(f"    {failure}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
