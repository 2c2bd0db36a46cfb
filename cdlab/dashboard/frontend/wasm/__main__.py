"""``python -m cdlab.dashboard.frontend.wasm OUT``: write what the page's engine loads into the folder OUT."""

import sys
from pathlib import Path

from .building import build

if len(sys.argv) != 2:
    sys.exit("usage: python -m cdlab.dashboard.frontend.wasm OUT")
for file, size in build(Path(sys.argv[1])).items():
    print(f"{size:>9,} bytes  {file}")
