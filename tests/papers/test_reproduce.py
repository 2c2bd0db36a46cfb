"""reproduce: runs what is missing, judges, and writes pages that say what was found and on what."""

import json
import sys
from dataclasses import replace

import pytest
from made_up import paper
from stores import when_finished

import cdlab
from cdlab.datasets import Derived, steps
from cdlab.plots import Curve, Panel
from cdlab.sweeps import Store
from papers import Case, Contender, reproduce, running
from papers.pictures import Drawing, write_all
from papers.running import planned_runs


def run(folder, made=None, mode="quick", **options):
    made = made or paper()
    return reproduce(
        made.items, mode, out=folder / "out", store=folder / "store", executor="serial", papers=[made], **options
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("reproduced")
    done = run(where)
    assert done.complete
    return where


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "out" / "small.md").read_text()


@pytest.fixture(scope="module")
def found(folder):
    return json.loads((folder / "out" / "results.json").read_text())["items"]


def test_a_case_is_a_reference_and_each_seed_of_what_draws(folder, found):
    assert found["small-fig"]["quick"]["curves"] == [8, 8]  # on each case: the reference, two seeds of sdca, one of gd
    assert len(Store(folder / "store")) == 8


def test_every_claim_has_a_verdict_by_its_rule(found):
    verdicts = {claim["id"]: claim["verdict"] for claim in found["small-fig"]["quick"]["claims"]}
    assert verdicts == {"C1": "reproduced", "C2": "differs", "C3": "not testable"}


def test_reproduced_and_differs_never_stand_without_numbers(found):
    for claim in found["small-fig"]["quick"]["claims"][:2]:
        assert all(panel["value"] > 0 and panel["number"] for panel in claim["panels"])
        assert "holds in" in claim["number"]


def test_the_page_has_a_section_for_every_item_a_verdict_for_every_claim_and_the_picture_is_a_file(folder, page):
    for item in paper().items:
        assert f"## {item.id}: " in page
        for claim in item.claims:
            assert f"**{claim.id}** {claim.words}: **" in page
    assert "![small-fig](small-fig-quick.svg)" in page
    assert (folder / "out" / "small-fig-quick.svg").stat().st_size > 1000
    assert (folder / "out" / "small-fig-quick.png").is_file()


def test_what_stands_in_is_named_wherever_a_verdict_stands(page, folder):
    table = [line for line in page.splitlines() if line.startswith("| [small-fig C1]")]
    assert "on small; small, for large" in table[0]
    assert "**reproduced (quick)** on small; small, for large." in page
    assert "on small; small, for large" in (folder / "out" / "index.md").read_text()


def test_the_page_says_why_it_differs_what_is_not_testable_and_what_is_no_experiment(page):
    assert "Why it differs: No." in page
    assert "There is no measure of beauty." in page
    assert "- it is short: not testable. No experiment." in page
    assert "1 reproduced, 1 differs, 3 not testable" in page


def test_conditions_stand_on_the_page(page):
    assert "datasets.make(n=40, d=8, seed=0)" in page
    assert "sdca, permutation" in page
    assert "Command: `python -m papers small-fig --quick`" in page


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir())}


def test_a_second_call_computes_nothing_and_writes_the_same_bytes(folder):
    before, files = contents(folder), when_finished(folder / "store")
    run(folder)
    assert when_finished(folder / "store") == files
    assert contents(folder) == before


@pytest.mark.full
def test_fresh_computes_the_runs_anew_with_the_same_verdicts(tmp_path):
    run(tmp_path)
    before, files = contents(tmp_path), when_finished(tmp_path / "store")
    run(tmp_path, fresh=True)
    assert when_finished(tmp_path / "store").keys() == files.keys()
    assert all(when_finished(tmp_path / "store")[name] != files[name] for name in files)
    assert contents(tmp_path) == before


@pytest.mark.full
def test_quick_and_full_stand_side_by_side_and_share_their_runs(tmp_path):
    run(tmp_path)
    files = when_finished(tmp_path / "store")
    run(tmp_path, mode="full", seeds=[0, 1])
    assert when_finished(tmp_path / "store") == files
    assert "| reproduced |" in (tmp_path / "out" / "small.md").read_text()
    assert (tmp_path / "out" / "small-fig.svg").is_file()


def test_panels_that_are_close_get_more_seeds_in_full(tmp_path, monkeypatch):
    monkeypatch.setattr("papers.running.close_cases", lambda claim: ["weak"])
    done = run(tmp_path, paper(extra_seeds=[5, 6]), mode="full")
    cases = {case["name"]: case["seeds"] for case in done.found["small-fig"]["full"]["cases"]}
    assert cases == {"strong": [0, 1], "weak": [0, 1, 5, 6]}


def test_interrupted_the_page_shows_what_is_there(tmp_path, monkeypatch):
    def carry_out(runs, *args, **options):
        whole(runs[:5], *args, **options)  # the references of both cases, then seed 0 of all but one
        raise KeyboardInterrupt

    whole = cdlab.sweep
    monkeypatch.setattr(cdlab, "sweep", carry_out)
    done = run(tmp_path)
    assert done.interrupted
    assert not done.complete
    page = (tmp_path / "out" / "small.md").read_text()
    assert "5 of 8 runs are there" in page
    assert "strong: 1 of 2 seeds" in page
    assert "gd was not run" in page


@pytest.mark.full
def test_an_item_that_is_named_twice_is_planned_and_judged_and_nothing_else(tmp_path):
    made = paper()
    done = reproduce([*made.items, made.items[0]], out=tmp_path / "out", store=tmp_path / "store", executor="serial",
                     papers=[made])  # fmt: skip
    assert done.complete
    assert not done.interrupted


def test_without_the_data_of_a_case_the_others_run_and_the_sentence_stands_on_the_page(tmp_path):
    absent = Case("absent", Derived("a.permuted", str(tmp_path / "a.npz"), [steps.Permute()]))
    made = paper(cases=[*paper().items[0].cases, absent])
    done = run(tmp_path, made)
    assert not done.complete
    assert done.found["small-fig"]["quick"]["curves"] == [8, 8]
    assert "Not run here: a.permuted: " in (tmp_path / "out" / "small.md").read_text()


@pytest.mark.full
def test_a_run_that_fails_says_why_on_the_page_and_the_others_are_judged(tmp_path):
    lines = Contender("lines", "kaczmarz")  # solves X w = y, and refuses everything else
    done = run(tmp_path, paper(contenders=[*paper().items[0].contenders, lines]))
    assert not done.complete
    found = done.found["small-fig"]["quick"]
    assert found["claims"][0]["verdict"] == "reproduced"
    assert found["cases"][0]["methods"][2]["ended"].startswith("lines failed: kaczmarz solves X w = y")


@pytest.mark.full
def test_what_another_command_wrote_meanwhile_stays(tmp_path, monkeypatch):
    made = paper()
    both = [replace(made, items=[item]) for item in made.items]
    write_all = running.write_all

    def meanwhile(pictures, jobs, tell):
        monkeypatch.setattr(running, "write_all", write_all)
        run(tmp_path, both[1])
        write_all(pictures, jobs, tell)

    monkeypatch.setattr(running, "write_all", meanwhile)
    assert set(run(tmp_path, both[0]).found) == {"small-fig", "small-tab"}


def test_another_results_file_is_not_written_over(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"json is no file of python -m papers: move it, or choose another --out"):
        run(tmp_path)


def test_what_would_run_is_told_with_its_keys(folder, tmp_path):
    there = planned_runs(paper().items, "quick", folder / "store")
    assert [(row["case"], row["run"], row["seed"]) for row in there[:4]] == [
        ("strong", "reference", 0), ("strong", "sdca", 0), ("strong", "sdca", 1), ("strong", "gd", 0),
    ]  # fmt: skip
    assert all(row["there"] for row in there)
    assert {row["key"] for row in there} == set(Store(folder / "store").keys)
    assert not any(row["there"] for row in planned_runs(paper().items, "quick", tmp_path))


def test_for_one_picture_no_process_begins(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "loky", None)  # to import it would fail
    write_all(iter([Drawing([Panel([Curve("one", "dual", [([0, 1], [1, 0.5])])])], 1, tmp_path / "one.png")]), 2, print)
    assert {each.name for each in tmp_path.iterdir()} == {"one.png", "one.svg"}


@pytest.mark.full
def test_pictures_are_the_same_whoever_draws_them(tmp_path):
    panel = Panel([Curve("one", "dual", [([0, 1, 2], [1, 0.5, 0.1]), ([0, 1, 2], [1, 0.4, 0.2])])], "a panel", "x", "y")
    said, names = [], ("first", "second")
    for jobs in (1, 2):
        (tmp_path / str(jobs)).mkdir()
        write_all([Drawing([panel], 1, tmp_path / str(jobs) / f"{name}.png") for name in names], jobs, said.append)
    assert said == 2 * ["first is drawn, 1 of 2", "second is drawn, 2 of 2"]
    for name in (f"{name}.{kind}" for name in names for kind in ("svg", "png")):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
