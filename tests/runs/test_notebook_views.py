"""What a notebook shows of a result says what `print` says, as a table, and in no colour of its own."""

import re
from html import unescape

import numpy as np
import pytest
from problems import problem

import cdlab

SHOWN = {
    "solution": lambda: cdlab.solve(problem(), tol=1e-4),
    "race": lambda: cdlab.race(problem(), ["sdca", "rcd"], seeds=[0, 1], max_passes=3),
    "faceoff": lambda: cdlab.faceoff(problem()),
    "faceoff of a matrix": lambda: cdlab.faceoff(problem().X),
    "faceoff of a hinge": lambda: cdlab.faceoff(problem("hinge")),
    "advice": lambda: cdlab.advise(problem(), by="passes", probe=False),
    "advice where nothing fits well": lambda: cdlab.advise(problem("hinge", l2=0.0), probe=False),
    "distance of a model": lambda: cdlab.certify(
        cdlab.CDClassifier(tol=1e-3).fit(problem().X, problem().y), problem().X, problem().y
    ),
    "race without a seed's end": lambda: cdlab.race(problem(), ["sdca", "rcd"], seeds=[0], stop=lambda r: True),
}


def numbers(text):
    return set(re.findall(r"\d[\d.]*(?:e[+-]?\d+)?", text.replace(",", "")))


@pytest.mark.parametrize("what", SHOWN)
def test_the_facts_of_print_are_in_the_html(what):
    found = SHOWN[what]()
    html = found._repr_html_()
    words = unescape(re.sub(r"<[^>]*>", " ", html))
    assert numbers(str(found)) <= numbers(words)
    assert html.count("<div") == html.count("</div>")
    assert "color" not in html


def test_what_names_contain_cannot_become_markup():
    race = cdlab.race(problem(), ["sdca"], max_passes=1)
    race.traces[0].meta["label"] = "<script>alert(1)</script>"
    assert "<script" not in race._repr_html_()


def test_a_race_is_printed_with_the_end_of_each_entry():
    race = cdlab.race(problem(), ["sdca", "rcd"], seeds=[0, 1], max_passes=3)
    lines = str(race).splitlines()
    assert lines[0] == repr(race)
    assert [line.split(",")[0].strip() for line in lines[-2:]] == ["sdca", "rcd"]
    assert f"{np.median([t.column('relative_gap')[-1] for t in race[0]]):.4g}" in lines[-2]


def test_advice_tells_of_each_of_its_short_runs():
    seen = []
    advice = cdlab.advise(problem(), progress=seen.append)
    assert {run.key for run in seen} == {*advice.finals, *(run.key for run in advice.probes.values())}
    assert all(run.passes > 0 for run in seen)


def test_advice_shows_a_line_of_progress(capsys):
    cdlab.advise(problem(), progress=True)
    assert capsys.readouterr().err.startswith("advice: ")
    cdlab.advise(problem(), progress=False)
    assert capsys.readouterr().err == ""
