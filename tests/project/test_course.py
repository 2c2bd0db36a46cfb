"""The notebooks of the course: each has what it promises, its links lead somewhere, and its guard sees what it must."""

import importlib.util
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from cdlab.dashboard.engine import choices, stories

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WHOLE = ("def ", "class ", "@", "import ", "from ", "theorem =", "boast =")  # a definition is not cut in pieces
PAGE = re.compile(r"\]\((http://localhost:5006/faceoff\?[^\s]+?)\)[.,;: ]")


@pytest.fixture(scope="module")
def execute():
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem[:2])
def notebook(request):
    return nbformat.read(request.param, 4)


def text(notebook):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def test_a_notebook_opens_with_a_question_and_has_short_cells_and_pictures(notebook):
    title, question = notebook.cells[0].source.split("\n\n")[:2]
    assert title.startswith("# ")
    assert question.strip("*").endswith("?")
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in codes:
        if not cell.source.startswith(WHOLE) and "hide-cell" not in cell.metadata.get("tags", []):
            assert len([line for line in cell.source.splitlines() if line.strip()]) <= 5, cell.source
    assert sum("image/svg+xml" in output.get("data", {}) for cell in codes for output in cell.outputs) >= 2


def test_a_notebook_has_three_solved_exercises_and_five_questions_with_one_right_answer_each(notebook):
    words = text(notebook)
    exercises, quiz, solutions = (
        re.search(rf"## {name}\n(.*?)(?=\n## |\Z)", words, flags=re.DOTALL)[1]
        for name in ("Exercises", "Quiz", "Solutions")
    )
    assert re.findall(r"^(\d)\. ", exercises, flags=re.MULTILINE) == ["1", "2", "3"]
    assert re.findall(r"^\*\*(\d)\.\*\*", solutions, flags=re.MULTILINE) == ["1", "2", "3"]
    answers = re.findall(r'<details name="q(\d)"><summary>.+?</summary>\n\n(Right|No)[.,:]? ', quiz)
    assert len(answers) == quiz.count("<details")
    for number in "12345":
        assert sorted(said for which, said in answers if which == number).count("Right") == 1
        assert f"**{number}.**" in quiz


def test_a_notebook_links_to_a_state_of_the_page(notebook):
    links = PAGE.findall(text(notebook))
    assert links
    for link in links:
        query = dict(parse_qsl(urlsplit(link).query))
        query.pop("v", None)
        story = query.pop("story", None)
        assert story is None or 1 <= int(story) <= len(stories.STORIES)
        defaults = choices.Choices().values()
        chosen = {name: like(defaults[name], value) for name, value in query.items()}
        assert choices.read(chosen).contestants()


def test_stories_and_notebooks_lead_to_each_other():
    told = {number: story.notebook for number, story in enumerate(stories.STORIES.values(), 1)}
    assert set(told.values()) <= {path.stem for path in NOTEBOOKS}
    for path in NOTEBOOKS:
        for number in re.findall(r"faceoff\?story=(\d+)", text(nbformat.read(path, 4))):
            assert told[int(number)] == path.stem


def like(default, value):
    """A value of an address, of the kind of the default."""
    if isinstance(default, list):
        return value.split(",")
    return value if isinstance(default, str) else type(default)(float(value))


def test_the_links_of_a_notebook_lead_somewhere(notebook):
    for target in re.findall(r"\]\((?!http)([^)\s]+)\)", text(notebook)):
        assert (FOLDER / target.partition("#")[0]).exists(), target


def test_outputs_are_those_of_the_present_sources(execute):
    assert [fault for path in NOTEBOOKS for fault in execute.stale(path)] == []


def printed(words):
    return new_code_cell(outputs=[new_output("stream", name="stdout", text=words)])


def drawn(picture):
    return new_code_cell(outputs=[new_output("display_data", {"image/svg+xml": picture})])


def test_the_guard_compares_words_and_numbers_and_sees_missing_pictures(execute):
    assert execute.differing(printed("passes: 12.00, gap 1e-6"), printed("passes: 12.05, gap 1.001e-6")) == []
    assert execute.differing(printed("tiny 3e-16"), printed("tiny 5e-17")) == []
    assert execute.differing(printed("passes: 12.0"), printed("passes: 13.0"))
    assert execute.differing(printed("the dual won"), printed("the primal won"))
    assert execute.differing(drawn("<svg/>"), printed("no picture"))
    assert execute.differing(drawn("<svg/>"), drawn("<svg >")) == []


def test_the_guard_refuses_what_must_not_be_stored(execute):
    for output in (
        drawn("x" * 100_001).outputs[0],
        printed("<Race object at 0x7f3a2b1c4d50>").outputs[0],
        printed(f"read {Path.home()}/data.csv").outputs[0],
        new_output("stream", name="stderr", text="a warning"),
    ):
        assert execute.faults_of(output)
    assert execute.faults_of(printed("12 passes").outputs[0]) == []
