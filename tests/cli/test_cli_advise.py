"""``cdlab advise`` says what the API says; ``cdlab race --check-advice`` sets it beside what was measured."""

import numpy as np
import pytest
from commands import ran, strict_json

import cdlab
from cdlab.advice.probing import describe_probes
from cdlab.cli import advise, main, race

PROBLEM = ("small.csv", "--l2", "0.1")


@pytest.fixture
def P(data):
    return cdlab.Problem(*data, l2=0.1)


def test_advise_is_the_api_s(P, capsys):
    found = strict_json(ran(capsys, "advise", *PROBLEM, "--by", "passes", "--seed", 2, "--json"))
    advice = cdlab.advise(P, by="passes", seed=2)
    assert found["problem"]["digest"] == P.digest
    assert [(c["label"], c["passes"], c["worst"]) for c in found["advice"]["choices"]] == [
        (c.label, c.passes, c.worst) for c in advice
    ]
    assert found["advice"]["eps"] == 1e-6


def test_advise_prints_choices_bounds_and_what_cannot_run(P, capsys):
    text = ran(capsys, "advise", *PROBLEM, "--eps", "1e-4", "--top", 0)
    lines, unwrapped = text.splitlines(), " ".join(text.split())
    assert lines[0].startswith("small.csv: 60 x 7")
    assert "to a relative best gap of 0.0001, best seconds first" in text
    header = next(line for line in lines if line.startswith("entry"))
    assert header.split() == ["entry", "passes", "spread", "seconds", "worst", "sharp", "basis"]
    assert "Shalev-Shwartz & Zhang 2013" in text
    assert "no theorem covers permutation" in unwrapped
    assert "kaczmarz, acc_kaczmarz, acc_cd: solves X w = y" in unwrapped
    shown = [line.split()[0] for line in lines if line.startswith("sdca@")]
    assert {"sdca@uniform", "sdca@importance", "sdca@cyclic"} <= set(shown)
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("top", [3, 10])
def test_no_row_of_the_table_repeats_a_run(data, top):
    """With rows of equal norms importance, norms and lipschitz draw uniformly: other names, without a row of theirs."""
    X, y = data
    advice = cdlab.advise(cdlab.Problem(X / np.linalg.norm(X, axis=1, keepdims=True), y, l2=0.1), probe=False)
    names = len(advice) - len(advice.distinct)
    assert names > 0
    for lines, shown in ((str(advice).splitlines(), 10), (advise.report(advice, top), top)):
        start = next(k for k, line in enumerate(lines) if line.startswith("entry"))
        rows = [line.split()[0] for line in lines[start + 1 : start + 1 + shown]]
        assert rows == [choice.label for choice in advice.distinct[:shown]]
        assert f"{names} other names" in "\n".join(lines)
        assert max(map(len, lines)) <= 100


def test_help_says_how_long_the_short_runs_are(capsys):
    assert describe_probes() in ran(capsys, "advise", "--help")


def test_advise_shows_as_many_choices_as_asked(P, capsys):
    lines = ran(capsys, "advise", *PROBLEM, "--no-probe", "--top", 3).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("entry"))
    assert lines[start + 4].startswith("and ")
    assert "best passes first" in "\n".join(lines)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--eps", "2"], "eps must be a number between 0 and 1"),
        (["--eps", "tiny"], "'tiny' is not a number"),
        (["--by", "seconds", "--no-probe"], "seconds need a probe"),
        (["--max-seconds", "0"], "max_seconds must be"),
    ],
)
def test_advise_refuses_bad_options_in_a_sentence(options, words, data, capsys):
    assert main(["advise", *PROBLEM, *options]) == 2
    assert words in capsys.readouterr().err


def test_a_race_checks_the_advice(P, capsys):
    text = ran(capsys, "race", *PROBLEM, "--check-advice", "--seeds", "0-2")
    lines = text.splitlines()
    rows = [line for line in lines[:-1] if " choice " in line or " control " in line]
    assert [row.split()[1] for row in rows] == ["choice", "choice", "choice", "control"]
    assert "predicted passes  measured passes  predicted seconds  measured seconds" in text
    assert lines[-1].startswith("the first choice ")


@pytest.mark.full
def test_a_checked_race_is_a_race_of_the_first_choices_and_a_control(P, capsys):
    found = strict_json(ran(capsys, "race", *PROBLEM, "--check-advice", "--json"))
    different = {}
    for choice in found["advice"]["choices"]:
        different.setdefault(choice["runs"], choice["label"])
    first = list(different.values())[:3]
    entries = [row["entry"] for row in found["checked"]]
    assert entries[:3] == first
    assert len(entries) == 4
    assert entries[3] in race.CONTROLS
    assert entries[3] not in first
    assert all(row["measured passes"] > 0 for row in found["checked"])
    assert len(found["runs"]) == 4


def test_a_checked_race_chooses_its_own_entries(data, capsys):
    assert main(["race", *PROBLEM, "rcd", "--check-advice"]) == 2
    assert "leave out the ENTRY arguments" in capsys.readouterr().err


def test_a_checked_race_needs_a_bound_on_eps(data, capsys):
    assert main(["race", *PROBLEM, "--check-advice", "--eps", "3"]) == 2
    assert "eps must be a number between 0 and 1" in capsys.readouterr().err


# ---------------------------------------------------------------- why a race came out as it did
def test_a_race_explains_itself_as_the_api_does(data, P, capsys):
    words = ("race", *PROBLEM, "rcd", "sdca", "--max-passes", "8", "--tol", "0", "--explain")
    found = strict_json(ran(capsys, *words, "--json"))["explanation"]
    told = cdlab.explain(cdlab.race(P, ["rcd", "sdca"], max_passes=8, tol=0))
    assert found["sentences"] == list(map(str, told.sentences))
    assert [each["value"] for each in found["figures"]] == [each.value for each in told.figures]
    assert " ".join(str(told.why.sentence).split()) in " ".join(ran(capsys, *words).split())


def test_a_race_that_cannot_be_explained_is_shown_all_the_same(data, capsys):
    words = ("race", *PROBLEM, "sdca", "--max-passes", "3", "--tol", "0")
    text = ran(capsys, *words, "--explain")
    assert "no explanation: one entry races alone" in text
    assert main([*words, "--explain", "--check-advice"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# ---------------------------------------------------------------- without a regulariser
def test_one_reason_is_told_once_for_all_whom_it_concerns(data, capsys):
    text = ran(capsys, "advise", "small.csv", "--l2", "0", "--no-probe")
    unwrapped = " ".join(text.split())
    assert unwrapped.count("methods that accept this problem") == 1
    assert " sdca, quartz, adasdca, " in unwrapped
    assert ": needs l2 > 0 and this problem has l2 = 0; methods that accept" in unwrapped


def test_advice_without_any_prediction_says_so_and_what_to_do(data, capsys):
    text = " ".join(ran(capsys, "advise", "small.csv", "--loss", "hinge", "--l2", "0").split())
    assert "nothing can be predicted here" in text
    assert "cdlab race FILE spdc@uniform" in text
    assert "pass w2" not in text
    assert "needs w2 (||w_0 - w*||^2: squared distance of the start)" in text


@pytest.mark.full
@pytest.mark.parametrize("words", [["--check-advice"], ["lbfgs", "saga"]])
def test_a_race_without_a_regulariser_is_compared_and_called_uncertified(words, data, capsys):
    problem = ["race", "small.csv", *words, "--l2", "0", "--eps", "1e-3", "--max-passes", "200"]
    assert main(problem) in (0, 1)
    text = capsys.readouterr().out
    assert "uncertified: without a regulariser (l2 = l1 = 0) there is no dual certificate" in text
    assert "raise --max-passes" not in text
    assert "lbfgs" in text.splitlines()[-1] or "first choice" in text.splitlines()[-1]
    assert main([*problem, "--json"]) in (0, 1)
    assert strict_json(capsys.readouterr().out)["certified"] is False
