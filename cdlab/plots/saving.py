"""Pictures as SVG, PNG and PDF by matplotlib, without a browser; the same picture gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics import checks, files
from . import elements
from .elements import FONT_SIZES, INCHES, LEGEND_ROW, POINTS, WIDTH

FORMATS = (".svg", ".png", ".pdf")
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "cdlab",
    "axes.axisbelow": True,
    "grid.color": "#e5e5e5",
    "grid.linewidth": 0.75,
}
LEGEND: Any = {
    "loc": "outside lower center",
    "fontsize": POINTS * FONT_SIZES["legend"],
    "handlelength": 2.8,
    "columnspacing": 1.2,
    "frameon": False,
}
LEGEND_SHARE = 0.92  # Share of the width for the legend: matplotlib's letters are wider than a browser's.
UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
MAX_COLOURS = 256  # Colours of a PNG with a palette, at most.
COLOURS = f"a whole number from 2 to {MAX_COLOURS}"
DOTS_PER_INCH = 192  # Resolution of a PNG.


def save(
    picture: Any, path: str | Path | Sequence[str | Path], *, width: int = WIDTH, colours: int | None = None
) -> None:
    """Write a picture of `cdlab.plots` as SVG, PNG or PDF; needs matplotlib, which ``cdlab[pictures]`` installs.

    Parameters
    ----------
    picture : HoloViews object
        Such as ``plots.race(...)``, or several of them as ``plots.race(...) + plots.structure(...)``.
    path : str or Path, or several
        Ends in .svg, .png or .pdf; an existing file is replaced.
    width : int, default 900
        In pixels; the height is the picture's own. A PNG has two dots for each pixel.
    colours : int, optional
        Of a PNG at most, 2 to 256: enough for lines and bands, in a third of the bytes.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError
        If `picture` is no HoloViews object.
    ValueError
        For another ending, or another number of colours.
    OSError
        If the file cannot be written.
    """
    paths = [Path(each) for each in ([path] if isinstance(path, str | Path) else path)]
    for each in paths:
        if each.suffix.lower() not in FORMATS:
            raise ValueError(f"a picture is saved as one of {', '.join(FORMATS)}; {each.name!r} ends in none of them")
    if colours is not None and checks.integer("colours", colours, COLOURS, low=2) > MAX_COLOURS:
        raise ValueError(f"colours must be {COLOURS}, not {colours}")
    encoded = _encodings(picture, [each.suffix.lower() for each in paths], width, colours)
    for each, content in zip(paths, encoded, strict=True):
        with files.atomic_write(each) as file:
            file.write(content)


@dataclass(frozen=True)
class Svg:
    """A picture that notebooks display and store, and that pages made of them show without a script."""

    text: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.text


def svg(picture: Any, *, width: int = WIDTH) -> Svg:
    """A picture of `cdlab.plots` as SVG, at the end of a notebook's cell; needs matplotlib, as `save` does.

    Parameters
    ----------
    picture : HoloViews object
        As for `save`.
    width : int, default 900
        In pixels; the height is the picture's own.

    Returns
    -------
    Svg
        Its `text` is that of the file that `save` writes.

    Raises
    ------
    ImportError, TypeError
        As `save`.

    Examples
    --------
    >>> import cdlab
    >>> svg(cdlab.plots.structure(cdlab.Problem(*cdlab.datasets.make(n=20, d=5, seed=0)))).text[:5]
    '<?xml'
    """
    return Svg(_encodings(picture, [".svg"], width, None)[0].decode())


def _encodings(picture: Any, kinds: Sequence[str], width: int, colours: int | None) -> list[bytes]:
    """The picture as a file of each kind."""
    hv = elements.load_holoviews()
    if not isinstance(picture, hv.core.Dimensioned):
        raise TypeError(f"this takes a picture made by cdlab.plots, not {type(picture).__name__}")
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise ImportError("a picture in a file needs matplotlib: pip install matplotlib") from None
    with elements.HOLOVIEWS_LOCK, matplotlib.rc_context(STYLE):
        figure = _figure(picture, width)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")  # it is found once, also for several files
        return [_encoded(figure, kind, colours) for kind in kinds]


def _encoded(figure: Any, kind: str, colours: int | None) -> bytes:
    """The figure as a file. ``Figure.savefig`` would draw it once more, to look for a layout that is there."""
    file = io.BytesIO()
    figure.set_dpi(DOTS_PER_INCH)
    if kind == ".svg":
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        FigureCanvasSVG(figure).print_svg(file, metadata=UNDATED[kind])
    elif kind == ".pdf":
        from matplotlib.backends.backend_pdf import FigureCanvasPdf

        FigureCanvasPdf(figure).print_pdf(file, metadata=UNDATED[kind])
    else:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(figure)
        if colours is None:
            canvas.print_png(file)
        else:
            canvas.draw()
            from PIL import Image  # comes with matplotlib

            image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
            image.quantize(colours, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    return file.getvalue()


def _figure(picture: Any, width: float) -> Any:
    """All panels in one matplotlib figure, with one legend beneath."""
    from matplotlib.figure import Figure

    hv = elements.load_holoviews()
    renderer = hv.Store.renderers["matplotlib"]
    layout = isinstance(picture, hv.Layout)
    panels, shape = (picture.values(), picture.shape) if layout else ([picture], (1, 1))
    rows, columns = shape
    heights = [_height(panel) for panel in panels]
    height = sum(max(heights[row * columns : (row + 1) * columns], default=0) for row in range(rows))
    figure = Figure(layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    handles: dict[str, list[Any]] = {}
    for panel, axes in zip(panels, grid, strict=False):
        plot = renderer.plotting_class(panel)(panel, fig=figure, axis=axes, renderer=renderer, subplot=True)
        plot.initialize_plot()
        axes.grid(plot.show_grid)
        _place_colour_bar(plot, figure, axes)
        _tidy(axes)
        for label, artists in _legend_artists(plot).items():
            handles.setdefault(label, artists)
    for axes in grid[len(panels) :]:
        axes.remove()
    if handles:
        wanted = elements.legend_columns(list(handles), LEGEND_SHARE * width)
        height += LEGEND_ROW * -(-len(handles) // wanted)
        both: Any = [tuple(each) for each in handles.values()]
        figure.legend(both, list(handles), ncols=wanted, **LEGEND)
    figure.set_size_inches(width * INCHES, height * INCHES)
    return figure


def _height(panel: Any) -> float:
    """Return the height in pixels, as its options say."""
    hv = elements.load_holoviews()
    inches = hv.Store.lookup_options("matplotlib", panel, "plot").kwargs.get("fig_inches")
    return inches[1] / INCHES if isinstance(inches, tuple) else elements.HEIGHT


def _legend_artists(plot: Any) -> dict[str, list[Any]]:
    """By label what matplotlib drew of elements that stand in the legend: a line, and its markers."""
    found: dict[str, list[Any]] = {}
    if not plot.subplots or not plot.show_legend:
        return found
    for part in plot.subplots.values():
        if (
            part.current_frame is not None
            and part.current_frame.label
            and part.show_legend
            and "artist" in part.handles
        ):
            found.setdefault(part.current_frame.label, []).append(part.handles["artist"])
    return found


def _place_colour_bar(plot: Any, figure: Any, axes: Any) -> None:
    """Beside the axes, where the layout leaves room for it; HoloViews' own stands in a place of its own."""
    for part in (plot.subplots or {0: plot}).values():
        if (bar := part.handles.get("cbar")) is not None:
            label = bar.ax.get_ylabel()
            bar.remove()
            _tidy_ticks(figure.colorbar(part.handles["artist"], ax=axes, label=label).ax.yaxis)


def _tidy(axes: Any) -> None:
    """Remove HoloViews' own legend, and make ticks that can be read."""
    if (legend := axes.get_legend()) is not None:
        legend.remove()
    for axis in (axes.xaxis, axes.yaxis):
        _tidy_ticks(axis)


def _tidy_ticks(axis: Any) -> None:
    """Plain numbers on a logarithmic axis shorter than two powers of ten: matplotlib's labels run into each other."""
    from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    if axis.get_scale() != "log":
        return
    low, high = sorted(axis.get_view_interval())
    axis.set_minor_formatter(NullFormatter())
    own = isinstance(axis.get_major_locator(), FixedLocator)
    if not own and np.floor(np.log10(high)) - np.ceil(np.log10(low)) < 1:
        axis.set_major_locator(MaxNLocator(5) if high < 10 * low else LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
