"""``python -m cdlab.conversion FOLDER``: makes a store of the files in which earlier versions of cdlab kept results.

Runs of sweeps, races and reproductions were a file each, as were the measurements of the benchmark. They are taken over
as they are, and not computed again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .bench.cells import parse_cell
from .bench.results import MEASUREMENT, OPTIMUM, SETTINGS, optimum_key, result_from
from .numerics import checks
from .numerics.json_numbers import parse_json
from .reproductions.least_squares import LEAST_SQUARES
from .runs.trace import Trace
from .sweeps.outcomes import check_trace, outcome_of
from .sweeps.result_store import ResultStore
from .sweeps.store_file import files_of_earlier_versions

FAILED = ".failed"  # the end of the names of runs that failed, before .json


def convert(folder: Path) -> tuple[int, list[str]]:
    """Write the results that are in files of a folder into its store; the files stay where they are.

    Parameters
    ----------
    folder : Path
        Of a sweep, of reproductions, or of the benchmark.

    Returns
    -------
    int
        How many results the store has now that it had not.
    list of str
        A sentence for each file that could not be read.

    Raises
    ------
    OSError
        If the store cannot be written.
    """
    found, complaints = {}, []
    files = [*files_of_earlier_versions(folder), *folder.glob("least-squares/*.json")]
    for path in sorted(files, key=lambda path: (FAILED not in path.suffixes, path.stat().st_mtime)):
        try:
            key, kind, row, trace = _read(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            complaints.append(f"{path} is no result of cdlab: {checks.error_message(error)}")
            continue
        found[key] = key, kind, path.stat().st_mtime, json.dumps(row, allow_nan=False), trace
    store = ResultStore(folder)
    known = store.index() if store.path.exists() else {}
    new = [result for key, result in found.items() if key not in known]
    if new:
        store.put_all(new)
    return len(new), complaints


def _read(path: Path) -> tuple[str, str, dict[str, Any], str | None]:
    """Key, kind, row and trace of the result in a file."""
    text = path.read_text(encoding="utf-8")
    content = parse_json(text)
    if path.name == "settings.json":
        return SETTINGS, SETTINGS, content, None
    if path.name == "optimum.json":
        return optimum_key(parse_cell(content["cell"]), content["data"]), OPTIMUM, content, None
    if "," in path.parent.name:
        return result_from(dict(content)).key, MEASUREMENT, content, None
    if path.parent.name == "least-squares":
        return path.stem, LEAST_SQUARES, content, None
    trace = Trace.from_plain(content)
    key = path.stem.removesuffix(FAILED)
    check_trace(trace, key)
    outcome = outcome_of(trace)
    return key, outcome.kind, outcome.row, text


def main() -> None:
    """Convert the folder that the command line names."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    count, complaints = convert(folder)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{count} results are in the store of {folder} now that were not; the files that held them may be removed")


if __name__ == "__main__":
    main()
