"""What the command line takes: help that teaches, values as written, and one sentence for what is wrong."""

import json

import numpy as np
import pytest
from commands import ran
from hypothesis import given
from hypothesis import strategies as st

import cdlab
import cdlab.dashboard
from cdlab import cli
from cdlab.cli import main, values
from cdlab.methods import RCD, SDCA, Quartz
from cdlab.samplings import Distributed, Importance, Lipschitz, TauNice, Uniform


# ---------------------------------------------------------------- help
def help_of(capsys, *words):
    return ran(capsys, *words, "--help")


@pytest.mark.parametrize("verb", cli.VERBS)
def test_help_teaches(verb, capsys):
    text = help_of(capsys, verb)
    assert "example" in text
    assert max(map(len, text.splitlines())) <= 80, "a terminal of 80 columns shows it unbroken"
    if verb != "serve":
        assert ("faceoff-fig2a" if verb == "reproduce" else "mushrooms") in text
        assert "exit codes" in text
        assert "columns:\n" in text or "values:\n" in text


def test_help_lists_every_verb_that_works(capsys):
    text = ran(capsys, "--help")
    assert all(f"\n  {verb} " in text for verb in cli.VERBS)
    assert max(map(len, text.splitlines())) <= 80


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


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("sdca", (SDCA(), Uniform())),
        ("rcd@importance", (RCD(), Importance())),
        ("quartz:step=local,averaged=true@lipschitz:power=0.25", (Quartz("local", True), Lipschitz(0.25))),
        ("quartz:averaged=false@lipschitz:power=1", (Quartz(), Lipschitz(1.0))),
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
BAD = {
    "no verb": ("", "name a verb"),
    "unknown verb": ("slove small.csv", "did you mean 'solve'"),
    "no file named": ("solve", "FILE is required"),
    "empty name": ("solve ''", "this name is empty"),
    "missing file": ("solve ./nothing.svm", "there is no file"),
    "unknown data set": ("faceoff mushroom", "did you mean mushrooms"),
    "unknown method": ("solve small.csv --method sdcaa", "did you mean 'sdca'"),
    "unknown loss": ("solve small.csv --loss logistik", "did you mean 'logistic'"),
    "unknown sampling": ("solve small.csv --sampling uniformly", "did you mean 'uniform'"),
    "unknown option": ("solve small.csv --metod sdca", "--metod"),
    "shortened option": ("solve small.csv --met sdca", "--met"),
    "unknown parameter": ("solve small.csv --method quartz:average=true", "step, averaged"),
    "parameter of the parameterless": ("solve small.csv --method acc_rcd:step=1", "it has none"),
    "parameters as in Python": ("solve small.csv --loss huber(gamma=0.5)", "here it is written huber:gamma=0.5"),
    "no value": ("solve small.csv --loss huber:gamma", "key=value"),
    "truth wanted": ("solve small.csv --method quartz:averaged=maybe", "true or false"),
    "number wanted": ("solve small.csv --loss huber:gamma=wide", "is a number"),
    "negative gamma": ("solve small.csv --loss huber:gamma=-1", "gamma of the loss Huber must be"),
    "wrong word": ("solve small.csv --method quartz:step=long", "'fixed' or 'local'"),
    "l2 of words": ("solve small.csv --l2 small", "such as 1e-3, 1/n"),
    "l2 over d": ("solve small.csv --l2 1/d", "such as 1e-3, 1/n"),
    "negative l2": ("solve small.csv --l2 -1", "l2 must be"),
    "l2 = 0": ("solve small.csv --method sdca --l2 0", "needs l2 > 0"),
    "infinite l2": ("solve small.csv --l2 inf", "l2 must be a finite number"),
    "tol nan": ("solve small.csv --tol nan", "tol must be"),
    "no limit": ("solve small.csv --max-passes none", "without a limit"),
    "weights with n inside": ("path small.csv --l2 1/n,2", "where /n is for all of them"),
    "weights of words": ("path small.csv --l1 0,small/n", "such as 1e-3, 1/n or 0.1/n, not 'small/n'"),
    "no weights": ("path small.csv --l2 ''", "not ''"),
    "one weight twice": ("path small.csv --l2 1,1", "a weight l2 is given twice"),
    "a weight below 0": ("path small.csv --l2=-1,-2", "l2 must be a finite number >= 0"),
    "no folder for a path": ("path small.csv --save nowhere/path.csv", "cannot write nowhere/path.csv"),
    "a path of a misfit": ("path small.csv --method greedy --l1 0.1,0.2", "greedy does not handle l1 > 0"),
    "a sampling for auto": ("solve small.csv --sampling importance", "leave the sampling out, or name a method"),
    "an intercept in bounds": ("faceoff small.csv --intercept", "leave out --intercept"),
    "an intercept for sdca": ("solve small.csv --intercept --method sdca", "sdca takes no intercept"),
    "an intercept in a hinge": ("solve small.csv --intercept --loss hinge", "with an intercept needs a smooth loss"),
    "an intercept nobody takes": ("race small.csv --intercept --loss hinge", "no entry of the default field fits"),
    "every 0": ("solve small.csv --every 0", "every must be"),
    "huge d": ("solve small.csv --n-features 99999999999", "whole number from 0 to"),
    "too few columns": ("solve small.csv --n-features 3", "at least 7"),
    "misfit": ("solve small.csv --method sdca --loss hinge --sampling importance", "needs a smooth loss"),
    "no test part": ("solve other.csv --test other.csv", "has no test part"),
    "test in training": ("solve small.csv --split all --test small.csv", "trains on the test part"),
    "scale of other data": ("solve small.csv --scale mean --test other.csv", "mean row norm of small.csv"),
    "no folder": ("solve small.csv --save nowhere/trace.json", "cannot write nowhere/trace.json"),
    "folder for a file": ("solve small.csv --solution .", "cannot write ."),
    "entry without sampling": ("race small.csv sdca@", "METHOD@SAMPLING"),
    "entry without method": ("race small.csv @uniform", "METHOD@SAMPLING"),
    "entry unknown": ("race small.csv rcd sdcaa", "did you mean 'sdca'"),
    "entry that does not fit": ("race small.csv sdca greedy --l1 0.1", "greedy does not handle l1 > 0"),
    "nobody fits": ("race small.csv --loss hinge --l2 0", "no entry of the default field fits this problem: rcd needs"),
    "seeds": ("race small.csv --seeds two", "0,1,7 or 0-4"),
    "backward seeds": ("race small.csv --seeds 4-0", "from small to large"),
    "one seed twice": ("race small.csv --seeds 1,0-2", "a seed twice"),
    "eps 0": ("race small.csv --eps 0", "eps must be a number between 0 and 1"),
    "eps 2": ("race small.csv --eps 2", "eps must be a number between 0 and 1"),
    "seeds without end": ("race small.csv --seeds 0-99999999", "more than 10000 seeds"),
    "seeds by and by": ("race small.csv --seeds 0-5000,6000-12000", "more than 10000 seeds"),
    "bucket in words": ("solve small.csv --sampling bucket", "METHOD:batch_size=8 or tau_nice:tau=8"),
    "blocks of no size": ("race small.csv rcd@tau_nice", "write tau_nice:tau=NUMBER"),
    "machines of no size": ("race small.csv rcd@distributed:c=2", "needs tau"),
    "blocks of words": ("solve small.csv --sampling independent:p=half", "p is a number"),
    "negative power": ("solve small.csv --sampling lipschitz:power=-1", "power must be a number >= 0"),
    "smooth method without l2": ("solve small.csv --method saga --loss hinge --l2 0", "or use the method spdc"),
    "wider test data": ("solve small.csv --test mushrooms", "have 112 features and the training data small.csv have 7"),
    "no such address": ("serve --address 1.2.3.4.5 --no-show", "--address 1.2.3.4.5 is not an address of this machine"),
    "origin without port": ("serve --origin classroom --no-show", "--origin must be HOST:PORT"),
    "no such store": ("serve --store nowhere --no-show", "there is no store 'nowhere': it is the folder that a sweep"),
    "race folder is a file": ("race small.csv --save small.csv", "small.csv: File exists"),
    "no such port": ("serve --port 70000", "from 0 to 65535"),
    "negative derivative cost": ("faceoff small.csv --derivative-cost -1", "derivative_cost"),
    "a weight far out": ("faceoff wide.svm", "wide.svm has an index 2147483647: so many columns would take 17.2 GB"),
    "a weight far out, in passing": ("faceoff wide.svm --stream", "say so with n_features="),
    "array or not": ("faceoff small.csv --dense --sparse", "--sparse repeats or contradicts an earlier option"),
    "an array in passing": ("faceoff wide.svm --stream --dense", "--stream does not store X"),
    "words for targets": ("solve words.csv --loss squared", "'spam', and the squared loss needs numbers"),
    "several words": ("solve words.csv --test other.csv", "is not among the training labels ['ham', 'spam']"),
    "a home of nobody": ("faceoff ~nosuchuser/x", "no home folder is known for ~nosuchuser"),
    "a method inside by name": ("solve small.csv --method appa:inner=sdca", "inner must be a method's instance"),
    "a number of many digits": ("solve small.csv --seed " + "9" * 5000, "is not a whole number from 0 to"),
    "seeds of many digits": ("race small.csv --seeds " + "9" * 5000, "0,1,7 or 0-4"),
    "a weight of many digits": ("solve small.csv --l2 " + "9" * 5000, "l2 must be a finite number"),
    "a parameter of many digits": ("solve small.csv --method svrg:m=" + "9" * 5000, "svrg's m must be a whole number"),
    "bad derivative cost": ("faceoff small.csv --derivative-cost dear", "'dear' is not a number"),
}


def test_an_unknown_sampling_names_those_that_can_be_typed(data, capsys):
    assert main(["solve", "small.csv", "--sampling", "foo"]) == 2
    listed = capsys.readouterr().err.split("(samplings: ")[1].split(")")[0].split(", ")
    assert listed == [*cdlab.samplings.SAMPLINGS, "tau_nice", "independent", "distributed"]


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(case, data, capsys):
    line, sentence = BAD[case]
    assert main([word.strip("'") for word in line.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith("cdlab: ")
    assert sentence in last
    assert "Traceback" not in err


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
    (path,) = (tmp_path / "s").glob("??/*.json")
    content = json.loads(path.read_text())
    content["meta"]["source"] = content["meta"]["settings"]["method"]["name"] = DIGITS
    path.write_text(json.dumps(content))
    assert "7" * 101 not in ran(capsys, "sweep", "g.toml", "--quiet")
