"""Fail if a notebook carries outputs or execution counts. Names come as arguments; without any, all of notebooks/."""

import json
import sys
from pathlib import Path

bad = []
for path in map(Path, sys.argv[1:] or sorted(map(str, Path("notebooks").glob("*.ipynb")))):
    cells = json.loads(path.read_text())["cells"]
    if any(cell.get("outputs") or cell.get("execution_count") for cell in cells):
        bad.append(f"{path} has outputs: clear them before committing")
print(*bad, sep="\n", end="\n" if bad else "")
sys.exit(bool(bad))
