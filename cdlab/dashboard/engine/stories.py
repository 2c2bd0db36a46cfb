"""Twelve stories: a question, a race, a change, another race, and what both show.

Each claim holds for 9 of 10 seeds (`tests/dashboard/engine/test_stories.py`).
"""

from __future__ import annotations

from typing import Any

from .schema import Story, StoryStep


def both(sampling: str) -> dict[str, str]:
    """One sampling for both sides."""
    return {"dual_sampling": sampling, "primal_sampling": sampling}


DENSE: dict[str, Any] = {"density": 1.0, "skew": 0.0}
EVEN: dict[str, Any] = {"skew": 0.0}
HINGED: dict[str, Any] = {"loss": "smooth_hinge", "scale": "mean"}

STORIES: dict[str, Story] = {
    "short side": Story(
        "short side",
        "The short side",
        [
            StoryStep(
                "400 examples, 20 features, no zeros. A primal step reads a column, a dual step a row. Who needs fewer "
                "passes?",
                DENSE | HINGED | {"n": 400, "d": 20, "l2": 0.1, "row_spread": 0.8, "passes": 2000} | both("importance"),
            ),
            StoryStep("20 examples, 400 features. And now?", {"n": 20, "d": 400}, "Exchange n and d"),
        ],
        "In dense data the side with the shorter steps wins. With 400 examples of 20 features rcd needed {a.lead} "
        "times sdca's passes, {a.rcd} against {a.sdca}; exchanged, sdca needed {b.lead} times rcd's, {b.sdca} against "
        "{b.rcd}.",
    ),
    "long rows": Story(
        "long rows",
        "Long rows",
        [
            StoryStep(
                "Ten times as many examples as features. But a few rows are full, and all others hold one entry. Who "
                "wins?",
                HINGED
                | {"data": "worst_dual", "n": 1000, "d": 100, "density": 0.012, "passes": 500}
                | both("importance"),
            ),
            StoryStep(
                "About as many entries, and every row has about as many as the next. And now?",
                {"data": "synthetic", "skew": 0.0},
                "Spread the entries evenly",
            ),
        ],
        "A long row is an expensive dual step, and a heavy one, which the dual must take often. With long rows sdca "
        "needed {a.lead} times rcd's passes; without them rcd needed {b.lead} times sdca's.",
    ),
    "frequent words": Story(
        "frequent words",
        "Frequent words",
        [
            StoryStep("Every word is about as frequent as the next. Who needs fewer passes?", EVEN),
            StoryStep(
                "Now a few words stand in almost every example, as in a language. And now?",
                {"skew": 1.3},
                "Make a few words frequent",
            ),
        ],
        "A frequent word makes a full column, and a full column an expensive primal step. With every word equally "
        "frequent rcd needed {a.lead} times sdca's passes; with a few in every example, {b.lead} times.",
    ),
    "one heavy row": Story(
        "one heavy row",
        "One heavy row",
        [
            StoryStep(
                "One example has every feature, and 8 times the norm of the others. quartz takes fixed steps and draws "
                "all examples equally often. Who wins?",
                HINGED
                | {"data": "arrow", "n": 300, "d": 60, "l2": 10.0, "methods": ["rcd", "quartz"], "passes": 1000}
                | {"seed": 2},
            ),
            StoryStep(
                "Both sides draw by importance: heavy lines more often. And now?",
                both("importance"),
                "Draw by importance",
            ),
        ],
        "Drawn uniformly, each dual step is as short as the heavy row needs, {a.quartz} passes; by importance it fits "
        "its own row, {b.quartz}. The full first column is drawn often then, too: that costs rcd {b.rcd} passes, where "
        "drawn rarely it was {a.rcd}.",
    ),
    "the order": Story(
        "the order",
        "The order",
        [
            StoryStep(
                "All examples are alike. Both sides take their coordinates in turn, always in the same order. "
                "Who wins?",
                both("cyclic") | {"data": "sun_ye", "n": 40, "loss": "squared", "l2": 0.05, "passes": 6000, "seeds": 3},
            ),
            StoryStep("Both draw at random. And now?", both("uniform"), "Draw at random"),
        ],
        "In a fixed order each dual step undoes what the last one did: {a.sdca} passes, at random {b.sdca}. rcd does "
        "better in order: {a.rcd} passes, at random {b.rcd}. No theorem here covers the fixed order.",
    ),
    "a kink": Story(
        "a kink",
        "A kink and its smoothing",
        [
            StoryStep(
                "The hinge loss has a kink, where it has no gradient. Who can step at all?",
                DENSE
                | {"n": 300, "d": 30, "noise": 0.5, "gamma": 0.1, "loss": "hinge", "scale": "mean", "passes": 2000},
            ),
            StoryStep(
                "The kink rounded by γ = 0.1: now both can. Who wins?",
                {"loss": "smooth_hinge"},
                "Round the kink",
            ),
        ],
        "A kink stops primal steps, not dual ones, but it slows them: {a.sdca} passes, and {b.sdca} once it is "
        "rounded. The primal can then run, and needed {b.lead} times as many.",
    ),
    "acceleration": Story(
        "acceleration",
        "Acceleration",
        [
            StoryStep(
                "Momentum, λ = 1/n. How much does it save?",
                EVEN | {"methods": ["rcd", "acc_rcd"], "passes": 5000},
            ),
            StoryStep("λ = 0.01/n: κ is 100 times larger. And now?", {"l2": 0.01}, "λ ÷ 100"),
        ],
        "The bound grows like κ, with momentum like √κ. At λ = 1/n: {a.acc_rcd} passes for {a.rcd}. At 0.01/n: "
        "{b.acc_rcd} for {b.rcd}.",
    ),
    "mini-batches": Story(
        "mini-batches",
        "Mini-batches",
        [
            StoryStep("32 examples at once: 32 times fewer rounds?", EVEN | {"methods": ["quartz", "quartz(32)"]}),
            StoryStep(
                "Every example has every feature, λ = 10/n. And now?",
                DENSE | {"l2": 10.0, "passes": 2000},
                "Fill the matrix, λ = 10/n",
            ),
        ],
        "Rows that share few columns hardly disturb each other: {a.quartz} rounds become {a.quartz(32)}. In dense data "
        "each step must shrink: {b.quartz} become {b.quartz(32)}. How much is what ESO, expected separable "
        "overapproximation, works out.",
        axis="iterations",
    ),
    "un-regularising": Story(
        "un-regularising",
        "Un-regularising",
        [
            StoryStep(
                "λ = 0.01: both do well. And at a hundredth?",
                DENSE
                | {"n": 500, "d": 40, "condition": 100.0, "loss": "squared"}
                | {"methods": ["sdca", "appa"], "l2": 0.01, "l2_over_n": False, "passes": 2500, "seeds": 3},
            ),
            StoryStep("λ = 10⁻⁴. And at a hundredth of that?", {"l2": 1e-4}, "λ ÷ 100"),
            StoryStep("λ = 10⁻⁶. Who still gets there?", {"l2": 1e-6}, "λ ÷ 100 again"),
        ],
        "sdca pays for κ: {a.sdca}, {b.sdca}, {c.sdca} passes. appa solves a few well-held problems, each from the "
        "last one's answer: {a.appa}, {b.appa}, {c.appa}.",
    ),
    "importance that loses": Story(
        "importance that loses",
        "Importance that loses",
        [
            StoryStep(
                "The bound promises fewer passes if heavy columns are drawn more often. Do you believe it?",
                {"methods": ["rcd@uniform", "rcd@importance"]},
            ),
            StoryStep(
                "And the dual side, with uniform draws?",
                {"methods": ["rcd@uniform", "rcd@importance", "sdca"]},
                "Show sdca",
            ),
        ],
        "Drawn by importance it took {a.rcd, importance} passes instead of {a.rcd, uniform}: most of the work went to "
        "three words, and the rarest waited long for a step. sdca needed {b.sdca}.",
    ),
    "sparse answers": Story(
        "sparse answers",
        "L1 and sparse answers",
        [
            StoryStep(
                "A reader of the model wants few weights. λ alone keeps them all. Who wins without L1?",
                {"methods": ["rcd", "sdca"]},
            ),
            StoryStep(
                "An L1 weight: after each step w is shrunk towards 0, the prox. Does the race slow down?",
                {"l1": 0.003},
                "Add an L1 weight",
            ),
        ],
        "With L1 each step ends in a prox, which sets small weights to exactly 0: {b.sdca.weights} of 200 stay, before "
        "it were {a.sdca.weights}. The race took rcd {b.rcd} passes instead of {a.rcd}, sdca {b.sdca} instead of "
        "{a.sdca}.",
    ),
    "a saddle point": Story(
        "a saddle point",
        "A saddle point",
        [
            StoryStep(
                "spdc moves w and α together, towards the saddle point of one function of both, with momentum. At λ = "
                "1/n, is it worth it?",
                EVEN | {"methods": ["sdca", "spdc"], "passes": 5000},
            ),
            StoryStep("λ = 0.01/n: κ is 100 times larger. And now?", {"l2": 0.01}, "λ ÷ 100"),
        ],
        "sdca pays for κ, spdc for √(nκ). At λ = 1/n: {a.spdc} passes for sdca's {a.sdca}. At 0.01/n: {b.spdc} for "
        "{b.sdca}.",
    ),
}
