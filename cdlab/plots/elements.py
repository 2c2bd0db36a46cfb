"""Curves, bands, markers, levels and axes as HoloViews elements, in one style for both of its backends.

bokeh draws them in notebooks and on pages, matplotlib in files. Lengths are in pixels of a page.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..numerics.checks import short_repr
from .lines import points_to_mark
from .style import BOUND_DASH, BOUND_SHIFT, LineStyle

INCHES = 1 / 96  # Inches of a pixel.
POINTS = 72 / 96
WIDTH, HEIGHT = 900, 360
GREY = "#767676"  # Colour of lines that are no curves.
FONT_SIZES = {"title": 13, "labels": 14, "xticks": 12, "yticks": 12, "legend": 13, "clabel": 13, "cticks": 12}
MARKER_SIZE = 8
LEVEL_DASH, DASHED = (2, 4, 6, 4), (6, 6)
BAND_ALPHA = 0.18
# matplotlib's names of bokeh's markers; (points, 1, angle) are stars
MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "d",
    "inverted_triangle": "v",
    "hex": "h",
    "star": "*",
    "square_pin": (4, 1, 45),
    "triangle_pin": (3, 1, 0),
    "plus": "P",
    "x": "x",
}
LEGEND_ROW, LEGEND_GLYPH, LEGEND_MARGIN = 25, 34, 26
LETTER = 7.5  # Pixels of a letter: a little more than the mean of a legend's text.
LAYERS = ("areas", "levels", "bands", "bounds", "curves", "markers")  # The last is on top.
# HoloViews numbers the options of all elements; two threads could give one number to two of them
HOLOVIEWS_LOCK = threading.RLock()

Range = tuple[float | None, float | None]
Tips = Sequence[tuple[str, str]]  # Names and values under the pointer.


@cache
def load_holoviews() -> Any:
    """HoloViews with the backends that are installed; in a notebook it displays with bokeh unless told otherwise."""
    import holoviews as hv

    if not hv.Store.renderers:
        hv.extension("bokeh", logo=False)
    chosen = hv.Store.current_backend
    import holoviews.plotting.bokeh

    if importlib.util.find_spec("matplotlib") is not None:
        import holoviews.plotting.mpl
    hv.Store.set_current_backend(chosen)
    return hv


def with_options(element: Any, bokeh: dict[str, Any], matplotlib: dict[str, Any]) -> Any:
    """An element with the options of each backend."""
    renderers = load_holoviews().Store.renderers
    with HOLOVIEWS_LOCK:
        for backend, options in (("bokeh", bokeh), ("matplotlib", matplotlib)):
            if backend in renderers:
                element = element.opts(**options, backend=backend)
    return element


class Axes:
    """Axes to which curves, bands, markers and levels are added, each kind in a layer of its own.

    Parameters
    ----------
    x_label, y_label, title : str
    x_log, y_log : bool, default False
    name : str, optional
        Of these axes. HoloViews links axes of one label and name, where several pictures are shown together.
    """

    def __init__(
        self, x_label: str, y_label: str, title: str = "", *, x_log: bool = False, y_log: bool = False, name: str = ""
    ):
        hv = load_holoviews()
        self._hv = hv
        self._x, self._y = (hv.Dimension((f"{label or axis}{name}", label or axis)) for axis, label in
                            (("x", x_label), ("y", y_label)))  # fmt: skip
        self._options = {"xlabel": x_label, "ylabel": y_label, "title": title, "logx": x_log, "logy": y_log}
        self._layers: dict[str, list[Any]] = {layer: [] for layer in LAYERS}

    def _add(self, layer: str, element: Any, bokeh: dict[str, Any], matplotlib: dict[str, Any]) -> None:
        self._layers[layer].append(with_options(element, bokeh, matplotlib))

    def curve(self, x: Any, y: Any, look: LineStyle, label: str = "", tips: Tips = ()) -> None:
        """Add a line; with a label it stands in the legend."""
        hover = {"tools": ["hover"], "hover_tooltips": list(tips)} if tips else {}
        self._add(
            "curves",
            self._hv.Curve((np.asarray(x), np.asarray(y)), self._x, self._y, label=label),
            {"color": look.light, "line_dash": list(look.dash), "line_width": look.width} | hover,
            {"color": look.light, "linestyle": linestyle(look.dash), "linewidth": POINTS * look.width},
        )

    def marked_curve(self, x: np.ndarray, y: np.ndarray, look: LineStyle, label: str, tips: Tips = ()) -> None:
        """Add a line with a few markers, which stands in the legend."""
        at = points_to_mark(np.log(x) if self._options["logx"] else x)
        self.curve(x, y, look, label, tips)
        self.markers(x[at], y[at], look, label)

    def markers(self, x: Any, y: Any, look: LineStyle, label: str = "", size: float = MARKER_SIZE) -> None:
        """Add markers; they stand in the legend with the curve of the same label."""
        cross = look.marker == "x"
        edge, width = (look.light, 2) if cross else ("white", 1)
        self._add(
            "markers",
            self._hv.Scatter((np.asarray(x), np.asarray(y)), self._x, self._y, label=label),
            {"marker": look.marker, "size": size, "fill_color": look.light, "line_color": edge, "line_width": width},
            {"marker": MARKERS[look.marker], "s": (POINTS * size) ** 2, "color": look.light,
             "linewidth": POINTS * width} | {"edgecolors": None if cross else edge},
        )  # fmt: skip

    def outlines(self, x: Any, y: Any, look: LineStyle, label: str = "", size: float = MARKER_SIZE) -> None:
        """Add markers of which only the outline is drawn."""
        self._add(
            "markers",
            self._hv.Scatter((np.asarray(x), np.asarray(y)), self._x, self._y, label=label),
            {"marker": look.marker, "size": size, "fill_alpha": 0, "line_color": look.light, "line_width": 2.5},
            {"marker": MARKERS[look.marker], "s": (POINTS * size) ** 2, "facecolors": "none", "edgecolors": look.light,
             "linewidth": POINTS * 2.5},
        )  # fmt: skip

    def band(self, x: Any, low: Any, high: Any, look: LineStyle) -> None:
        """Add the area between two lines."""
        self._add(
            "bands",
            self._hv.Area((np.asarray(x), np.asarray(low), np.asarray(high)), self._x, [self._y, "high"]),
            {"color": look.light, "fill_alpha": BAND_ALPHA, "line_alpha": 0, "show_legend": False},
            {"color": look.light, "facecolor": look.light, "alpha": BAND_ALPHA, "linewidth": 0, "show_legend": False},
        )

    def bound(self, x: Any, y: Any, look: LineStyle, tips: Tips = ()) -> None:
        """Add the thin dashed line of a theorem; of two equal ones, one shows in the gaps of the other."""
        hover = {"tools": ["hover"], "hover_tooltips": list(tips)} if tips else {}
        if not any(each.group == "Bound" for each in self._layers["bounds"]):
            self._bound_in_legend()
        offset = BOUND_SHIFT * (len(self._layers["bounds"]) % 3)
        self._add(
            "bounds",
            self._hv.Curve((np.asarray(x), np.asarray(y)), self._x, self._y, group="Bound"),
            {"color": look.light, "line_width": 1.2, "line_dash": list(BOUND_DASH), "line_dash_offset": offset} | hover,
            {"color": look.light, "linewidth": POINTS * 1.2, "linestyle": linestyle(BOUND_DASH, offset)},
        )

    def _bound_in_legend(self) -> None:
        """Add an empty line that says what thin dashed ones are."""
        self._add(
            "curves",
            self._hv.Curve([], self._x, self._y, group="Key", label="bound, in its curve's colour"),
            {"color": GREY, "line_width": 1.2, "line_dash": list(BOUND_DASH)},
            {"color": GREY, "linewidth": POINTS * 1.2, "linestyle": linestyle(BOUND_DASH)},
        )

    def floor(self, x: np.ndarray, y: np.ndarray, words: str) -> None:
        """Add the grey dashed line of a floor, with what it says at its left end."""
        self._add(
            "bounds",
            self._hv.Curve((x, y), self._x, self._y, group="Floor"),
            {"color": GREY, "line_width": 1.2, "line_dash": list(DASHED), "tools": ["hover"],
             "hover_tooltips": [("floor", words)]},
            {"color": GREY, "linewidth": POINTS * 1.2, "linestyle": linestyle(DASHED)},
        )  # fmt: skip
        self.text(float(x[0]), float(y[0]), words, "left")

    def level(self, at: float, *, upright: bool = False, dash: Sequence[int] = LEVEL_DASH) -> None:
        """Add a grey line across, or an upright one."""
        self._add(
            "levels",
            self._hv.VLine(at) if upright else self._hv.HLine(at),
            {"color": GREY, "line_dash": list(dash), "line_width": 1},
            {"color": GREY, "linestyle": linestyle(dash), "linewidth": POINTS},
        )

    def text(self, x: float, y: float, words: str, align: str) -> None:
        """Add words that begin ("left") or end ("right") at a place."""
        size = FONT_SIZES["labels"]
        element = self._hv.Text(x, y, words, halign=align, valign="center")
        self._add("markers", element, {"text_font_size": f"{size}px"}, {"fontsize": POINTS * size})

    def rectangle(self, left: float, right: float, bottom: float, top: float, colour: str) -> None:
        """Add a filled rectangle."""
        element = self._hv.Rectangles([(left, bottom, right, top)], [self._x, self._y, "right", "top"])
        self._add("areas", element, {"fill_color": colour, "line_alpha": 0}, {"facecolor": colour, "linewidth": 0})

    def cells(
        self, edges: tuple[np.ndarray, np.ndarray], values: np.ndarray, name: str, colours: Sequence[str], limits: Range
    ) -> None:
        """Add a map: values[i, j] lies between the i-th edges upwards and the j-th to the right, of edges (right, up).

        Their colours are on a logarithmic scale between the limits, with a bar beside the map.
        """
        right, up = edges
        left, low = np.tile(right[:-1], up.size - 1), np.repeat(up[:-1], right.size - 1)
        columns = (left, low, np.tile(right[1:], up.size - 1), np.repeat(up[1:], right.size - 1))
        element = self._hv.Rectangles((*columns, values.ravel()), [self._x, self._y, "right", "top"], name)
        both = self._coloured(name, colours, limits) | {"colorbar": True}
        # lines of the same colour, that there are no seams
        self._add("areas", element, both | {"line_color": name, "colorbar_opts": {"width": 12}},
                  both | {"edgecolor": "face", "linewidth": 0.3})  # fmt: skip

    def diamond(self, x: float, y: float, value: float, name: str, colours: Sequence[str], limits: Range) -> None:
        """Add a diamond on a map of `cells`, in the colour of its own value."""
        both = self._coloured(name, colours, limits)
        element = self._hv.Points(([x], [y], [value]), [self._x, self._y], name)
        self._add("markers", element, both | {"marker": "diamond", "size": 18, "line_color": "black", "line_width": 2},
                  both | {"marker": "D", "s": (POINTS * 14) ** 2, "edgecolors": "black", "linewidth": 1.5})  # fmt: skip

    def _coloured(self, name: str, colours: Sequence[str], limits: Range) -> dict[str, Any]:
        return {"color": name, "cmap": list(colours), "clim": limits, "cnorm": "log", "clabel": name}

    def _has_positive(self, dimension: Any) -> bool:
        """Tell whether anything that was added has a number > 0 there: without one no axis can be logarithmic."""
        elements = [each for layer in self._layers.values() for each in layer if dimension in each.dimensions()]
        return any((np.asarray(each.dimension_values(dimension), float) > 0).any() for each in elements)

    def overlay(
        self, *, x_range: Range = (None, None), y_range: Range = (None, None), height: int = HEIGHT, **more: Any
    ) -> Any:
        """All of it as an overlay, with a legend of the labels beneath.

        Parameters
        ----------
        x_range, y_range : (low, high)
            None where the data decide.
        height : int, default 360
            In pixels, without the legend; the width is the page's.
        **more
            Options that both backends know, such as xticks.
        """
        parts = [part for layer in LAYERS for part in self._layers[layer]]
        if not parts:  # HoloViews draws no axes without an element
            parts = [self._hv.Curve([], self._x, self._y)]
        labels = list(dict.fromkeys(part.label for part in parts if part.label))
        columns = legend_columns(labels)
        rows = -(-len(labels) // columns) if labels else 0
        options = self._options | {
            "logx": self._options["logx"] and self._has_positive(self._x),
            "logy": self._options["logy"] and self._has_positive(self._y),
        }
        both = options | {
            "xlim": x_range, "ylim": y_range, "padding": 0.05, "show_grid": True, "show_legend": bool(labels),
            "legend_position": "bottom", "legend_limit": len(parts), **more,
        }  # fmt: skip
        legend = {"glyph_width": LEGEND_GLYPH, "glyph_height": 16, "border_line_color": None, "spacing": 9,
                  "background_fill_alpha": 0}  # fmt: skip
        return with_options(
            self._hv.Overlay(parts),
            both | bokeh_frame(height + LEGEND_ROW * rows) | {"legend_cols": columns, "legend_opts": legend},
            both | matplotlib_frame(height),
        )


def check_kind(data: Any, kind: type, words: str) -> None:
    """Refuse data of a picture that are not of this kind, which `words` name.

    Raises
    ------
    TypeError
        See above.
    """
    for each in data if isinstance(data, Iterable) else [data]:
        if not isinstance(each, kind):
            raise TypeError(f"this picture is of {words}, not of {short_repr(each)}")


class RowRange(NamedTuple):
    """A row of `row_ranges`: a bar, a full circle on it, and perhaps the outline of a square."""

    label: str
    low: float
    high: float
    circle: float
    square: float  # NaN where there is none
    look: LineStyle
    square_look: LineStyle


def row_ranges(
    rows: Sequence[RowRange], x_label: str, labels: tuple[str, str], square_size: float, row_height: int
) -> Any:
    """Bars over a logarithmic axis, the first row at the top, with the labels of circles and squares in the legend."""
    axes = Axes(x_label, "", x_log=True)
    for k, row in enumerate(reversed(rows)):
        axes.curve([row.low, row.high], [k, k], row.look._replace(width=3))
        axes.markers([row.circle], [k], row.look._replace(marker="circle"), labels[0], size=11)
        if np.isfinite(row.square):
            axes.outlines([row.square], [k], row.square_look._replace(marker="square"), labels[1], size=square_size)
    numbers = np.array([row[1:5] for row in rows])
    numbers = numbers[np.isfinite(numbers) & (numbers > 0)]
    margin = max(numbers.max() / numbers.min(), 1.5) ** 0.1
    return axes.overlay(
        x_range=(numbers.min() / margin, numbers.max() * margin), y_range=(-0.5, len(rows) - 0.5),
        height=90 + row_height * len(rows), yticks=[(k, row.label) for k, row in enumerate(reversed(rows))],
    )  # fmt: skip


def histogram(
    edges: Any, counts: Any, colour: str, x_label: str, y_label: str, title: str, only: float | None = None
) -> Any:
    """Bars between edges on a logarithmic axis; its one tick is `only`, if all values are that."""
    both = {"logx": True, "title": title, "axiswise": True}
    if only is not None:
        both |= {"xlim": (only / 4, only * 4), "xticks": [(only, f"all are {only:.4g}")]}
    return with_options(
        load_holoviews().Histogram((edges, counts), kdims=[x_label], vdims=[y_label]),
        both | bokeh_frame(220) | {"color": colour, "line_color": "white", "toolbar": None},
        both | matplotlib_frame(220) | {"facecolor": colour, "edgecolor": "white"},
    )


def layout(pictures: Sequence[Any], columns: int) -> Any:
    """Pictures in rows of so many."""
    return load_holoviews().Layout(list(pictures)).cols(columns)


def linestyle(dash: Sequence[float], offset: float = 0.0) -> Any:
    """A dash as matplotlib takes it."""
    return (POINTS * offset, tuple(POINTS * each for each in dash)) if dash else "-"


def legend_columns(labels: Sequence[str], width: float = WIDTH) -> int:
    """Return the number of columns of a legend that there is room for."""
    column = LEGEND_GLYPH + LEGEND_MARGIN + LETTER * max(map(len, labels), default=1)
    return max(1, min(len(labels), int(width / column)))


def bokeh_frame(height: int) -> dict[str, Any]:
    """Options of bokeh's figures: as wide as the page."""
    return {
        "responsive": True, "height": height, "fontsize": {name: f"{size}px" for name, size in FONT_SIZES.items()},
        "toolbar": "above",
        "backend_opts": {"plot.toolbar.logo": None, "plot.xaxis.axis_label_text_font_style": "normal",
                         "plot.yaxis.axis_label_text_font_style": "normal"},
    }  # fmt: skip


def matplotlib_frame(height: int) -> dict[str, Any]:
    """Options of matplotlib's axes: their height is that of the page."""
    return {
        "aspect": "auto", "fig_inches": (WIDTH * INCHES, height * INCHES), "show_frame": True,
        "fontsize": {name: POINTS * size for name, size in FONT_SIZES.items()},
    }  # fmt: skip
