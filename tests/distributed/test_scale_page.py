"""docs/scale.md does what it says: its snippets print what stands below them, and its commands work as they stand."""

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cdlab import cli

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, flags=re.DOTALL)
COMMANDS = [line for block in re.findall(r"```bash\n(.*?)```", PAGE, flags=re.DOTALL) for line in block.splitlines()]
HERE = str(Path(sys.executable).parent)
STAYS = ("dask scheduler", "dask worker")


@pytest.mark.full
def test_the_snippets_print_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for snippet, printed in SNIPPETS:
        exec(snippet, names)
        out = capsys.readouterr().out
        assert not printed or out == printed
    (alone,) = [command for command in COMMANDS if command.endswith("--engine alone")]
    assert cli.main(shlex.split(alone)[1:]) == 0
    assert "tolerance reached" in capsys.readouterr().out


@pytest.mark.full
def test_the_commands_work_in_their_order(tmp_path, monkeypatch):
    pytest.importorskip("mpi4py")
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", HERE, prepend=":")
    exec(SNIPPETS[0][0], {})
    going = []
    try:
        for command in COMMANDS:
            if command.startswith(STAYS):
                with Path(f"log{len(going)}").open("w") as log:
                    going.append(subprocess.Popen(shlex.split(command), stdout=log, stderr=log))
                wait_for(Path(f"log{len(going) - 1}"), "Scheduler at|Registered to.*\n(.*\n)*.*Registered to")
            else:
                done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=120, check=False)
                assert done.returncode == 0, done.stderr
                assert done.stdout.count("tolerance reached") == 1
    finally:
        for process in reversed(going):
            process.terminate()
            process.wait()
    assert Path("w.npz").exists()


def wait_for(log, words, seconds=60):
    end = time.monotonic() + seconds
    while not re.search(words, log.read_text()):
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.1)
