"""Pictures as files, for papers and slides: bokeh figures drawn by matplotlib, without a browser.

Bokeh draws in a browser, and needs one with a driver to write a file, which neither a package index nor a cluster
provides. So this reads the few kinds of marks that the pictures here are made of, and draws them again.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.models import GridPlot, Plot

from ...numerics import checks, files
from ..structure import drawn

FORMATS = (".svg", ".png", ".pdf")
STYLE: dict[Any, Any] = {"svg.hashsalt": "cdlab", "font.size": 9.75, "axes.axisbelow": True, "axes.titlesize": "medium"}
UNDATED: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}  # same picture, same bytes
MOST = 256  # colours of a PNG with a palette
COLOURS = f"a whole number from 2 to {MOST}"
DOTS = 192  # an inch, of a PNG


def save(
    picture: Any, path: str | Path | Sequence[str | Path], *, width: int = 900, colours: int | None = None
) -> None:
    """Write a picture of `cdlab.plots` as SVG, PNG or PDF; needs matplotlib, which ``cdlab[pictures]`` installs.

    Parameters
    ----------
    picture : bokeh figure or HoloViews object
        Such as ``plots.race(...)``.
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
        If `picture` is neither.
    ValueError
        For another ending, another number of colours, or a mark that cannot be drawn here.
    OSError
        If the file cannot be written.
    """
    paths = [Path(each) for each in ([path] if isinstance(path, str | Path) else path)]
    for each in paths:
        if each.suffix.lower() not in FORMATS:
            raise ValueError(f"a picture is saved as one of {', '.join(FORMATS)}; {each.name!r} ends in none of them")
    if colours is not None and checks.integer("colours", colours, COLOURS, low=2) > MOST:
        raise ValueError(f"colours must be {COLOURS}, not {colours}")
    places = _places(picture)
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise ImportError('saving a picture needs matplotlib: pip install "cdlab[pictures]"') from None
    with matplotlib.rc_context(STYLE):
        figure = _drawn(places, width)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")  # it is found once, also for several files
        for each in paths:
            with files.atomic_write(each) as file:
                file.write(_encoded(figure, each.suffix.lower(), colours))


def _encoded(figure: Any, kind: str, colours: int | None) -> bytes:
    """The figure as a file. ``Figure.savefig`` would draw it once more, to look for a layout that is there."""
    file = io.BytesIO()
    figure.set_dpi(DOTS)
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

            few = (
                Image.fromarray(np.asarray(canvas.buffer_rgba()))
                .convert("RGB")
                .quantize(colours, dither=Image.Dither.NONE)
            )
            few.save(file, "png", optimize=True)
    return file.getvalue()


def _places(picture: Any) -> list[tuple[Plot, int, int]]:
    """The plots of a picture, with their rows and columns."""
    if type(picture).__module__.partition(".")[0] == "holoviews":
        picture = drawn(picture)
    if isinstance(picture, GridPlot):
        return [(plot, row, column) for plot, row, column, *_ in picture.children]
    if isinstance(picture, Plot):
        return [(picture, 0, 0)]
    raise TypeError(f"save takes a picture made by cdlab.plots, not {type(picture).__name__}")


def _drawn(places: list[tuple[Plot, int, int]], width: int) -> Any:
    """All plots in one matplotlib figure."""
    from matplotlib.figure import Figure

    from .axes import draw

    rows, columns = (1 + max(place[k] for place in places) for k in (1, 2))
    height = sum(max(plot.height or 300 for plot, at, _ in places if at == row) for row in range(rows))
    whole = Figure(figsize=(width / 96, height / 96), layout="constrained")
    grid: Any = whole.subplots(rows, columns, squeeze=False)
    for plot, row, column in places:
        draw(plot, grid[row, column])
    for row, column in np.ndindex(rows, columns):
        if (row, column) not in [tuple(at) for _, *at in places]:  # the last row need not be full
            grid[row, column].remove()
    return whole
