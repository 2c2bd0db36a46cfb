"""Pictures as files: what stands in the figure stands in the file."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import holoviews as hv
import matplotlib
import numpy as np
import pytest
from cases import pushed
from IPython.core.formatters import DisplayFormatter
from PIL import Image
from plotted import curves, elements
from problems import problem

import cdlab
from cdlab import plots
from cdlab.dashboard.drawers.part import bokeh_figure
from cdlab.plots import data, faceoff, saving

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def P():
    return problem()


@pytest.fixture(scope="module")
def race(P):
    return cdlab.race(P, ["sdca", "rcd"], seeds=range(3), max_passes=10)


def quadratic():
    return cdlab.Problem([[1.0, 0.0], [1.0, 1.0]], [1.0, -1.0], loss="squared", l2=0.5)


PICTURES = {
    "race": lambda P, race: plots.race(race, tolerance=1e-3),
    "structure": lambda P, race: plots.structure(P),
    "max_norms": lambda P, race: plots.max_norms(cdlab.faceoff(P)),
    "theorem3": lambda P, race: plots.theorem3(cdlab.faceoff(P)),
    "worst_ratio": lambda P, race: plots.worst_ratio(5, [5, 9]),
    "cost_model": lambda P, race: faceoff.cost_model(cdlab.faceoff(P), 5.0),
    "probabilities": lambda P, race: data.probabilities(
        {"uniform": np.full(8, 1 / 8), "linear": np.arange(1, 9) / 36}, np.arange(1.0, 9), "features"
    ),
    "ratio_map": lambda P, race: faceoff.ratio_map(cdlab.faceoff(P)),
    "curves": lambda P, race: plots.curves({"a": ([1, 2], [2, 1])}),
    "panels": lambda P, race: plots.panels([plots.Panel([plots.Curve("a", "dual", [([1, 2], [2, 1])])])]),
    "expected_error": lambda P, race: plots.expected_error(cdlab.theory.exact_rate(quadratic(), "sdca"), 5),
    "orders": lambda P, race: plots.orders([cdlab.theory.exact_rate(quadratic(), "rcd")]),
    "permutation_gain": lambda P, race: plots.permutation_gain([2, 4], [0.1, 0.5]),
    "settled": lambda P, race: plots.settled(cdlab.certificates.settled_curve(P, "sdca", max_passes=10)),
    "attack": lambda P, race: plots.attack(cdlab.theory.attack(cdlab.theory.conjecture("J1"), 2, 2, evaluations=3)),
    "several": lambda P, race: plots.race(race) * hv.HLine(1e-3) + plots.theorem3(cdlab.faceoff(P)),
}


@pytest.mark.full
def test_a_notebook_stores_what_a_file_holds(P, tmp_path):
    picture = plots.structure(P)
    plots.save(picture, tmp_path / "picture.svg")
    displayed, _ = DisplayFormatter().format(plots.svg(picture))
    assert displayed["image/svg+xml"] == (tmp_path / "picture.svg").read_text()
    assert len(displayed["text/plain"]) < 20
    with pytest.raises(TypeError, match="picture"):
        plots.svg("no picture")


BEGINS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


def test_all_public_pictures_are_here():
    returned = {name: getattr(getattr(plots, name), "__annotations__", {}).get("return") for name in plots.__all__}
    made = {name for name, kind in returned.items() if str(kind).startswith("holoviews")}
    of_a_store = {"performance_profile", "runtime_distribution", "predicted_against_measured"}  # tests/sweeps
    assert made == {name for name in PICTURES if name in plots.__all__} | of_a_store


@pytest.mark.parametrize("name", pushed(PICTURES, "race", "several"))
def test_every_picture_can_be_saved(name, P, race, tmp_path):
    path = tmp_path / f"{name}.svg"
    plots.save(PICTURES[name](P, race), path)
    assert path.read_bytes().startswith(BEGINS[".svg"])


@pytest.mark.parametrize("ending", pushed(saving.FORMATS, ".svg"))
def test_in_every_format_the_same_picture_gives_the_same_bytes(ending, race, tmp_path):
    paths = [tmp_path / f"{k}{ending}" for k in range(2)]
    for path in paths:
        plots.save(plots.race(race), str(path))
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith(BEGINS[ending])


def test_the_width_is_in_pixels_with_two_dots_each(race, tmp_path):
    plots.save(plots.race(race), tmp_path / "race.png", width=500)
    width = int.from_bytes((tmp_path / "race.png").read_bytes()[16:20])
    assert width == 1000


@pytest.mark.full
def test_with_few_colours_a_png_is_the_same_picture_in_fewer_bytes(race, tmp_path):
    for name, colours in (("all", None), ("few", 64)):
        plots.save(plots.race(race), [tmp_path / f"{name}.png", tmp_path / f"{name}.svg"], colours=colours)
    whole, few = (Image.open(tmp_path / f"{name}.png") for name in ("all", "few"))
    assert few.mode == "P"
    assert len(few.getcolors()) <= 64
    assert np.abs(np.asarray(whole.convert("RGB"), int) - np.asarray(few.convert("RGB"), int)).mean() < 1
    assert (tmp_path / "few.png").stat().st_size < 0.6 * (tmp_path / "all.png").stat().st_size
    assert (tmp_path / "few.svg").read_bytes() == (tmp_path / "all.svg").read_bytes()


@pytest.mark.full
def test_the_layout_of_a_saved_picture_is_that_of_a_drawn_figure(race, tmp_path):
    """`save` looks for the layout once and skips matplotlib's own trial drawings."""
    plots.save(plots.race(race), tmp_path / "race.png")
    figure = drawn(plots.race(race))
    with matplotlib.rc_context(saving.STYLE):
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        figure.savefig(tmp_path / "drawn.png", dpi=192)
    assert (tmp_path / "drawn.png").read_bytes() == (tmp_path / "race.png").read_bytes()


# ---------------------------------------------------------------- what is drawn
def drawn(picture):
    """The picture as matplotlib's figure."""
    with matplotlib.rc_context(saving.STYLE):
        return saving._figure(picture, 900)


def test_a_race_is_drawn_whole(race):
    """Its curves point by point, bands over the seeds, axes with names, logarithmic where the errors are."""
    picture = plots.race(race)
    (axes,) = drawn(picture).axes
    for line, (xs, ys) in zip(axes.lines, curves(picture).values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), xs)
        np.testing.assert_array_equal(line.get_ydata(), ys)
    assert len(elements(picture, "Area")) == 2
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
    assert axes.get_xlabel() == "passes over the data (visits / nnz)"
    assert axes.get_ylabel() == "relative duality gap"


def test_one_legend_shows_colour_dash_and_marker_of_each_curve(P):
    entries = ["sdca", "rcd", "quartz"]
    picture = plots.race(cdlab.race(P, entries, seeds=[0, 1], max_passes=3))
    (legend,) = drawn(picture).legends
    assert [text.get_text() for text in legend.texts] == [f"{name}, uniform" for name in entries]
    assert [handle.get_linestyle() for handle in legend.legend_handles] == ["-", "-", "--"]
    marks = legend.findobj(matplotlib.collections.PathCollection)
    assert len({mark.get_paths()[0].vertices.tobytes() for mark in marks}) == 3
    (legend,) = drawn(picture + plots.race(cdlab.race(P, ["gd"], max_passes=3))).legends
    assert [text.get_text() for text in legend.texts][-1] == "gd"


@pytest.mark.full
def test_many_curves_stand_in_the_legend_too():
    """HoloViews leaves a legend out from 25 elements on."""
    seeds = [([1, 2], [2, 1]), ([1, 2], [3, 1])]
    many = plots.panels([plots.Panel([plots.Curve(f"method {k}", "dual", seeds) for k in range(20)])])
    (legend,) = drawn(many).legends
    assert len(legend.texts) == 20
    assert len(bokeh_figure(next(iter(many))).legend[0].items) == 20


def test_a_legend_is_no_wider_than_the_picture():
    names = [f"gamma = {gamma}" for gamma in (0, 0.01, 0.1, 0.5, 1, 2, 5)]
    figure = drawn(plots.panels([plots.Panel([plots.Curve(name, "", [([1, 2], [2, 1])]) for name in names])]))
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert 0 <= legend.get_window_extent().x0 < legend.get_window_extent().x1 <= figure.bbox.width


def test_layouts_keep_their_places(P):
    assert [axes.get_xlabel() for axes in drawn(plots.structure(P)).axes] == [
        "nonzeros of a row", "squared norm of a row", "nonzeros of a column", "squared norm of a column",
    ]  # fmt: skip


def test_an_unfinished_row_leaves_nothing():
    part = plots.Panel([plots.Curve("a", "", [([1, 2], [2, 1])])])
    assert len(drawn(plots.panels([part] * 5, columns=3)).axes) == 5


@pytest.mark.full
def test_ticks_with_names_are_kept_and_a_colour_bar_has_room(P):
    (axes,) = drawn(plots.max_norms(cdlab.faceoff(P))).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["dual", "primal"]
    axes, bar = drawn(faceoff.ratio_map(cdlab.faceoff(P))).axes
    assert bar.get_ylabel() == "C_P/C_D"
    assert not axes.get_position().overlaps(bar.get_position())


# ---------------------------------------------------------------- what is refused
def test_another_ending_is_refused_with_the_known_ones(race, tmp_path):
    with pytest.raises(ValueError, match=r"\.svg, \.png, \.pdf; 'race\.jpg' ends in none"):
        plots.save(plots.race(race), tmp_path / "race.jpg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("colours", [1, 257, 2.5, True])
def test_colours_that_no_png_has_are_refused(colours, race, tmp_path):
    with pytest.raises(ValueError, match=f"colours must be a whole number from 2 to 256, not {colours}"):
        plots.save(plots.race(race), tmp_path / "race.png", colours=colours)


def test_what_is_no_picture_is_refused(tmp_path):
    with pytest.raises(TypeError, match="a picture made by cdlab.plots, not dict"):
        plots.save({}, tmp_path / "race.svg")


def test_without_matplotlib_a_sentence_says_what_to_install(race, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"needs matplotlib: pip install matplotlib"):
        plots.save(plots.race(race), tmp_path / "race.svg")


def test_a_failed_save_leaves_the_file_that_was_there(race, tmp_path):
    with pytest.raises(OSError, match="No such file"):
        plots.save(plots.race(race), tmp_path / "nowhere" / "race.svg")


# ---------------------------------------------------------------- the README's picture
def test_the_picture_in_the_readme_is_the_one_that_its_script_draws(tmp_path):
    """Its curves; letters and numbers inside the file depend on matplotlib's version."""
    assert "](docs/race.svg)" in (ROOT / "README.md").read_text()
    made = tmp_path / "race.svg"
    plots.save(runpy.run_path(str(ROOT / "docs" / "race.py"))["picture"](), made)
    ends = [curve_ends(path.read_text()) for path in (made, ROOT / "docs" / "race.svg")]
    np.testing.assert_allclose(*ends, atol=10)  # of 720 points of width


def curve_ends(svg):
    """Where the thick lines of the drawing begin and end; those of the legend come later."""
    paths = re.findall(r'<path d="([^"]+)"[^>]*stroke-width: 1\.8', svg)
    assert len(paths) == 2 * 3
    numbers = [[float(x) for x in re.findall(r"-?\d+\.?\d*", path)] for path in paths[:3]]
    return np.array([[*each[:2], *each[-2:]] for each in numbers])


@pytest.mark.full
def test_nothing_draws_before_a_picture_is_asked_for():
    code = "import sys, cdlab.plots, papers; print({'holoviews', 'bokeh', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
