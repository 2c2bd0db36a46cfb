"""Whether the sources define every kernel that the page's JavaScript calls by name: needs nothing but Python."""

import re
import runpy
import sys
from pathlib import Path

CDLAB = Path(__file__).parents[1] / "cdlab"
KERNEL = re.compile(r"^@kernel\b.*\ndef (\w+)\(", re.MULTILINE)

names = runpy.run_path(str(CDLAB / "dashboard/frontend/wasm/names.py"))
called = names["read_by_javascript"]("KernelName")
defined = {name for file in CDLAB.rglob("*.py") for name in KERNEL.findall(file.read_text(encoding="utf-8"))}
if missing := called - defined:
    sys.exit(f"the page's JavaScript calls kernels that no file of cdlab defines: {', '.join(sorted(missing))}")
print(f"all {len(called)} kernels that the page's JavaScript calls are defined")
