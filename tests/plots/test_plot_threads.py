"""Pictures made and drawn in several threads at once, as pages do, have their own options."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from plotted import elements, options

from cdlab.dashboard.drawers.part import bokeh_figure
from cdlab.plots.elements import Axes
from cdlab.plots.style import look


def drawn(k: int) -> tuple[str, str, str]:
    """The k-th colour, that of the element, and that of bokeh's glyph."""
    colour = f"#{k:06x}"
    axes = Axes("x", "y")
    for _ in range(5):
        axes.curve([0, 1], [k, k], look("")._replace(light=colour))
    picture = axes.overlay()
    glyph = bokeh_figure(picture).renderers[-1].glyph
    return colour, options(elements(picture, "Curve")[-1])["color"], glyph.line_color


@pytest.mark.full
def test_no_thread_gets_the_options_of_another():
    with ThreadPoolExecutor(8) as pool:
        for colours in pool.map(drawn, range(24)):
            assert len(set(colours)) == 1
