"""Code that promises something, and the tests that should notice when it is changed: what mutants.py tries."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Subject:
    """Code that promises, and the tests that should notice when it breaks the promise."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    deselect: str = ""  # pytest's -k: what is slow without the compiler, or judges by seconds


RUNS = (
    "tests/runs/test_running.py",
    "tests/runs/test_solving.py",
    "tests/problems/test_certificates.py",
    "tests/runs/test_trace.py",
    "tests/runs/test_starts.py",
    "tests/numerics/test_not_a_number.py",
    "tests/runs/test_interrupts.py",
    "tests/runs/test_defaults.py",
)
UNCOMPILED = "not diverge and not interrupted_run"  # without the compiler numpy warns of the one, and the other is slow
THEORY = (
    "tests/theory/test_theory_errors.py",
    "tests/theory/test_on_problems.py",
    "tests/theory/test_curves.py",
    "tests/theory/test_bounds.py",
    "tests/theory/test_bounds_on_problems.py",
)
LOSSES = ("tests/losses/test_losses.py", "tests/losses/test_vector_loss.py", "tests/problems/test_softmax_problem.py")
SUBJECTS = {
    "certificates": Subject(
        ("cdlab/problems/certificates.py", "cdlab/problems/rounding.py"),
        ("tests/problems/test_certificate_values.py", *RUNS),
        UNCOMPILED,
    ),
    "running": Subject(
        (
            "cdlab/runs/running.py",
            "cdlab/runs/entries.py",
            "cdlab/runs/feed.py",
            "cdlab/runs/measuring.py",
            "cdlab/runs/pauses.py",
        ),
        (*RUNS, "tests/runs/test_pacing.py"),
        UNCOMPILED,
    ),
    "solving": Subject(
        ("cdlab/runs/solving.py", "cdlab/runs/limits.py"), (*RUNS, "tests/runs/test_solution_file.py"), UNCOMPILED
    ),
    "racing": Subject(
        ("cdlab/sweeps/racing.py", "cdlab/runs/race_result.py"),
        ("tests/runs/test_race_result.py", "tests/sweeps/test_racing.py", "tests/runs/test_defaults.py"),
    ),
    "trace": Subject(
        ("cdlab/runs/trace.py",),
        ("tests/runs/test_trace.py", "tests/runs/test_damaged_traces.py", "tests/sweeps/test_racing.py"),
    ),
    "losses": Subject(tuple(f"cdlab/losses/{name}.py" for name in ("scalar", "softmax", "per_example")), LOSSES),
    "weights": Subject(
        ("cdlab/losses/weighted.py", "cdlab/problems/weights.py"),
        (
            "tests/problems/test_sample_weights.py",
            "tests/problems/test_offsets.py",
            "tests/methods/test_weights_in_methods.py",
        ),
    ),
    "problem": Subject(
        ("cdlab/problems/problem.py", "cdlab/problems/labels.py"),
        (
            "tests/problems/test_problem.py",
            "tests/problems/test_sample_weights.py",
            "tests/problems/test_intercept.py",
            "tests/problems/test_certificates.py",
        ),
        "not divide and not diverge and not interrupted_run",  # numpy warns where compiled code is silent
    ),
    "samplings": Subject(
        tuple(f"cdlab/samplings/{name}.py" for name in ("base", "serial", "alias", "blocks", "partitions")),
        ("tests/samplings/test_samplings.py", "tests/samplings/test_blocks.py"),
    ),
    "losses registry": Subject(("cdlab/losses/__init__.py",), LOSSES),
    "lookup": Subject(("cdlab/theory/lookup.py", "cdlab/theory/registry.py"), THEORY),
    "evaluate": Subject(("cdlab/theory/evaluate.py",), THEORY),
    "on_problems": Subject(
        ("cdlab/theory/assumptions.py", "cdlab/theory/bound.py", "cdlab/theory/named_samplings.py"),
        (*THEORY, "tests/theory/test_refusals.py"),
    ),
    "predicting": Subject(
        ("cdlab/advice/predictions.py",),
        ("tests/advice/test_prediction_tables.py", "tests/advice/test_predictions.py", "tests/advice/test_probes.py"),
        "not ill_conditioned and not few_examples and not easy_problem and not play_off",
    ),
}


def missing(tree: Path) -> list[str]:
    """The files and tests of subjects that are not there: they were renamed, and nobody would notice."""
    paths = {path for subject in SUBJECTS.values() for path in (*subject.files, *subject.tests)}
    return sorted(path for path in paths if not (tree / path).is_file())
