"""What the README promises, each with the test of every push that keeps it."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
README = (TESTS.parent / "README.md").read_text(encoding="utf-8")
TABLE = """
fast solvers with certified duality gaps
    runs/test_solving.py::test_the_tolerance_is_certified_from_fresh_vectors
their bounds as formulas that are evaluated on your data and drawn over the measured curves
    plots/test_plot_race.py
A race on the dashboard
    ui/test_served_page.py::test_a_first_visit_asks_for_a_guess_races_and_tells_why
as files and as one file to mail
    dashboard/wasm/test_browsers.py::test_one_file_plays_the_first_story_from_a_disk
This installs cdlab and opens the dashboard
    ../.ci/run
.venv/bin/panel serve apps/faceoff.py
    ../.ci/run
This installs it with what the tests need, and runs them
    ../.ci/run
.venv/bin/pytest -n auto
    ../.ci/run
`cdlab serve` opens the same dashboard
    dashboard/test_serving.py::test_cdlab_serve_answers_at_the_address_of_panel_serve
fair turns between visitors
    dashboard/test_thread_pools.py::test_clients_are_served_in_turn_however_many_jobs_one_hands_in
Ten lines
    project/test_readme.py::test_the_snippets_of_a_page_run_in_their_order
race.summary(1e-6)
    project/test_readme.py::test_the_snippets_of_a_page_run_in_their_order
The race of these ten lines
    plots/test_plot_saving.py::test_the_picture_in_the_readme_is_the_one_that_its_script_draws
writes SVG, PNG or PDF without a browser
    plots/test_plot_saving.py::test_every_picture_can_be_saved
The same from a terminal
    project/test_readme.py::test_the_commands_of_a_page_run
cdlab advise mushrooms
    project/test_readme.py::test_the_commands_of_a_page_run
choose the method themselves and say which and why
    cli/test_cli_path.py::test_solve_says_what_auto_chose
gives each its own certificate
    paths/test_path.py::test_every_solution_is_certified_for_its_own_weights
`cdlab.load_solution` reads it
    runs/test_solution_file.py::test_a_solution_comes_back_as_it_was
prints the labels of new data
    cli/test_cli_data.py::test_the_labels_that_are_there_are_compared
Your own table
    project/test_readme.py::test_the_snippets_of_a_page_run_in_their_order
are estimators with a certificate
    estimators/test_estimators.py::test_the_gap_bounds_the_suboptimality
Quantiles, signs, bounds and weights of features
    problems/test_bounds.py::test_golden_optima
says how far a fitted model of scikit-learn is from its optimum
    certificates/test_certify.py::test_never_below_the_distance_and_within_ten_times_of_it
changes when counted costs promise less work
    methods/test_auto.py
short rows and long columns favour the dual
    test_golden.py::test_thresholds
ranks every method and sampling that fits
    advice/test_advice.py::test_a_ranking_has_all_that_fits_once_and_its_order_is_by_seconds_or_passes
the same seed gives the same trace
    sweeps/test_racing.py::test_a_race_is_its_solves
says why it came out so
    explanations/test_explain.py::test_sentences_are_printed_and_progress_is_shown
checks without rounding
    proofs/test_checker.py::test_every_loss_in_every_setting_is_accepted_and_its_claim_is_the_exact_gap
and the page in the browser
    proofs/test_page_checker.py::test_the_page_reads_data_in_every_form_but_bz2_and_xz
digits of the optimum that are certain
    proofs/test_digits.py::test_intervals_hold_the_optimum_in_60_digits
takes more data than memory holds
    distributed/test_scan.py
leaves out what cannot matter any more
    methods/test_screening.py::test_the_answer_and_its_certificate_are_those_of_all_coordinates
All methods, samplings and losses
    methods/test_listing.py
are each one class or one call in a file or notebook of your own
    exercises/test_exercises.py::test_instances_run_without_being_registered
judges each claim by a rule in words and numbers
    papers/test_reproduce.py::test_every_claim_has_a_verdict_by_its_rule
A course
    project/test_course.py::test_outputs_are_those_of_the_present_sources
every theorem
    theory/test_documents.py::test_the_committed_page_is_what_the_objects_say
twenty questions
    project/test_readme.py::test_the_links_of_a_page_lead_somewhere
in a folder that loses no finished one
    sweeps/test_sweep_kills.py::test_kills_of_workers_and_of_the_parent_lose_what_was_going_and_nothing_else
"""  # words of the README, and below them who keeps them
LINES = [line.strip() for line in TABLE.strip().splitlines()]
PROMISES = dict(zip(LINES[::2], LINES[1::2], strict=True))
# how paragraphs begin that promise nothing, or what a release checks: the site, and what was measured
OTHERS = (
    *("**Primal or dual?**", "$$P(w)", "One can update", "`source .venv", "What each rests on"),
    *("The site: all of these", "Measured:", "[docs/scaling.md]", "[docs/kernels.md]", "[CHANGELOG.md]"),
)


def paragraphs():
    """The paragraphs and points of the README without its headings, each on one line, code whole."""
    text = re.sub(r"```.*?```", lambda code: code[0].replace("\n\n", "\n"), README, flags=re.DOTALL)
    found = [re.sub(r"\s+", " ", each).strip() for each in re.split(r"\n\n|^- ", text, flags=re.MULTILINE)]
    return [each for each in found if each and not each.startswith("#")]


@pytest.mark.parametrize(("words", "keeper"), PROMISES.items())
def test_a_promise_has_a_test_on_every_push(words, keeper):
    assert words in re.sub(r"\s+", " ", README)
    file, _, name = keeper.partition("::")
    source = (TESTS / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        assert not re.search(r"^pytestmark = .*mark\.full", source, flags=re.MULTILINE)
        tests = [
            node
            for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
        ]
        on_every_push = [
            each.name for each in tests if not any("mark.full" in ast.unparse(d) for d in each.decorator_list)
        ]
        assert name in on_every_push if name else on_every_push


def test_every_paragraph_of_the_readme_has_a_promise_or_is_known_to_have_none():
    assert [
        each for each in paragraphs() if not any(words in each for words in PROMISES) and not each.startswith(OTHERS)
    ] == []
