"""Whether `python -m papers` survives: a quick run that is undisturbed, and the same killed at random moments.

    python benchmarks/reproductions.py                      all items, ten kills: half an hour on two cores
    python benchmarks/reproductions.py asdca --kills 20
    python benchmarks/reproductions.py --keep DIR           stores and pages stay there for next time

Both begin with an empty store and without compiled kernels. Every second kill is one of a worker, the others are of the
command itself, which is then started again. Told are: the time of the undisturbed run, results that were damaged, runs
that are missing or differ in anything but their seconds, and claims whose verdict differs. Needs CDLAB_DATA.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from killing import count_set_aside, count_writes, disturbed
from killing import finished as finished_in

import cdlab

ROOT = Path(__file__).parents[1]  # where python finds papers
TIMED = ("seconds",)  # columns that no two runs share
LOOKED = 0.5  # seconds between two looks at what is finished, at most: a look is work, too
BY_TIME = ("spdc-lazy", "faceoff-derivative")  # items whose claims are about seconds


def begun(folder, items):
    """The command, with a cache of its own."""
    command = [sys.executable, "-m", "papers", *items, "--quick", "--quiet", "--out", str(folder / "out")]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def store_of(folder):
    return folder / "cache" / "cdlab" / "reproductions"


def finished(folder):
    return finished_in(store_of(folder))


def traces(folder):
    """All columns of all runs but those that are timed, by key."""
    store = cdlab.Store(store_of(folder))
    return {
        trace.meta["key"]: [trace.column(name).tobytes() for name in trace.names if name not in TIMED]
        for trace in store
    }


def verdicts(folder):
    found = json.loads((folder / "out" / "results.json").read_text())["items"]
    return {
        (item, claim["id"]): claim["verdict"]
        for item, modes in found.items()
        if item not in BY_TIME
        for claim in modes["quick"]["claims"]
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", nargs="*", default=["all"])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--keep", metavar="DIR")
    args = parser.parse_args()
    with contextlib.nullcontext(args.keep) if args.keep else tempfile.TemporaryDirectory() as base:
        quiet, killed = (Path(base, name).absolute() for name in ("quiet", "killed"))
        shutil.rmtree(killed, ignore_errors=True)
        if not (quiet / "out" / "results.json").exists():
            shutil.rmtree(quiet, ignore_errors=True)  # of a command that did not end
            quiet.mkdir(parents=True)
            began = time.perf_counter()
            code = begun(quiet, args.items).wait()
            spent = time.perf_counter() - began
            print(f"undisturbed: {finished(quiet)} runs and their pages in {spent:.0f} s, exit {code}", flush=True)
        runs = finished(quiet)
        commands, workers = disturbed(
            lambda: begun(killed, args.items), lambda: finished(killed), runs, args.kills, random.Random(0), LOOKED
        )
        print(f"killed {commands} commands and {workers} workers; {finished(killed)} runs finished", flush=True)
        expected, got = traces(quiet), traces(killed)
        differing = sum(expected.get(key) != got.get(key) for key in expected.keys() | got.keys())
        said, again = verdicts(quiet), verdicts(killed)
        changed = sum(said.get(claim) != again.get(claim) for claim in said.keys() | again.keys())
        damaged = count_set_aside(store_of(killed))
        twice = count_writes(store_of(killed)) - count_writes(store_of(quiet))
        print(
            f"{damaged} damaged results, {differing} runs missing or different, {twice} written more than once, "
            f"{changed} verdicts of {len(said)} differ"
        )


if __name__ == "__main__":
    main()
