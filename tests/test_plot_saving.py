"""Pictures as files: what stands in the figure stands in the file."""

import inspect
import re
import runpy
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from bokeh.plotting import figure
from PIL import Image
from problems import problem

import cdlab
from cdlab import plots
from cdlab.plots import cost_model, looks, moved, probabilities, ratio_map, saving, sparsity

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def P():
    return problem()


@pytest.fixture(scope="module")
def race(P):
    return cdlab.race(P, ["sdca", "rcd"], seeds=range(3), max_passes=10)


def moved_bounds():
    plot = moved.MovedPlot(["sdca", "rcd"], [looks.look("dual"), looks.look("primal")])
    xs = np.geomspace(1, 100, 20)
    plot.show(xs, np.array([xs, 10 * np.sqrt(xs)]), 5.0, "condition number", [(100.0, 100.0, True)])
    return plot.figure


PICTURES = {
    "race": lambda P, race: plots.race(race, tolerance=1e-3),
    "structure": lambda P, race: plots.structure(P),
    "max_norms": lambda P, race: plots.max_norms(cdlab.faceoff(P)),
    "theorem3": lambda P, race: plots.theorem3(cdlab.faceoff(P)),
    "worst_ratio": lambda P, race: plots.worst_ratio(5, [5, 9]),
    "cost_model": lambda P, race: cost_model.cost_model(cdlab.faceoff(P), 5.0),
    "moved": lambda P, race: moved_bounds(),
    "probabilities": lambda P, race: probabilities.probabilities(
        {"uniform": np.full(8, 1 / 8), "linear": np.arange(1, 9) / 36}, np.arange(1.0, 9), "features"
    ),
    "ratio_map": lambda P, race: ratio_map.ratio_map(cdlab.faceoff(P)),
    "sparsity": lambda P, race: sparsity.sparsity(P.X),
    "panels": lambda P, race: plots.panels([plots.Panel([plots.Curve("a", "dual", [([1, 2], [2, 1])])])]),
}
BEGINS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


def test_all_public_pictures_are_here():
    returned = {name: getattr(getattr(plots, name), "__annotations__", {}).get("return") for name in plots.__all__}
    assert {name for name, kind in returned.items() if kind in ("figure", "GridPlot", "holoviews.Layout")} <= set(
        PICTURES
    )


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_can_be_saved(name, P, race, tmp_path):
    path = tmp_path / f"{name}.svg"
    plots.save(PICTURES[name](P, race), path)
    assert path.read_bytes().startswith(BEGINS[".svg"])


@pytest.mark.parametrize("ending", saving.FORMATS)
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


def test_with_few_colours_a_png_is_the_same_picture_in_fewer_bytes(race, tmp_path):
    for name, colours in (("all", None), ("few", 64)):
        plots.save(plots.race(race), [tmp_path / f"{name}.png", tmp_path / f"{name}.svg"], colours=colours)
    whole, few = (Image.open(tmp_path / f"{name}.png") for name in ("all", "few"))
    assert few.mode == "P"
    assert len(few.getcolors()) <= 64
    assert np.abs(np.asarray(whole.convert("RGB"), int) - np.asarray(few.convert("RGB"), int)).mean() < 1
    assert (tmp_path / "few.png").stat().st_size < 0.6 * (tmp_path / "all.png").stat().st_size
    assert (tmp_path / "few.svg").read_bytes() == (tmp_path / "all.svg").read_bytes()


def test_the_layout_of_a_saved_picture_is_that_of_a_drawn_figure(race, tmp_path):
    """`save` looks for the layout once and skips matplotlib's own trial drawings."""
    plots.save(plots.race(race), tmp_path / "race.png")
    with matplotlib.rc_context(saving.STYLE):
        figure = saving._drawn(saving._places(plots.race(race)), 900)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        figure.savefig(tmp_path / "drawn.png", dpi=192)
    assert (tmp_path / "drawn.png").read_bytes() == (tmp_path / "race.png").read_bytes()


# ---------------------------------------------------------------- what is drawn
def drawn(picture):
    return saving._drawn(saving._places(picture), 900)


def test_a_race_is_drawn_whole(race):
    """Its curves point by point, a band over the seeds, axes with names, logarithmic where the errors are."""
    figure = plots.race(race)
    (curves,) = (r.data_source.data for r in figure.renderers if "dash" in r.data_source.data)
    (axes,) = drawn(figure).axes
    lines = [line for line in axes.lines if line.get_marker() == "None"]
    for line, xs, ys, colour in zip(lines, curves["xs"], curves["ys"], curves["colour"], strict=True):
        np.testing.assert_array_equal(line.get_xdata(), xs)
        np.testing.assert_array_equal(line.get_ydata(), ys)
        assert np.allclose(line.get_color()[:3], [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    assert len(axes.patches) == 2  # the bands of two methods
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
    assert axes.get_xlabel() == "passes over the data (visits / nnz)"
    assert axes.get_ylabel() == "relative duality gap"
    assert np.allclose(axes.get_ylim(), (figure.y_range.start, figure.y_range.end))


def test_curves_differ_without_their_colours(P):
    """The sides by their markers, methods of one side by dashes too, and the legend shows both."""
    entries = ["sdca", "rcd", "quartz"]
    whole = drawn(plots.race(cdlab.race(P, entries, max_passes=3)))
    (legend,) = whole.legends
    assert [text.get_text() for text in legend.texts] == [f"{name}, uniform" for name in entries]
    sdca, rcd, quartz = legend.legend_handles
    assert len({handle.get_marker() for handle in (sdca, rcd, quartz)}) == 3
    assert (sdca.get_linestyle(), quartz.get_linestyle()) == ("-", "--")


def test_a_race_and_its_traces_are_the_same_picture(race):
    whole, parts = (plots.race(each) for each in (race, race.traces))
    for one, other in zip(whole.renderers, parts.renderers, strict=True):
        for name, column in one.data_source.data.items():
            for a, b in zip(column, other.data_source.data[name], strict=True):
                np.testing.assert_array_equal(a, b)


def test_layouts_keep_their_places(P):
    assert [axes.get_xlabel() for axes in drawn(plots.structure(P)).axes] == [
        "nonzeros of a row", "squared norm of a row", "nonzeros of a column", "squared norm of a column",
    ]  # fmt: skip


def test_categories_and_reversed_axes_are_those_of_the_figure(P):
    (axes,) = drawn(plots.max_norms(cdlab.faceoff(P))).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == plots.max_norms(cdlab.faceoff(P)).y_range.factors
    axes = drawn(sparsity.sparsity(P.X)).axes[0]
    assert axes.get_ylim() == (P.n, 0)


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


def test_marks_that_no_picture_here_has_are_refused_by_name(tmp_path):
    other = figure()
    other.wedge(x=0, y=0, radius=1, start_angle=0, end_angle=1)
    with pytest.raises(ValueError, match="marks of the kind Wedge cannot be saved"):
        plots.save(other, tmp_path / "wedge.svg")


def test_without_matplotlib_a_sentence_says_what_to_install(race, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'needs matplotlib: pip install "cdlab\[pictures\]"'):
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


def test_importing_plots_imports_no_matplotlib():
    assert not any("matplotlib" in line for line in inspect.getsource(saving).splitlines() if line.startswith("import"))
