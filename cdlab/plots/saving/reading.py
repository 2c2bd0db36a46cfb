"""The properties of a bokeh glyph as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.core.property.vectorization import Field, Value
from bokeh.models import LogColorMapper

POINTS = 72 / 96  # of a pixel
DASHES = {"solid": [], "dashed": [6], "dotted": [2, 4], "dotdash": [2, 4, 6, 4], "dashdot": [6, 4, 2, 4]}
MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "d",
    "inverted_triangle": "v",
    "hex": "h",
    "star": "*",
    "square_pin": (4, 1, 45),  # stars with so many points
    "triangle_pin": (3, 1, 0),
    "plus": "P",
}


class Glyph:
    """A renderer's glyph with its data.

    Parameters
    ----------
    renderer : bokeh GlyphRenderer
        The glyph and its data source.

    Attributes
    ----------
    kind : str
        The name of the glyph's class, such as "MultiLine".
    size : int
        Rows of the data.
    """

    def __init__(self, renderer: Any):
        self._glyph, self._data = renderer.glyph, renderer.data_source.data
        self.kind = type(self._glyph).__name__
        self.size = max((len(column) for column in self._data.values()), default=1)  # one mark may need no data

    def rows(self, name: str) -> list[Any]:
        """A property, such as "line_color": one value for each row of the data."""
        said = getattr(self._glyph, name, None)
        if isinstance(said, Field):
            column = self._data[said.field]
            mapper = said.transform
            return list(column) if mapper is None or not hasattr(mapper, "palette") else list(coloured(mapper, column))
        if isinstance(said, Value):
            said = said.value
        if isinstance(said, str) and said in self._data:
            return list(self._data[said])
        return [said] * self.size

    def alphas(self, name: str) -> list[Any]:
        """Colours of this part, such as "line", with their opacity; "none" where nothing is drawn."""
        colours, alphas = self.rows(f"{name}_color"), self.rows(f"{name}_alpha")
        return ["none" if c is None or a == 0 else _rgba(c, a) for c, a in zip(colours, alphas, strict=True)]

    def widths(self) -> list[float]:
        """Line widths in points."""
        return [POINTS * width for width in self.rows("line_width")]

    def dashes(self) -> list[str | tuple[float, tuple[float, ...]]]:
        """Line styles of matplotlib, in points."""
        pairs = zip(self.rows("line_dash"), self.rows("line_dash_offset"), strict=True)
        return [dashes(pattern, offset) for pattern, offset in pairs]

    def mapper(self) -> Any:
        """The colour mapper of an image; None if there is none."""
        return getattr(self._glyph, "color_mapper", None)


def dashes(pattern: Any, offset: float = 0) -> str | tuple[float, tuple[float, ...]]:
    """A line style of matplotlib, in points, from a name, a text such as "12 5" or a list of pixels."""
    if isinstance(pattern, str):
        pattern = DASHES[pattern] if pattern in DASHES else [float(each) for each in pattern.split()]
    lengths = [POINTS * each for each in pattern] * (2 if len(pattern) % 2 else 1)
    return (POINTS * (offset or 0), tuple(lengths)) if lengths else "-"


def scale(mapper: Any) -> tuple[Any, Any]:
    """matplotlib's norm and colour map for bokeh's colour mapper."""
    from matplotlib.colors import ListedColormap, LogNorm, Normalize

    norm = LogNorm if isinstance(mapper, LogColorMapper) else Normalize
    return norm(mapper.low, mapper.high, clip=True), ListedColormap(list(mapper.palette))


def coloured(mapper: Any, values: Any) -> np.ndarray:
    """The colours (k, 4) that a bokeh mapper gives to k values."""
    norm, colours = scale(mapper)
    return colours(norm(np.asarray(values, dtype=float)))


def _rgba(colour: Any, alpha: float | None) -> tuple[float, ...]:
    from matplotlib.colors import to_rgba

    return to_rgba(colour, alpha)
