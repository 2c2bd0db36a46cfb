"""``python -m benchmarks.peers``."""

import sys
from functools import partial

from cdlab.cli import call, run_program

from .command import COMMAND, compare

if __name__ == "__main__":
    sys.exit(run_program(partial(call, COMMAND, compare)))
