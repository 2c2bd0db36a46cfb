"""What is wrong with the declaration of an item is said when it is made, before anything runs."""

import pytest
from cases import each_of
from made_up import paper

from papers import PAPERS, Case, Claim, Contender, Item, claims, select_items
from papers.judging import (
    across_cases,
    compare_passes,
    in_each_reading,
    judge_computed,
    per_case,
    per_case_and_judge,
    reads,
    with_panels_outside_verdict,
)


def item(judge=None, **changed):
    claim = Claim("C1", "sdca is faster", "ratio >= 1.1", judge)
    return Item("p-fig", "Figure 1", "Curves.", "The same.", [claim], **{"contenders": CONTENDERS, **changed})


CONTENDERS = [Contender("sdca", "sdca"), Contender("gd", "gd")]
MISSPELT = compare_passes("gd", "sdac", claims.faster)


@reads("gd", "sdac")
def judge_of_several(cases):
    raise NotImplementedError


@each_of(
    "judge",
    [
        per_case(MISSPELT),
        per_case_and_judge({"one": MISSPELT}),
        across_cases(judge_of_several),
        with_panels_outside_verdict(per_case(compare_passes("sdca", "gd", claims.faster)), per_case(MISSPELT)),
        in_each_reading({"a reading": judge_computed(lambda computed: {}), "another": per_case(MISSPELT)}),
    ],
    ids=["per_case", "per_case_and_judge", "across_cases", "only shown", "a reading"],
)
def test_a_rule_that_names_no_contender_is_refused(judge):
    with pytest.raises(ValueError, match=r"p-fig C1: its rule compares 'sdac'.*did you mean 'sdca'\?.*gd, sdca"):
        item(judge)


def test_right_labels_are_taken():
    assert item(per_case(compare_passes("sdca", ["gd", "sdca"], claims.faster))).contenders == CONTENDERS


@pytest.mark.parametrize("columns", [{"by": "pases"}, {"of": "relative_gaps"}])
def test_a_column_that_traces_have_not_is_refused(columns):
    with pytest.raises(ValueError, match=r"traces have no column '.*s'; did you mean '(passes|relative_gap)'\?"):
        compare_passes("sdca", "gd", claims.faster, **columns)


def test_a_column_in_place_of_the_error_needs_a_level():
    with pytest.raises(ValueError, match="of='relative_gap' needs a level"):
        compare_passes("sdca", "gd", claims.faster, of="relative_gap")


@each_of("levels", [(1e-4, 1e-2), (1e-2, 1e-2), (1e-2, 0.0)])
def test_levels_that_do_not_fall_are_refused(levels):
    with pytest.raises(ValueError, match=r"p-fig: levels must fall and be > 0, and .* follows 0\.0"):
        item(levels=levels)


@pytest.mark.parametrize("twice", ["cases", "contenders"])
def test_a_name_that_is_there_twice_is_refused(twice):
    named = [Case("one", "mushrooms"), Case("one", "w8a")] if twice == "cases" else [*CONTENDERS, CONTENDERS[0]]
    with pytest.raises(ValueError, match=f"each {twice[:-1]} needs a name of its own"):
        item(**{twice: named})


def test_contenders_may_share_a_label_in_different_modes():
    assert item(contenders=[Contender("gd", "gd", modes=("quick",)), Contender("gd", "gd", modes=("full",))])
    assert paper().items


def test_items_are_selected_by_their_id_by_their_paper_or_all():
    items = [each for one in PAPERS for each in one.items]
    of_faceoff = [each for each in items if each.paper == "faceoff"]
    assert select_items(["all"]) == items
    assert select_items([of_faceoff[5].id, of_faceoff[0].id]) == [of_faceoff[0], of_faceoff[5]]
    assert select_items(["faceoff", of_faceoff[0].id]) == of_faceoff


def test_an_unknown_id_is_named_with_a_near_one():
    with pytest.raises(ValueError, match=r"no item or paper 'faceof'; did you mean 'faceoff'\? \(papers: "):
        select_items(["faceof"])
