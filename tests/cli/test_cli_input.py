"""What the command line takes: help that teaches, values as written, and one sentence for what is wrong."""

import json

import messages
import numpy as np
import pytest
from cases import each_of
from commands import ran
from hypothesis import given
from hypothesis import strategies as st
from stores import texts, write_text

import cdlab
import cdlab.dashboard
from cdlab import cli
from cdlab.cli import main, values
from cdlab.methods import RCD, SDCA, Quartz
from cdlab.samplings import Distributed, Importance, Lipschitz, TauNice, Uniform


# ---------------------------------------------------------------- help
def help_of(capsys, *words):
    return ran(capsys, *words, "--help")


@each_of("verb", cli.VERBS)
def test_help_teaches(verb, capsys):
    text = help_of(capsys, verb)
    assert "example" in text
    assert max(map(len, text.splitlines())) <= 80, "a terminal of 80 columns shows it unbroken"
    if verb not in ("serve", "page"):  # which take no data
        assert "mushrooms" in text
        assert "exit codes" in text
        assert "columns:\n" in text or "values:\n" in text


def test_help_lists_every_verb_that_works(capsys):
    text = ran(capsys, "--help")
    assert all(f"\n  {verb} " in text for verb in cli.VERBS)
    assert max(map(len, text.splitlines())) <= 80


def test_a_page_of_help(capsys):
    assert help_of(capsys, "solve") == messages.read()["solve --help"] + "\n", "run python tests/cli/messages.py"


def test_help_names_every_loss_method_and_sampling(capsys):
    text = " ".join(help_of(capsys, "solve").split())
    for names in (cdlab.losses.LOSSES, cdlab.methods.METHODS, cdlab.samplings.SAMPLINGS):
        assert ", ".join(names) in text


# ---------------------------------------------------------------- values
@given(st.floats(allow_nan=False), st.integers(1, 10**9))
def test_a_weight_is_read_exactly(c, n):
    assert values.weights(f"{c!r}/n")(n) == [c / n]
    assert values.weights(repr(c))(n) == [c]


@given(st.sets(st.integers(0, 999), min_size=1))
def test_seeds_are_read_as_written(numbers):
    assert values.seeds(",".join(map(str, numbers))) == list(numbers)
    low, high = min(numbers), max(numbers)
    assert values.seeds(f"{low}-{high}") == list(range(low, high + 1))


@each_of(
    "text, entry",
    [
        ("sdca", (SDCA(), Uniform())),
        ("rcd@importance", (RCD(), Importance())),
        ("quartz:step=local,averaged_primal=true@lipschitz:power=0.25", (Quartz("local", True), Lipschitz(0.25))),
        ("quartz:averaged_primal=false@lipschitz:power=1", (Quartz(), Lipschitz(1.0))),
        ("rcd@tau_nice:tau=4", (RCD(), TauNice(4))),
        ("quartz@distributed:c=2,tau=3", (Quartz(), Distributed(c=2, tau=3))),
    ],
)
def test_an_entry_is_a_method_and_a_sampling(text, entry):
    assert values.entry(text) == entry


def test_coins_are_tossed_with_the_probability_that_was_written():
    assert values.sampling("independent:p=0.25").p == 0.25


def test_whole_numbers_become_what_the_parameter_is():
    assert isinstance(values.loss("squared_hinge:c=1").c, float), "an int would compile another kernel"


# ---------------------------------------------------------------- bad input
def test_an_unknown_sampling_names_those_that_can_be_typed(data, capsys):
    assert main(["solve", "small.csv", "--sampling", "foo"]) == 2
    listed = capsys.readouterr().err.split("(samplings: ")[1].split(")")[0].split(", ")
    assert listed == [*cdlab.samplings.SAMPLINGS, "tau_nice", "independent", "distributed"]


@pytest.mark.parametrize("command", [command for command in messages.read() if not command.endswith("--help")])
def test_bad_input_is_one_sentence_and_exit_code_2(command, data):
    """The sentence of messages.txt. If another one is meant: `python tests/cli/messages.py`."""
    code, out, err = messages.run(command)
    assert (code, out, err[-1]) == (2, "", messages.read()[command]), "run python tests/cli/messages.py"
    assert err[-1].startswith("cdlab: ")
    assert "Traceback" not in "".join(err)


def test_several_classes_are_refused_with_what_to_use(tmp_path, capsys):
    np.savetxt(tmp_path / "classes.csv", [[1, 0], [2, 1], [3, 2]], delimiter=",")
    assert main(["solve", "classes.csv"]) == 2
    err = capsys.readouterr().err
    assert "3 distinct labels" in err
    assert "label: the last column; --label names another" in err  # labels first, say


def test_a_damaged_file_is_bad_input(tmp_path, capsys):
    (tmp_path / "cut.svm.gz").write_bytes(b"\x1f\x8b\x08\x00not gzip at all")
    assert main(["faceoff", "cut.svm.gz"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("cdlab: ")


@pytest.mark.parametrize("words", [["Unable to allocate 728. TiB"], []])
def test_memory_that_is_not_there_is_bad_input(words, data, monkeypatch, capsys):
    def hungry(*_, **__):
        raise MemoryError(*words)

    monkeypatch.setattr(cdlab.datasets, "load", hungry)
    assert main(["faceoff", "small.csv"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == " ".join(["cdlab: there is not enough memory for this problem", *(f"({each})" for each in words)])


DIGITS = "7" * 400


@pytest.mark.parametrize(
    "command",
    [
        "7",
        "solve 7",
        "solve small.csv --nonsense 7",
        "solve small.csv --split 7",
        "solve small.csv --loss huber:gamma=7",
        "solve small.csv --loss huber:7=1",
        "solve small.csv --l2 x7",
        "solve small.csv --label 7",
        "solve small.csv --method sdca@7",
        "solve small.csv --seed 7",
        "solve small.csv --method svrg:m=7",
        "solve small.csv --l2 7",
        "race small.csv sdca --seeds 0-7",
        "path small.csv --l2 1,7/m",
        "predict 7 small.csv",
        "sweep 7",
        "serve --origin 7",
        "serve --address 7",
    ],
)
def test_nobody_reads_400_digits(command, data, capsys):
    assert main(command.replace("7", DIGITS).split()) == 2
    out, err = capsys.readouterr()
    assert "7" * 101 not in out + err
    assert err.splitlines()[-1].startswith("cdlab: ")


def test_a_store_of_400_digits_is_not_echoed_whole(data, tmp_path, capsys):
    (tmp_path / "g.toml").write_text(
        'store = "s"\nexecutor = "serial"\n[grid]\ndata = "small.csv"\nl2 = 0.1\ntol = 0.1\n'
    )
    ran(capsys, "sweep", "g.toml", "--quiet")
    ((key, text),) = texts(tmp_path / "s", "row").items()
    write_text(tmp_path / "s", key, json.dumps(json.loads(text) | {"data": DIGITS, "method": DIGITS}), "row")
    assert "7" * 101 not in ran(capsys, "sweep", "g.toml", "--quiet")
