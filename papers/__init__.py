"""Reproductions: every figure, table and experimental claim of the papers, run, judged and written up.

An `Item` declares what a figure, a table or a claim needs: problems (`Case`), methods (`Contender`), pictures, and
claims with the rule that decides each, fixed before the runs. `reproduce` carries out what is missing by a sweep,
judges, and writes pages. ``registry.PAPERS`` are the papers, one module or folder each.
"""

from .items import Case, Claim, Contender, GeneratedData, Item, Paper, Picture
from .registry import PAPERS, select_items
from .running import planned_runs, reproduce

__all__ = [
    "PAPERS",
    "Case",
    "Claim",
    "Contender",
    "Item",
    "GeneratedData",
    "Paper",
    "Picture",
    "select_items",
    "planned_runs",
    "reproduce",
]
