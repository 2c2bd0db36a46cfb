"""Would the tests notice? Change one place of the code that promises something, and see whether a test fails.

    python .ci/mutants.py                               120 mutants, ten of each subject: about half an hour
    python .ci/mutants.py --sample 60 --modules racing  sixty of one subject
    python .ci/mutants.py --retry                       the survivors once more, after a test was written

A place (an operator, a number, a comparison, a call) is drawn uniformly among those of a subject's files, then one of
its mutants; every subject gives the same number, so a share is the mean over subjects. The share killed is printed with
its 95% Wilson interval, then the survivors as diffs: each needs a test, or a reason why it is no different.

Mutants are cosmic-ray's, which also changes decorated functions (mutmut 3 skips those: all compiled formulas here),
and four of our own below. Words for people (f-strings) and annotations are left alone. Tests run on a copy of the tree
without the compiler (NUMBA_DISABLE_JIT=1), where the formulas are plain Python; each in a fork of one process that has
already imported the libraries. What was found is in --results, and an interrupted run goes on where it stopped.
"""

import argparse
import compileall
import difflib
import hashlib
import json
import os
import py_compile
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.gettempdir() + "/mutants-hypothesis"
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

from mutations import apply, places  # noqa: E402
from subjects import SUBJECTS, missing  # noqa: E402

ROOT = Path(__file__).parent.parent
PATIENCE = 5.0  # times as long as the unchanged code: then the mutant hangs, which a test would have noticed
BASE_TESTS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--hypothesis-seed=0", "-o", "timeout=0")
BASE_TESTS += ("-W", "ignore::pytest.PytestCollectionWarning")  # of TestData in problem.py, whose doctests run, too


@dataclass
class Mutant:
    """One change of one place."""

    subject: str
    file: str
    source: str  # digest of the unchanged file: another source is another mutant
    operator: str
    occurrence: int
    line: int
    diff: str
    outcome: str = ""  # killed, survived or hung
    seconds: float = 0.0
    by: str = ""  # the test that failed first

    @property
    def key(self) -> tuple:
        return self.file, self.source, self.operator, self.occurrence


def drawn(tree: Path, name: str, number: int, seed: int) -> Iterator[tuple[Mutant, str]]:
    """Mutants of a subject with the changed text of their file, in random order; the same for the same seed."""
    sources = {file: (tree / file).read_text() for file in SUBJECTS[name].files}
    sites = [(file, *place) for file, source in sources.items() for place in places(source)]
    rng = random.Random(f"{seed} {name}")
    rng.shuffle(sites)
    for file, position, choices in sites:
        if number == 0:
            return
        operator, occurrence = way = rng.choice(choices)
        if (changed := apply(sources[file], way)) is None:
            continue
        lines = difflib.unified_diff(sources[file].splitlines(), changed.splitlines(), file, operator, lineterm="", n=1)
        digest = hashlib.sha256(sources[file].encode()).hexdigest()[:12]
        yield Mutant(name, file, digest, operator, occurrence, position[0], "\n".join(lines)), changed
        number -= 1


# ---------------------------------------------------------------- running the tests
def copied(tree: Path, to: Path) -> Path:
    """A copy whose compiled files are checked by content: mutants come faster than time stamps tell apart."""
    for name in ("cdlab", "tests", "docs", "apps"):
        shutil.copytree(tree / name, to / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(tree / name, to / name)
    compileall.compile_dir(to, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    return to


def warm() -> None:
    """Import what every test run imports, but nothing of cdlab: forks share it."""
    import cvxpy  # noqa: F401
    import numba.extending  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.sparse.linalg  # noqa: F401
    import sklearn.datasets  # noqa: F401
    import sympy.codegen.cfunctions  # noqa: F401


def tests_of(tree: Path, name: str) -> list[str]:
    subject = SUBJECTS[name]
    paths = [*subject.tests, *subject.files]
    return [*paths, "-k", subject.deselect] if subject.deselect else paths


def run(tree: Path, arguments: list[str], seconds: float) -> tuple[int | None, str]:
    """pytest's exit code (None: it took too long) and what it printed, in a fork with a process group of its own."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.setsid()
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os.chdir(tree)
            sys.path.insert(0, str(tree))
            import pytest

            os._exit(int(pytest.main([*BASE_TESTS, *arguments])))
        end, code = time.monotonic() + seconds, None
        while code is None and time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.05)
        if code is None:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        output.seek(0)
        return code, output.read().decode(errors="replace")


def judged(tree: Path, mutant: Mutant, changed: str, seconds: float) -> Mutant:
    """The mutant with its outcome."""
    path = tree / mutant.file
    original, start = path.read_text(), time.monotonic()
    path.write_text(changed)
    try:
        code, printed = run(tree, tests_of(tree, mutant.subject), seconds)
    finally:
        path.write_text(original)
    mutant.outcome = "hung" if code is None else "survived" if code == 0 else "killed"
    mutant.seconds = round(time.monotonic() - start, 1)
    failed = [line.split(" - ")[0] for line in printed.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    mutant.by = failed[0] if failed else ""
    return mutant


# ---------------------------------------------------------------- what is said of it
def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    if of == 0:
        return 0.0, 1.0
    centre, spread = hits + z * z / 2, z * (hits * (of - hits) / of + z * z / 4) ** 0.5
    return (centre - spread) / (of + z * z), (centre + spread) / (of + z * z)


def share(mutants: list[Mutant]) -> str:
    killed = sum(mutant.outcome != "survived" for mutant in mutants)
    low, high = wilson(killed, len(mutants))
    return f"{killed:3d} of {len(mutants):3d} killed, {killed / max(1, len(mutants)):4.0%} ({low:.0%} to {high:.0%})"


def report(mutants: list[Mutant]) -> str:
    lines = []
    for name in dict.fromkeys(mutant.subject for mutant in mutants):
        lines.append(f"{name:16s} {share([mutant for mutant in mutants if mutant.subject == name])}")
    survivors = [mutant for mutant in mutants if mutant.outcome == "survived"]
    return "\n".join([*lines, f"{'in all':16s} {share(mutants)}", *("\n" + mutant.diff for mutant in survivors)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=110, help="how many mutants in all (default 110)")
    parser.add_argument("--seed", type=int, default=0, help="other mutants for another seed (default 0)")
    parser.add_argument("--modules", nargs="+", choices=SUBJECTS, default=list(SUBJECTS), metavar="MODULE")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to judge (default: this one)")
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"), help="kept results (mutants.jsonl)")
    parser.add_argument("--retry", action="store_true", help="run the kept survivors once more")
    options = parser.parse_args()
    if gone := missing(options.tree):
        sys.exit(f".ci/subjects.py names files that {options.tree} has not: {', '.join(gone)}")

    known: dict[tuple, Mutant] = {}
    if options.results.exists():
        rows = (Mutant(**json.loads(line)) for line in options.results.read_text().splitlines())
        known = {mutant.key: mutant for mutant in rows}
    warm()
    sampled = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = copied(options.tree.resolve(), Path(folder))
        for position, name in enumerate(options.modules):
            number = options.sample // len(options.modules) + (position < options.sample % len(options.modules))
            limit = None
            for mutant, changed in drawn(tree, name, number, options.seed):
                before = known.get(mutant.key)
                if before and not (options.retry and before.outcome == "survived"):
                    sampled.append(before)
                    continue
                if limit is None:
                    start = time.monotonic()
                    code, printed = run(tree, tests_of(tree, name), 600)
                    if code != 0:
                        sys.exit(f"the tests of {name} fail on the unchanged code:\n{printed[-3000:]}")
                    limit = 20 + PATIENCE * (time.monotonic() - start)
                sampled.append(judged(tree, mutant, changed, limit))
                with options.results.open("a") as file:
                    file.write(json.dumps(asdict(mutant)) + "\n")
                print(f"{mutant.outcome:8s} {mutant.seconds:5.1f} s  {mutant.file}:{mutant.line} {mutant.operator}")
                sys.stdout.flush()
    print("\n" + report(sampled))


if __name__ == "__main__":
    main()
