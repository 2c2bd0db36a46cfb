"""The command line: ``cdlab VERB``, with the verbs of `VERBS`.

A verb is a function of its own name in a file of that name, or in the file that `FILES` says. Its signature is its
options, its docstring their help (commands.py); it returns the exit code and the text for stdout. A ValueError or an
OSError that it raises is bad input, of which `main` prints the sentence. What verbs share is in options.py, values.py
and output.py.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence

from .._version import __version__

VERBS = {
    "serve": "open the dashboard: data, methods and bounds in the browser",
    "page": "the dashboard without Python, as files for a web server or a mail",
    "data": "the data sets that have names, and where each comes from",
    "faceoff": "primal or dual? the bounds for one data set, without solving",
    "advise": "which method should be fastest, and the bound that says so",
    "solve": "minimise by one method, with a certificate",
    "certify": "how far given coefficients are from the optimum, at most",
    "check": "what a certificate file proves, by a checker of its own",
    "predict": "labels of new data, by a solution that solve wrote",
    "path": "solutions for several weights, each from the one before",
    "race": "several methods and seeds on one problem, measured alike",
    "sweep": "many runs over a grid, kept in a folder and resumed from it",
}
# Verbs that became commands of a clone.
MOVED = {
    "reproduce": "python -m papers",
    "bench": "python -m benchmarks.peers",
}

FILES = {
    "path": "solve",
    "certify": "solutions",
    "check": "solutions",
    "predict": "solutions",
}  # These verbs share a file.

HELP_OPTIONS = {"-h", "--help"}
MAX_SENTENCE = 200  # characters

HELP = """usage: cdlab VERB ...

Primal or dual coordinate descent? Solvers, their bounds and the race between
them, for

    P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1

with the examples x_i in the rows of X (n, d) and a convex loss phi.

verbs (cdlab VERB --help explains each)
{verbs}

examples, on a data set that comes with cdlab
  cdlab serve
  cdlab page site
  cdlab data
  cdlab faceoff mushrooms --scale mean --l2 1/n
  cdlab advise mushrooms --scale mean --l2 1/n
  cdlab solve mushrooms --l2 1/n --tol 1e-8
  cdlab solve mushrooms --l2 1/n --solution s.npz
  cdlab predict s.npz mushrooms
  cdlab certify s.npz mushrooms --l2 1/n
  cdlab solve mushrooms --l2 1/n --certificate mushrooms.cert
  cdlab check mushrooms.cert mushrooms
  cdlab path mushrooms --l2 10,1,0.1/n
  cdlab race mushrooms rcd sdca quartz@importance --seeds 0-2

exit codes
  0    tolerance reached, gradient small, rounding limit, or nothing to reach
  1    a limit was reached first, or a run stopped or diverged
  2    bad input, or a result that could not be saved: one sentence on stderr
  130  interrupted (Ctrl-C); what was reached so far is printed
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``cdlab``; by default those of the process.

    Returns
    -------
    int
        0, 1, 2 or 130, as ``cdlab --help`` explains. Bad input is one sentence on stderr and 2, never a traceback.

    Examples
    --------
    >>> main(["faceoff", "mushrooms", "--l2", "1/n", "--quiet", "--nonsense"])
    2
    """
    return run_program(_run, argv)


def run_program(run: Callable[[list[str]], tuple[int, str]], argv: Sequence[str] | None = None) -> int:
    """Run a program, print its text, and return its exit code; errors as for `main`.

    Parameters
    ----------
    run : callable
        Takes the words, and returns the exit code and the text for stdout.
    argv : sequence of str, optional
        The words; by default those of the process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
    try:
        with _warnings_as_lines():
            code, text = run(words)
    except (ValueError, OSError, MemoryError) as error:  # bad input; anything else is our mistake: it has a traceback
        print(f"cdlab: {_sentence(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cdlab: interrupted", file=sys.stderr)
        return 130
    return code if _print(text) else 2


def _run(words: list[str]) -> tuple[int, str]:
    """The exit code, and the text for stdout. Nothing is loaded before it is needed: numpy, say."""
    verb, *rest = words or [""]
    if verb in HELP_OPTIONS:
        return 0, HELP.format(verbs="\n".join(f"  {name:11}{line}" for name, line in VERBS.items()))
    if words == ["--version"]:
        return 0, f"cdlab {__version__}"
    if verb in MOVED:
        raise ValueError(f"cdlab {verb} is now a command of a clone of cdlab: {MOVED[verb]}")
    if verb not in VERBS:
        raise ValueError(_unknown(verb))
    return call(f"cdlab {verb}", getattr(importlib.import_module(f"{__name__}.{FILES.get(verb, verb)}"), verb), rest)


def call(command: str, function: Callable[..., tuple[int, str]], words: list[str]) -> tuple[int, str]:
    """The exit code and the text of a command's function for these words, or its help.

    Parameters
    ----------
    command : str
        As it is typed, such as ``cdlab solve``.
    function : callable
        Its signature is the options, its docstring their help.
    words : list of str
        Those after the command.

    Raises
    ------
    ValueError
        If the words do not fit the signature.
    """
    from . import commands

    if HELP_OPTIONS & set(words):
        return 0, commands.help_text(command, function)
    arguments = commands.bind(command, function, words)
    return function(*arguments.args, **arguments.kwargs)


def _unknown(verb: str) -> str:
    if not verb:
        return f"name a verb: {', '.join(VERBS)}; cdlab --help explains them"
    from ..numerics.checks import did_you_mean, short_repr

    return f"there is no verb {short_repr(verb)}{did_you_mean(verb, VERBS)} (verbs: {', '.join(VERBS)})"


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print warnings as lines of this command, without the place in the code that Python adds."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: print(f"cdlab: {message}", file=sys.stderr)
        yield


def _print(text: str) -> bool:
    """Print it, and say so if that cannot be done (the disk is full, say)."""
    try:
        print(text, end="\n" if text else "", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or it would be tried again at the end
        if not isinstance(error, BrokenPipeError):  # the reader (head, less) has what it wanted
            print(f"cdlab: the result could not be printed: {error.strerror}", file=sys.stderr)
            return False
    return True


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this problem" + (f" ({error})" if str(error) else "")
    if isinstance(error, OSError) and error.strerror and error.filename:
        sentence = f"{error.filename}: {error.strerror}"
    else:
        sentence = " ".join(str(error).split())
    if len(sentence) < MAX_SENTENCE:
        return sentence
    from ..numerics.checks import shorten_long_words

    return shorten_long_words(sentence)
