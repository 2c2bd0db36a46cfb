"""The page's engine: cdlab's own kernels as one WebAssembly module, and the JavaScript that runs them.

`build` writes what the modules of this folder load; README.md says more.
"""

from .building import build

__all__ = ["build"]
