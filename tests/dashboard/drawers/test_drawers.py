"""What stands in the drawers: the numbers of theory, of the face-off and of the races, and a sentence where none is."""

import json
import re

import numpy as np
import panel as pn
import pytest
from cases import pushed
from small_choices import small

import cdlab
from cdlab.dashboard.drawers import bounds, code, faceoff, runs, sampling
from cdlab.dashboard.drawers.part import Subject, pane_of
from cdlab.dashboard.engine.catalog import SLIDERS
from cdlab.dashboard.engine.problems import prepared
from cdlab.dashboard.engine.racing import run_race
from cdlab.dashboard.engine.theorems import theorem
from cdlab.dashboard.session import PageSession
from cdlab.numerics.written_numbers import number
from cdlab.theory import best_sampling
from cdlab.theory.registry import theorems_of

SLIDER = {slider.name: slider for slider in SLIDERS}


def words_of(blocks) -> str:
    """The texts of blocks without their tags."""
    texts = [each if isinstance(each, str) else getattr(each, "object", "") for each in blocks]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", " ".join(map(str, texts))))


@pytest.fixture(scope="module")
def race():
    return run_race(small())


@pytest.fixture(scope="module")
def asked(race):
    return Subject(race.choices, (race,))


# ---------------------------------------------------------------- whatever is asked about
WORKS = {
    "theorems": bounds.theorems,
    "causes": bounds.causes,
    "what if l2": lambda asked: bounds.what_if(asked, "l2"),
    "what if batch": lambda asked: bounds.what_if(asked, "batch"),
    "crossings": bounds.crossings,
    "paper tables": bounds.paper_tables,
    "sums": faceoff.sums_and_work,
    "shapes": lambda asked: faceoff.shapes(asked, 0.01),
    "derivatives": lambda asked: faceoff.derivatives(asked, 100.0),
    "lines": faceoff.lines,
    "schemes": lambda asked: sampling.schemes(asked, "norm"),
    "best": sampling.best,
    "code": code.code,
}


HOSTILE = {
    "l1": {"l1": 0.01},
    "no regulariser": {"l2": 0.0},
    "kink": {"loss": "hinge"},
    "one entry": {"methods": ["sdca"], "seeds": 1},
    "no theorem": {"primal_sampling": "cyclic", "dual_sampling": "cyclic"},
    "classes": {"loss": "softmax", "methods": ["sdca"]},
    "intercept": {"intercept": True},
    "gradients": {"methods": ["agd", "saga"]},
    "batches": {"methods": ["quartz(8)", "sdca"]},
    "two by two": {"n": 2, "d": 2, "density": 1.0},
    "hardly begun": {"passes": 1},
    "another's file": {"data": "upload", "upload": "mine.csv:0123456789abcdef"},
}


@pytest.mark.usefixtures("without_loop")
@pytest.mark.parametrize("hostile", pushed(HOSTILE, "another's file"))
def test_every_drawer_shows_something_or_says_why(hostile):
    choices = small(**{"n": 30, "d": 10, "passes": 40} | HOSTILE[hostile])
    try:
        races = (run_race(choices),)
    except ValueError:
        races = ()
    asked = Subject(choices, races)
    for name, work in WORKS.items():
        try:
            blocks = work(asked)
        except ValueError as why:
            blocks = [str(why)]
        assert [pane_of(block) for block in blocks], name
        assert len(words_of(blocks).split()) > 4, name
    table = runs.Runs(PageSession(choices=choices, races=list(races), drawer="Runs"))
    for y in ("gap", "best_gap", "primal", "dual"):
        picture = table.draw(asked, "passes", y, True, range(len(table.rows)))
        assert len(picture) == (2 if races else 0)


# ---------------------------------------------------------------- Bounds
def test_bounds_have_the_values_of_the_theorems_and_the_measured_medians(asked, race):
    text = words_of(bounds.theorems(asked))
    for entry, result in zip(race.choices.contestants(), race.outcome.results, strict=True):
        value = theorem(race.about, entry, race.choices.target).value
        assert f"{number(value)} {number(result.reached)} {number(value / result.reached)}" in text


def test_the_picture_of_bounds_has_a_curve_and_a_bound_of_each_entry(asked, race):
    picture = next(each for each in bounds.theorems(asked) if not isinstance(each, str))
    result = race.outcome.results[0]
    curves = {curve.label: curve.dimension_values(0) for curve in picture.Curve if curve.label}
    assert set(curves) == {each.label for each in race.outcome.results}
    assert curves[result.label][-1] == result.reached
    assert len(picture.Bound) == 2


def test_all_theorems_are_listed_with_value_and_source_or_why_not():
    choices = small()
    entries = choices.contestants()
    text = words_of([bounds.all_theorems(prepared(choices), entries, 1e-4)])
    value = cdlab.theory.bound("sdca").for_problem(choices.problem(), 1e-4)
    assert f"sdca smooth {number(value)}" in text
    for entry in entries:
        for each in {b.theorem for b in theorems_of(entry.method.name) if b.counts}:
            assert f"{entry.label} {each} " in text


def test_a_moved_choice_gives_the_bounds_of_the_problem_with_that_choice():
    choices = small()
    for name in ("l2", "n", "tol"):
        xs, passes = bounds.bounds_along(choices, SLIDER[name])
        for x in (xs[0], xs[-1]):
            there = choices.but(**{name: int(x) if SLIDER[name].whole else float(x)})
            for entry in there.contestants():
                value = theorem(prepared(there), entry, there.target).value
                assert passes[entry.label][list(xs).index(x)] == pytest.approx(value)


def test_crossings_of_moved_bounds_are_told_where_they_are():
    xs = np.geomspace(1e-2, 1e2, 7)
    words = bounds.crossing_words(SLIDER["l2"], xs, {"falling": 30 / xs, "level": np.full(7, 10.0)})
    assert words == "Below λ = 3 the smaller bound is that of level, above it that of falling."


def test_a_race_of_the_page_is_the_race_of_cdlab(race):
    core = race.core()
    reached = np.median(core.reached(race.choices.target), axis=1)
    assert reached == pytest.approx([each.reached for each in race.outcome.results])


def test_causes_are_those_of_explain(asked, race):
    text = words_of(bounds.causes(asked))
    found = cdlab.explain(race.core(), race.choices.target)
    for each in found.figures:
        assert each.subject in text
        assert number(each.value) in text
    with pytest.raises(ValueError, match="there is no race yet"):
        bounds.causes(Subject(race.choices, ()))


def test_the_formula_of_a_crossing_is_that_of_theory():
    blocks = bounds.crossings(Subject(small(methods=["sdca", "spdc", "rcd"]), ()))
    regions = cdlab.theory.crossover("sdca", "spdc").regions
    assert len(regions) == 2
    assert blocks[2].count("<math") == len(regions)
    assert "rcd" in words_of(blocks)


def test_a_table_of_a_paper_has_its_values_on_the_problem():
    choices = small()
    values = cdlab.theory.table("face-off").for_problem(choices.problem(), choices.target)
    text = words_of(bounds.paper_tables(Subject(choices, ())))
    for value in values.to_numpy().ravel():
        assert f"= {number(float(value))}" in text


# ---------------------------------------------------------------- Face-off, Sampling, Code
def test_face_off_has_the_sums_the_work_and_the_outcome(asked, race):
    face, text = race.about.faceoff, words_of(faceoff.sums_and_work(asked))
    assert f"{number(face.C_P)} nonzeros" in text
    assert f"{number(face.C_D)} nonzeros" in text
    assert f"dual, uniform {' '.join(map(number, (face.uniform.K_D, face.uniform.W_D, face.uniform.T_D)))}" in text
    assert number(race.outcome.primal_over_dual) in text
    assert face.exact.sentence(None).partition(",")[0] in text


def test_a_cost_that_is_set_moves_the_cost_model():
    asked = Subject(small(), ())
    face = cdlab.faceoff(asked.about.problem, derivative_cost=100.0)
    text = words_of(faceoff.derivatives(asked, 100.0))
    assert f"{number(face.cost_P())} {number(face.cost_D())}" in text


def test_samplings_have_the_work_of_the_face_off(race):
    face, text = race.about.faceoff, words_of(sampling.schemes(Subject(race.choices, ()), "rank"))
    for work, name in ((face.uniform, "uniform"), (face.importance, "importance")):
        for T in (work.T_P, work.T_D):
            assert re.search(rf"{name} .*{re.escape(number(T))}", text)


def test_best_probabilities_are_those_of_theory():
    choices = small(loss="squared", n=40, d=4, density=1.0)
    text = words_of(sampling.best(Subject(choices, ())))
    p = best_sampling(choices.problem(), "rcd").p
    assert all(number(float(each)) in text for each in p)
    assert "Sdca: the best sampling is computed for at most 30 coordinates" in text or "sdca: the best" in text


def test_the_script_can_be_saved_as_a_notebook():
    text = "import cdlab\nprint(cdlab)\n"
    (cell,) = json.loads(code.notebook(text))["cells"]
    assert "".join(cell["source"]) == text
    blocks = code.code(Subject(small(), ()))
    saved = [each for block in blocks if isinstance(block, pn.FlexBox) for each in block if hasattr(each, "filename")]
    script = saved[0].callback().getvalue()
    assert [each.filename for each in saved] == ["race.py", "race.ipynb"]
    assert "".join(json.loads(saved[1].callback().getvalue())["cells"][0]["source"]) == script
