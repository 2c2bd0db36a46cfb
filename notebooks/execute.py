"""Execute the notebooks of the course and store their outputs, or compare the stored ones with a fresh run.

    python notebooks/execute.py                      all of them
    python notebooks/execute.py 02 04                those whose names begin so
    python notebooks/execute.py --check 02           compare; nothing is written
    python notebooks/execute.py --check --changed    compare those that the last commit or nobody yet has committed

Two run at a time. Texts are equal if their words are and their numbers agree to 1%; pictures are there and are smaller
than 100 kB. Whatever is compared or not, of every notebook the outputs must be those of its present source.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent
PICTURES = ("image/svg+xml", "image/png")
PICTURE_BYTES = 100_000
RELATIVE, ABSOLUTE = 0.01, 1e-9  # how far numbers of a fresh run may be from the stored ones
NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
OF_THIS_MACHINE = re.compile(r"0x[0-9a-f]{6,}|site-packages|ipykernel_|" + re.escape(str(Path.home()) + "/"))
SECONDS = 600  # of a cell
KEPT_METADATA = ("kernelspec", "cdlab")


def main() -> int:
    """Do what the command line says; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="beginnings of names; without any, all")
    parser.add_argument("--check", action="store_true", help="compare with the stored outputs, and write nothing")
    parser.add_argument("--changed", action="store_true", help="only what the last commit changed, or nobody committed")
    asked = parser.parse_args()
    known = sorted(FOLDER.glob("*.ipynb"))
    chosen = [path for path in known if not asked.names or path.name.startswith(tuple(asked.names))]
    if asked.changed:
        changed = changed_names()
        chosen = [path for path in chosen if path.name in changed]
    with ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(compare if asked.check else store, chosen))
    faults += [stale(path) for path in known]
    found = [fault for each in faults for fault in each]
    print(*found, f"{len(chosen)} of {len(known)} notebooks {'compared' if asked.check else 'stored'}", sep="\n")
    return bool(found)


def changed_names() -> set[str]:
    """Names of notebooks that differ from the commit before the last one."""
    run = subprocess.run(
        ["git", "diff", "--name-only", "HEAD~1", "--", "."], cwd=FOLDER, text=True, capture_output=True
    )
    if run.returncode:
        sys.exit(f"the commit before this one is not here (a shallow clone?): {run.stderr.strip()}")
    return {Path(line).name for line in run.stdout.splitlines()}


def store(path: Path) -> list[str]:
    """Write a notebook with the outputs of a fresh run; what is wrong with them."""
    fresh, faults = executed(path)
    if not faults:
        fresh.metadata["cdlab"] = {"source": digest(fresh)}
        nbformat.write(fresh, path)
        print("stored", path.name, flush=True)
    return faults


def compare(path: Path) -> list[str]:
    """How the stored outputs of a notebook differ from those of a fresh run."""
    fresh, faults = executed(path)
    cells = zip(nbformat.read(path, 4).cells, fresh.cells, strict=True)
    differences = [
        f"{path.name}, cell {k}: {words}" for k, (old, new) in enumerate(cells) for words in differing(old, new)
    ]
    print("compared", path.name, flush=True)
    return faults + differences


def stale(path: Path) -> list[str]:
    """Whether the outputs of a notebook are of another source than it has."""
    notebook = nbformat.read(path, 4)
    same = notebook.metadata.get("cdlab", {}).get("source") == digest(notebook)
    return [] if same else [f"{path.name}: its source has changed since it was executed: notebooks/execute.py"]


def digest(notebook: nbformat.NotebookNode) -> str:
    """Of all code cells."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def executed(path: Path) -> tuple[nbformat.NotebookNode, list[str]]:
    """A notebook with the outputs of a fresh run, and what must not be stored of them."""
    notebook = nbformat.read(path, 4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": FOLDER}},
        extra_arguments=["--log-level=ERROR"],
    )
    one_thread = os.environ | {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        client.execute(env=one_thread)
    except CellExecutionError as error:
        return notebook, [f"{path.name}: {error}"]
    notebook.metadata = nbformat.from_dict({k: v for k, v in notebook.metadata.items() if k in KEPT_METADATA})
    faults = [
        f"{path.name}, cell {k}: {fault}"
        for k, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", [])
        for fault in faults_of(output)
    ]
    return notebook, faults


def faults_of(output: nbformat.NotebookNode) -> list[str]:
    """Why an output must not be stored."""
    faults = []
    if output.output_type == "error" or output.get("name") == "stderr":
        faults.append(f"an error or a warning: {str(output)[:300]}")
    for kind, text in contents(output).items():
        if kind in PICTURES and len(text.encode()) > PICTURE_BYTES:
            faults.append(f"a picture of {len(text.encode()) // 1000} kB: at most {PICTURE_BYTES // 1000}")
        if kind not in PICTURES and (found := OF_THIS_MACHINE.search(text)):
            faults.append(f"{found[0]!r} is of this machine")
    return faults


def differing(old: nbformat.NotebookNode, new: nbformat.NotebookNode) -> list[str]:
    """What differs between two executions of a cell, in sentences."""
    stored, fresh = old.get("outputs", []), new.get("outputs", [])
    kinds = [[sorted(contents(output)) for output in outputs] for outputs in (stored, fresh)]
    if kinds[0] != kinds[1]:
        return [f"its outputs are {kinds[1]}, stored are {kinds[0]}"]
    return [
        f"{after!r} now, stored is {before!r}"
        for one, other in zip(stored, fresh, strict=True)
        for kind, before in contents(one).items()
        if kind not in PICTURES and not same_text(before, after := contents(other)[kind])
    ]


def contents(output: nbformat.NotebookNode) -> dict[str, str]:
    """The texts of an output, by kind."""
    return {output["name"]: output["text"]} if output.output_type == "stream" else dict(output.get("data", {}))


def same_text(stored: str, fresh: str) -> bool:
    """Whether two texts have the same words, and numbers that agree."""
    words = [" ".join(NUMBER.sub(" # ", text).split()) for text in (stored, fresh)]
    numbers = [[float(each.replace(",", "")) for each in NUMBER.findall(text)] for text in (stored, fresh)]
    return words[0] == words[1] and all(
        abs(a - b) <= ABSOLUTE + RELATIVE * max(abs(a), abs(b)) for a, b in zip(*numbers, strict=True)
    )


if __name__ == "__main__":
    sys.exit(main())
