"""The items of the papers as the dashboard shows them, and the cases that it can open."""

import re
from urllib.parse import parse_qsl

import pytest
from cases import each_of

from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.data_sources import at_hand
from cdlab.dashboard.papers.opening import opening
from cdlab.dashboard.papers.words import cases_table, item_words, paper_words
from cdlab.datasets import Derived, steps
from cdlab.faceoffs import faceoff
from cdlab.losses import Huber
from cdlab.problems.problem import Problem
from cdlab.reproductions import PAPERS, Case, Claim, Contender, GeneratedData, Item, Paper, Rule

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

SDCA = Contender("SDCA", "sdca", "uniform")
MEAN = Derived("m.mean", "mushrooms", [steps.Permute(seed=0), steps.MeanRowNormOne()])
ITEMS = {item.id: item for paper in PAPERS for item in paper.items}


def item(*contenders, **changed):
    return Item("p-i", "Figure 1", "Curves.", "The same.", [], contenders=contenders or [SDCA], **changed)


def opened(case, *contenders, **changed):
    """The choices that the link of a case sets, and what is said beside it."""
    found = opening(item(*contenders, **changed), case)
    choices = Choices()
    assert found.link.startswith("?"), found.words
    assert choices.from_query(dict(parse_qsl(found.link[1:], keep_blank_values=True))) == []
    return choices, found.words


def test_a_case_becomes_choices():
    case = Case("one", MEAN, loss=Huber(0.5), l2="0.1/n", l1=0.01)
    choices, words = opened(case, Contender("SDCA", "sdca", "permutation"), max_passes=30, tol=1e-7, seeds=(3, 4))
    about = {name: getattr(choices, name) for name in ("data", "scale", "loss", "gamma", "l2", "l2_over_n", "l1")}
    assert about == {
        "data": "mushrooms", "scale": "mean", "loss": "huber", "gamma": 0.5, "l2": 0.1, "l2_over_n": True, "l1": 0.01,
    }  # fmt: skip
    assert (choices.methods, choices.dual_sampling) == (["sdca"], "permutation")
    assert (choices.passes, choices.tol, choices.seed) == (30, 1e-7, 3)
    assert words == ""


def test_the_problem_is_that_of_the_case_but_for_the_order_of_its_rows():
    choices, _ = opened(Case("one", MEAN, loss="logistic", l2="1/n"))
    shown, (X, y, _) = choices.problem(), MEAN.load()
    there = Problem(X, y, loss="logistic", l2=1 / X.shape[0])
    assert (shown.n, shown.d, shown.nnz, shown.l2) == (there.n, there.d, there.nnz, there.l2)
    assert faceoff(shown).ratio == pytest.approx(faceoff(there).ratio)


def test_several_samplings_and_parameters_that_differ_are_told():
    contenders = [
        SDCA, Contender("by order", "sdca", "permutation"), Contender("third", "sdca", "importance"),
        Contender("SPDC", "spdc", settings={"primal_point": "iterate"}), Contender("RCD", "rcd", "uniform"),
    ]  # fmt: skip
    choices, words = opened(Case("one", MEAN), *contenders)
    assert choices.methods == ["sdca", "spdc", "rcd"]
    assert (choices.dual_sampling, choices.primal_sampling, choices.against) == ("uniform", "uniform", "permutation")
    assert words == "“SPDC” has default parameters, there primal_point = iterate; without “third”"


def test_one_size_of_batches_is_chosen():
    batches = [Contender(f"m = {m}", "spdc", settings={"batch_size": m}) for m in (4, 16)]
    choices, words = opened(Case("one", MEAN), *batches)
    assert (choices.methods, choices.batch) == (["spdc"], 4)
    assert words.startswith("without “m = 16”")


def test_an_item_without_runs_opens_its_data():
    found = opening(Item("p-i", "Table 1", "A.", "B.", []), Case("one", "mushrooms"))
    assert found.link.startswith("?data=mushrooms")
    assert found.words.startswith("it has no runs; see the drawer Face-off")


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
    found = opening(item(), case)
    assert (found.link, found.words) == ("", words)


def test_a_start_of_its_own_cannot_be_opened():
    found = opening(item(Contender("warm", "sdca", settings={"start": (None, None)})), Case("one", "mushrooms"))
    assert (found.link, found.words) == ("", "its methods, or where they start, are not in the dashboard")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
def test_every_case_of_the_papers_opens_or_says_why(paper):
    for each in paper.items:
        for case in each.cases:
            found = opening(each, case)
            assert found.link or found.words
            query = dict(parse_qsl(found.link[1:], keep_blank_values=True))
            assert Choices().from_query(query) == []


def test_a_verdict_stands_with_what_decides_and_why():
    claims = [
        Claim("C1", "faster", Rule("ratio >= 2", lambda _: [])),
        Claim("C2", "slower", Rule("ratio <= 1/2", lambda _: [], "Because.")),
        Claim("C3", "prettier", Rule("none", why="No measure.")),
        Claim("C4", "later", Rule("never", lambda _: [])),
    ]
    shown = Item("p-i", "Figure 1", "Curves.", "The same.", claims, notes=["A misprint."])
    known = {
        "p-i": {
            "C1": {"quick": "differs", "full": "reproduced", "number": "holds in 2 of 2", "on": "w8a, for CCAT"},
            "C2": {"quick": "differs", "full": "", "number": "holds in 0 of 1"},
        }
    }
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", item_words(shown, known).replace("<br>", " ")))
    assert "C1 faster: reproduced, on w8a, for CCAT. Holds in 2 of 2." in text
    assert "C2 slower: differs in a preview on less. Holds in 0 of 1. Rule: ratio &lt;= 1/2. Why it differs:" in text
    assert "C3 prettier: not testable. Rule: none. No measure." in text
    assert "C4 later: not run." in text
    assert "cdlab reproduce p-i" in text
    paper = Paper("p", "A paper", "Nobody (2000).", [shown], untested=[("short", "No.")])
    assert "1 reproduced, 1 differs, 2 not testable, 1 not run." in paper_words(paper, known)
    known["p-i"]["C1"]["full"] = "differs"
    assert "2 differ, 2 not testable, 1 not run." in paper_words(paper, known)


def test_a_case_has_a_link_that_names_it():
    text = cases_table(ITEMS["faceoff-sampling"])
    assert 'aria-label="Open in the dashboard: mushrooms"' in text
