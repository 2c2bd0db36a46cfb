"""Hostile inputs of all classes, and what came of them: crashes, bare errors, false certificates.

    python tests/hostile/hostile_inputs.py OUT                    all 8,300 cases, a quarter of an hour on one core
    python tests/hostile/hostile_inputs.py OUT --share 0.05       the first of each class
    python tests/hostile/hostile_inputs.py OUT --classes arguments --seed 1

A case is decided by the seed, its class and its number. Each class runs in processes of its own; a case that ends its
process is a crash, and the class goes on behind it. What is done stands in OUT and is not done again. OUT/table.md and
OUT/table.json have the counts, and an example of each kind of failure.

- crash: a signal ended the process; hung: it took longer than LIMIT seconds of the processor
- bare error: an exception that is no sentence of cdlab's (see `refused` in hostile_cases.py)
- false certificate: P(w) - P(w') is more than the gap for some w', in 60 digits; or a file is believed that claims so
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import signal
import subprocess
import sys
import time
import warnings
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "sweeps"))  # how stores are looked into
LIMIT = 60.0  # processor seconds of a case; kernels may compile in it
BATCH = 300  # cases of a process
FAILED = ("crash", "hung", "bare error", "false certificate")


def child(name: str, first: int, last: int, seed: int, log: Path) -> None:
    """Try some cases of a class, writing down each before it is tried and what came of it."""
    import numpy as np
    from hostile_cases import CLASSES, Bare, Untrue

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    _, case = CLASSES[name]
    with log.open("a", buffering=1) as out:
        for k in range(first, last):
            out.write(json.dumps({"k": k}) + "\n")
            signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
            try:
                verdict, words = case(np.random.default_rng([seed, zlib.crc32(name.encode()), k]), k), ""
            except Bare as error:
                verdict, words = "bare error", str(error)
            except Untrue as error:
                verdict, words = "false certificate", str(error)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            out.write(json.dumps({"k": k, "verdict": verdict, "words": words}) + "\n")


def finished(log: Path) -> tuple[dict[int, dict], int | None]:
    """The verdicts of a log, and the case that was begun and not finished."""
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    done = {line["k"]: line for line in lines if "verdict" in line}
    open_ = lines[-1]["k"] if lines and "verdict" not in lines[-1] else None
    return done, open_


def tried(name: str, count: int, seed: int, folder: Path) -> dict[int, dict]:
    """All verdicts of a class; those that are missing are found now."""
    log = folder / f"{name.replace(' ', '-')}.jsonl"
    while True:
        done, _ = finished(log)
        left = [k for k in range(count) if k not in done]
        if not left:
            return done
        first = left[0]
        words = ["--child", name, str(first), str(min(count, first + BATCH)), str(seed), str(log)]
        run = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True)
        done, begun = finished(log)
        if run.returncode and begun is None:
            raise SystemExit(run.stderr)
        if run.returncode:
            kind = "hung" if run.returncode == -signal.SIGVTALRM else "crash" if run.returncode < 0 else "bare error"
            last = run.stderr.strip().splitlines()[-1:] or [""]
            with log.open("a") as out:
                out.write(
                    json.dumps({"k": begun, "verdict": kind, "words": f"{run.returncode}: {last[0][:300]}"}) + "\n"
                )


def kinds(found: dict[int, dict]) -> dict[str, tuple[int, int, str]]:
    """Failures alike in words but for their numbers: how many, the first case, its words."""
    alike: dict[str, tuple[int, int, str]] = {}
    for k, line in sorted(found.items()):
        if line["verdict"] in FAILED:
            key = line["verdict"] + re.sub(r"\([^)]*\)|/tmp/\S*|[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "", line["words"])[:90]
            count, first, words = alike.get(key, (0, k, line["words"]))
            alike[key] = (count + 1, first, words)
    return alike


def table(results: dict[str, dict[int, dict]], seconds: float, seed: int) -> tuple[str, dict]:
    """The counts by class, as Markdown and as data."""
    lines = ["| class | cases | crash | hung | bare error | false certificate |", "|---|---|---|---|---|---|"]
    data: dict = {"seed": seed, "seconds": round(seconds), "classes": {}}
    for name, found in [*results.items(), ("all", None)]:
        lists = results.values() if found is None else [found]
        count = collections.Counter(line["verdict"] for each in lists for line in each.values())
        cells = [sum(count.values()), *(count[word] for word in FAILED)]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
        data["classes"][name] = dict(count.most_common())
    for name, found in results.items():
        alike = kinds(found)
        data["classes"][name] = {**data["classes"][name], "failures": [list(each) for each in alike.values()]}
        lines += ["", f"## {name}"] if alike else []
        for count, first, words in sorted(alike.values(), reverse=True):
            lines.append(f"- {count} x, first case {first}: {words}")
    return "\n".join(lines) + "\n", data


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        name, first, last, seed, log = sys.argv[2:]
        return child(name, int(first), int(last), int(seed), Path(log))
    from hostile_cases import CLASSES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of each class's cases")
    parser.add_argument("--classes", nargs="*", default=list(CLASSES), choices=list(CLASSES))
    args = parser.parse_args()
    folder = args.out / f"seed-{args.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    begun, results = time.perf_counter(), {}
    for name in args.classes:
        start = time.perf_counter()
        results[name] = tried(name, max(1, round(args.share * CLASSES[name][0])), args.seed, folder)
        text, data = table(results, time.perf_counter() - begun, args.seed)
        (args.out / "table.md").write_text(text)
        (args.out / "table.json").write_text(json.dumps(data, indent=1) + "\n")
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    print((args.out / "table.md").read_text())


if __name__ == "__main__":
    main()
