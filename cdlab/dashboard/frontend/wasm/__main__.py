"""``python -m cdlab.dashboard.frontend.wasm OUT``: write what the page's engine loads into the folder OUT."""

import sys
from pathlib import Path

from .building import build

if len(sys.argv) != 2:
    sys.exit("usage: python -m cdlab.dashboard.frontend.wasm OUT")
build(Path(sys.argv[1]))
