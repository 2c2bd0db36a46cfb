"""Results as notebooks show them: sentences and small tables, in the colours of the page, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def notebook_html(*parts: str | pandas.DataFrame, index: bool = False) -> str:
    """HTML of sentences (each a paragraph, its line breaks kept) and of tables.

    Parameters
    ----------
    *parts : str or DataFrame
        From top to bottom; empty sentences are left out.
    index : bool, default False
        Whether tables show their index, and then no head.
    """
    pieces = []
    for part in parts:
        if not isinstance(part, str):
            text = part.to_html(index=index, header=not index, border=0, na_rep="-", float_format="{:.4g}".format)
            pieces.append(f'<div style="overflow-x: auto">{text}</div>')
        elif part:
            pieces.append(f"<p>{escape(part).replace(chr(10), '<br>')}</p>")
    return f"<div>{''.join(pieces)}</div>"


def facts_table(pairs: Sequence[tuple[str, str]]) -> pandas.DataFrame:
    """A table of names and values, for `notebook_html` with its index."""
    import pandas as pd

    return pd.DataFrame([value for _, value in pairs], index=[name for name, _ in pairs], columns=[""])
