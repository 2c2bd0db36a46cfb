"""messages.txt: what users read for bad input, and a page of help. `python tests/cli/messages.py` writes it anew."""

import contextlib
import io
import os
import shlex
import tempfile
from pathlib import Path

from cdlab.cli import main

FILE = Path(__file__).with_name("messages.txt")
PROMPT = "$ cdlab "


def read():
    """The texts of the file, by command."""
    blocks = [block.partition("\n") for block in FILE.read_text(encoding="utf-8").split(PROMPT)[1:]]
    return {command: text.strip("\n") for command, _, text in blocks}


def run(command):
    """The exit code of a command, its stdout and the lines of its stderr."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(shlex.split(command))
    return code, out.getvalue().strip("\n"), err.getvalue().splitlines()


def renew():
    """Write what the commands of the file print now."""
    from commands import write_data

    commands = list(read())
    os.environ.pop("CDLAB_DATA", None)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_data(Path())
        found = {command: run(command) for command in commands}
    FILE.write_text("\n".join(f"{PROMPT}{command}\n{out or err[-1]}\n" for command, (_, out, err) in found.items()))


if __name__ == "__main__":
    renew()
