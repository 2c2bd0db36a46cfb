"""The items of the papers as the page shows them, and the cases that it can open."""

import re
from pathlib import Path

import pytest
from cases import each_of

from cdlab.dashboard.drawers import papers
from cdlab.dashboard.drawers.papers import Refused, opening
from cdlab.dashboard.engine.choices import Choices
from cdlab.dashboard.engine.data_sources import at_hand
from cdlab.dashboard.session import Session
from cdlab.datasets import Derived, steps
from cdlab.faceoffs import faceoff
from cdlab.losses import Huber
from cdlab.problems.problem import Problem
from cdlab.reproductions import PAPERS, Case, Claim, Contender, GeneratedData, Item, Paper, Rule

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("without_loop")]

SDCA = Contender("SDCA", "sdca", "uniform")
MEAN = Derived("m.mean", "mushrooms", [steps.Permute(seed=0), steps.MeanRowNormOne()])
ITEMS = {item.id: item for paper in PAPERS for item in paper.items}


def item(*contenders, **changed):
    return Item("p-i", "Figure 1", "Curves.", "The same.", [], contenders=contenders or [SDCA], **changed)


def opened(case, *contenders, **changed):
    """The choices of a case, and what is said beside it."""
    values, notes = opening(item(*contenders, **changed), case)
    return Choices(**values), "; ".join(notes)


def test_a_case_becomes_choices():
    case = Case("one", MEAN, loss=Huber(0.5), l2="0.1/n", l1=0.01)
    choices, words = opened(case, Contender("SDCA", "sdca", "permutation"), max_passes=30, tol=1e-7, seeds=(3, 4))
    about = {name: getattr(choices, name) for name in ("data", "scale", "loss", "gamma", "l2", "l2_over_n", "l1")}
    assert about == {
        "data": "mushrooms", "scale": "mean", "loss": "huber", "gamma": 0.5, "l2": 0.1, "l2_over_n": True, "l1": 0.01,
    }  # fmt: skip
    assert choices.methods == ["sdca@permutation"]
    assert (choices.passes, choices.tol, choices.seed) == (30, 1e-7, 3)
    assert words == ""


def test_the_problem_is_that_of_the_case_but_for_the_order_of_its_rows():
    choices, _ = opened(Case("one", MEAN, loss="logistic", l2="1/n"))
    shown, (X, y, _) = choices.problem(), MEAN.load()
    there = Problem(X, y, loss="logistic", l2=1 / X.shape[0])
    assert (shown.n, shown.d, shown.nnz, shown.l2) == (there.n, there.d, there.nnz, there.l2)
    assert faceoff(shown).ratio == pytest.approx(faceoff(there).ratio)


def test_samplings_and_batches_of_an_entry_are_its_own():
    contenders = [
        SDCA, Contender("by order", "sdca", "permutation"), Contender("third", "sdca", "importance"),
        Contender("SPDC", "spdc", settings={"primal_point": "iterate"}), Contender("RCD", "rcd", "uniform"),
        Contender("m = 4", "quartz", settings={"batch_size": 4}), Contender("one too many", "rcd", "importance"),
    ]  # fmt: skip
    choices, words = opened(Case("one", MEAN), *contenders)
    entries = [
        "sdca@uniform",
        "sdca@permutation",
        "sdca@importance",
        "spdc@uniform",
        "rcd@uniform",
        "quartz(4)@uniform",
    ]
    assert choices.methods == entries
    assert words == "“SPDC” has default parameters, there primal_point = iterate; without “one too many”"


def test_an_item_without_runs_opens_its_data():
    values, notes = opening(Item("p-i", "Table 1", "A.", "B.", []), Case("one", "mushrooms"))
    assert values["data"] == "mushrooms"
    assert notes == ["it has no runs; see Face-off"]


@each_of(
    "case, words",
    [
        (Case("one", GeneratedData("made", lambda: None, "make()")), "data made for it"),
        (Case("one", Derived("few", "mushrooms", [steps.FirstRows(9)])), "data derived from another set"),
        (Case("one", "news20.binary"), "news20.binary is not on this machine"),
        (Case("one", "a9a"), "train and test rows together" if "a9a" in at_hand() else "a9a is not on this machine"),
    ],
)
def test_what_cannot_be_opened_says_why(case, words):
    with pytest.raises(Refused, match=re.escape(words)) as refused:
        opening(item(), case)
    assert str(refused.value) == words


def test_a_start_of_its_own_cannot_be_opened():
    with pytest.raises(Refused, match="its methods, or where they start, are not on this page"):
        opening(item(Contender("warm", "sdca", settings={"start": (None, None)})), Case("one", "mushrooms"))


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
def test_every_case_of_the_papers_opens_or_says_why(paper):
    for each in paper.items:
        for case in each.cases:
            try:
                values, _ = opening(each, case)
            except Refused as why:
                values, words = {}, str(why)
                assert words
            assert Choices(**values).methods


def test_a_verdict_stands_with_what_decides_and_why():
    claims = [
        Claim("C1", "faster", Rule("ratio >= 2", lambda _: [])),
        Claim("C2", "slower", Rule("ratio <= 1/2", lambda _: [], "Because.")),
        Claim("C3", "prettier", Rule("none", why="No measure.")),
        Claim("C4", "later", Rule("never", lambda _: [])),
    ]
    shown = Item("p-i", "Figure 1", "Curves.", "The same.", claims)
    known = {
        "C1": {"quick": "differs", "full": "reproduced", "number": "holds in 2 of 2", "on": "w8a, for CCAT"},
        "C2": {"quick": "differs", "full": "", "number": "holds in 0 of 1"},
    }
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", papers.claims_table(shown, known)))
    assert "C1 faster reproduced, on w8a, for CCAT Holds in 2 of 2." in text
    assert "C2 slower differs in a preview on less Holds in 0 of 1. Why it differs:" in text
    assert "C3 prettier not testable No measure." in text
    assert "C4 later not run" in text
    paper = Paper("p", "A paper", "Nobody (2000).", [shown], untested=[("short", "No.")])
    assert papers.claim_counts(paper, {"p-i": known}) == "1 reproduced, 1 differs, 2 not testable, 1 not run"


def test_a_button_sets_the_choices_of_a_case():
    chosen = []
    blocks = papers.item_blocks(ITEMS["faceoff-sampling"], chosen.append)
    buttons = [each for block in blocks if hasattr(block, "objects") and not isinstance(block, str) for each in block]
    button = next(each for each in buttons if each.label == "Open mushrooms")
    button.clicks += 1
    assert chosen[0]["data"] == "mushrooms"


def test_every_committed_picture_is_shown():
    """Also those with a suffix, and those of which only the quick run is there."""
    shown = {Path(block.object).name for each in ITEMS.values() for block in papers._pictures(each)}
    there = {each.name for each in papers.PICTURES.glob("*.png")}
    assert len(shown) > 0
    assert {each for each in there - shown if not each.endswith("-quick.png")} == set()


def test_the_item_of_the_address_is_shown():
    view = papers.view(Session(paper="appa-fig1"))
    values = [each.value for each in view.select(lambda each: hasattr(each, "options"))]
    assert [each.id for each in values] == ["appa", "appa-fig1"]
