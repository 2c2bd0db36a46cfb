"""Exit codes are verdicts, what cannot be written is said, stderr is for progress."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from cases import each_of, pushed
from commands import ran, strict_json

import cdlab
import cdlab.dashboard
from cdlab.cli import main, output
from cdlab.runs import progress_line


# ---------------------------------------------------------------- exit codes
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--tol", "1e-3"], 0),
        (["--max-passes", "1"], 1),
        (["--max-seconds", "0"], 1),
        (["--tol", "0", "--max-passes", "2"], 0),  # nothing to reach
    ],
)
def test_the_exit_code_is_the_verdict(words, code, data, capsys):
    ran(capsys, "solve", "small.csv", *words, code=code)
    ran(capsys, "race", "small.csv", "sdca", *words, code=code)


def test_the_default_limit_is_that_of_the_api(data, capsys):
    """On small data it is more than 1000 passes, which whoever wants them can say."""
    words = ["solve", "small.csv", "--method", "rcd", "--l2", "1e-4", "--json"]
    P = cdlab.Problem(*cdlab.datasets.load("small.csv"), l2=1e-4)
    s = cdlab.solve(P, "rcd")
    assert s.trace.records[-1].passes > 1000
    for more, code, passes in (([], 0, s.trace.records[-1].passes), (["--max-passes", "1000"], 1, 1000)):
        assert strict_json(ran(capsys, *words, *more, code=code))["trace"]["passes"][-1] == passes


@each_of(
    "statuses, tol, code",
    [
        (["tolerance reached", "gradient small", "rounding limit"], 1e-6, 0),
        (["tolerance reached", "pass limit"], 1e-6, 1),
        (["pass limit", "time limit"], 0, 0),
        (["diverged"], 0, 1),
        (["tolerance reached", "stopped"], 1e-6, 130),
    ],
)
def test_every_status_word_has_its_exit_code(statuses, tol, code):
    assert output.exit_code(statuses, tol) == code


# ---------------------------------------------------------------- what cannot be written
FULL = "/dev/full"
needs_a_full_disk = pytest.mark.skipif(not os.path.exists(FULL), reason="this system has no /dev/full")


@needs_a_full_disk
@pytest.mark.parametrize("option", ["--save", "--solution"])
def test_a_full_disk_does_not_take_the_table(option, data, capsys):
    assert main(["solve", "small.csv", option, FULL, "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert "tolerance reached after" in out
    assert err == f"cdlab: {FULL} was not saved: No space left on device\n"


@needs_a_full_disk
def test_a_full_disk_does_not_take_the_race(data, tmp_path, capsys):
    (tmp_path / "traces").mkdir()
    os.symlink(FULL, tmp_path / "traces" / "00-sdca-uniform-seed0.json")
    assert main(["race", "small.csv", "sdca", "--save", "traces", "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert "sdca    uniform" in out
    assert err == "cdlab: traces/00-sdca-uniform-seed0.json was not saved: No space left on device\n"


@needs_a_full_disk
def test_a_result_that_cannot_be_printed_is_said(data, process):
    with open(FULL, "w") as full:
        run = process("faceoff", "small.csv", "--quiet", stdout=full)
        _, err = run.communicate(timeout=120)
    assert (run.returncode, err) == (2, "cdlab: the result could not be printed: No space left on device\n")


# ---------------------------------------------------------------- pipes
@pytest.fixture
def piped():
    """Let this process read these bytes, fewer than a pipe holds, from its standard input."""
    kept = os.dup(0)

    def give(content):
        read, write = os.pipe()
        os.write(write, content)
        os.close(write)
        os.dup2(read, 0)
        os.close(read)

    yield give
    os.dup2(kept, 0)
    os.close(kept)


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="this system has no /dev/stdin")
@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_data_may_come_through_a_pipe(stream, golden, piped, capsys):
    expected = ran(capsys, "faceoff", golden, *stream)
    piped(Path(golden).read_bytes())
    assert ran(capsys, "faceoff", "/dev/stdin", *stream) == expected.replace(golden, "/dev/stdin")


def test_every_public_name_is_there_when_it_is_asked_for():
    assert set(cdlab.__all__) <= set(dir(cdlab))
    assert all(getattr(cdlab, name) is not None for name in cdlab.__all__)
    with pytest.raises(AttributeError, match="module 'cdlab' has no attribute 'solver'"):
        cdlab.solver  # noqa: B018


# ---------------------------------------------------------------- stderr
def test_progress_goes_to_stderr_and_quiet_silences_it(data, capsys):
    words = ["race", "small.csv", "sdca", "--l2", "0.1", "--json"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    strict_json(out)
    assert "reading small.csv" in err
    assert "a race of 1: starting" in err
    assert main([*words, "--quiet"]) == 0
    out, err = capsys.readouterr()
    strict_json(out)
    assert err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_one_line_is_rewritten(data, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress_line, "TERMINAL_SECONDS", 0.0)
    assert main(["solve", "small.csv"]) == 0
    text = sys.stderr.getvalue()
    assert text.count("\n") == 1, "which column is the label stays"
    assert "\x1b[Klabel: the last column\n" in text
    text = text.replace("label: the last column\n", "")
    lines = text.split("\r")
    assert len(lines) > 5
    assert max(len(line.removesuffix("\x1b[K")) for line in lines) < 80
    assert lines[-1] == "\x1b[K", "nothing stays behind"


def test_on_a_terminal_an_error_has_its_own_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["solve", "mushroom"]) == 2
    reading, cleared, error = sys.stderr.getvalue().rpartition("\r\x1b[K")
    assert "reading mushroom" in reading
    assert error.startswith("cdlab: ")


# ---------------------------------------------------------------- processes
def test_python_m_cdlab(process):
    run = process("--version")
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err) == (0, f"cdlab {cdlab.__version__}\n", "")


@pytest.mark.full
def test_serve_until_ctrl_c(process):
    """It says where it is, answers there, and Ctrl-C is how it ends."""
    run = process("serve", "--port", "0", "--no-show")
    said = run.stdout.readline()
    url = re.search(r"http://\S+", said)
    assert url, run.communicate(timeout=60)
    with urllib.request.urlopen(url[0], timeout=60) as answer:
        assert answer.status == 200
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0
    assert "Traceback" not in err


@pytest.mark.full
def test_a_reader_that_leaves_early_is_no_error(data, process):
    """As in `cdlab solve ... | head -0`: the pipe is closed before the table is printed."""
    read, write = os.pipe()
    run = process("solve", "small.csv", stdout=write)
    os.close(read)
    os.close(write)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0
    assert "Broken" not in err
    assert "Traceback" not in err


@pytest.mark.full
@pytest.mark.parametrize("words", ["solve mushrooms --quiet", "advise mushrooms --no-probe"])
def test_help_and_verbs_without_docstrings(words):
    """`python -OO` strips them, and compiles every module that is read."""
    program = (
        "from cdlab.cli import VERBS, main\n"
        "codes = [main([verb, '--help']) for verb in VERBS]\n"
        f"codes += [main(each.split()) for each in ('data', {words!r})]\n"
        "raise SystemExit(any(codes))\n"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, timeout=250)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "usage: cdlab solve FILE [options]" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", pushed(["2>&-", "<&- 2>&-", ">&-", ">&- 2>&-"], "<&- 2>&-"))
def test_closed_streams(data, closed):
    command = f'"{sys.executable}" -m cdlab solve small.csv {closed}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0
    assert ("tolerance reached" in done.stdout) == (not closed.startswith(">"))
    assert "Traceback" not in done.stderr
    command = command.replace("small.csv", "absent.csv")
    assert subprocess.run(["sh", "-c", command], capture_output=True, timeout=250).returncode == 2


@pytest.mark.parametrize(
    "verb", ["solve zero", "faceoff zero --stream", "certify zero x", "predict zero x", "sweep zero"]
)
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no devices with names")
def test_a_device_is_refused_at_once(verb, tmp_path, capsys):
    (tmp_path / "zero").unlink(missing_ok=True)
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert main([word.replace("zero", "./zero") for word in verb.split()]) == 2
    assert "zero is a device, and a " in capsys.readouterr().err


def test_an_infinite_limit_is_none(data, capsys):
    for method in ("sdca", "rcd", "svrg", "lbfgs", "sag", "saga", "dual_appa", "auto"):
        words = ["solve", "small.csv", "--method", method, "--l2", "0.1", "--json", "--quiet"]
        endless, limited = (json.loads(ran(capsys, *words, "--max-passes", most)) for most in ("inf", "1e5"))
        assert endless["result"]["primal"] == limited["result"]["primal"]
    ran(capsys, "solve", "small.csv", "--l2", "0.1", "--solution", "s", "--quiet")
    assert "P(w) = " in ran(capsys, "certify", "s", "small.csv", "--l2", "0.2", "--max-passes", "inf", "--quiet")
