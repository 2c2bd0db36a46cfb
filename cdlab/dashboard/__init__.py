"""The dashboard: choose data and methods, watch primal and dual coordinate descent race beside their bounds.

`serve` starts it. Layers, each importing only those before it: choices and results (parameters and values), state,
runner (jobs), views (Panel).
"""

from .serving import serve

__all__ = ["serve"]
