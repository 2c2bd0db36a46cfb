"""Twelve stories: a question, a race and what it shows, a change, another race.

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
        "03_primal_or_dual",
        [
            StoryStep(
                "Fit a linear model to dense data, one number a step. Primal (rcd): a weight for each of 40 features; "
                "a step reads 800 entries. Dual (quartz: fixed steps; sdca in story 2: exact ones): a multiplier for "
                "each of 800 examples; it reads 40.",
                DENSE
                | {"n": 800, "d": 40, "condition": 1e4, "scale": "mean", "l2": 0.03, "methods": ["rcd", "quartz"]}
                | {"passes": 3000},
                "A pass, reading X once, is 800 steps of quartz or 40 of rcd: 20 to 1. But the heaviest row makes all "
                "steps of quartz small, so bounds say {a.ratio} to 1, and for the worst case. quartz took {a.quartz} "
                "passes, rcd {a.rcd}.",
            ),
            StoryStep(
                "40 examples, 800 features. Now the columns are short and the rows long.",
                {"n": 40, "d": 800},
                "In dense data with rows of similar norm the side with the cheaper steps wins: the dual for n > d, "
                "{a.lead} times ahead, the primal for d > n, {b.lead} times. (This is not the first problem "
                "transposed: λ = 0.03/n is 20 times larger, κ/n smaller.)",
                "Exchange n and d",
            ),
        ],
    ),
    "long rows": Story(
        "long rows",
        "Long rows",
        "03_primal_or_dual",
        [
            StoryStep(
                "Ten times as many examples as features, so the dual (sdca: each step the best for one multiplier) "
                "should win. But a few rows are full, all others hold a single entry. Both sides draw heavy lines "
                "more often: by importance.",
                HINGED
                | {"data": "worst_dual", "n": 1000, "d": 100, "density": 0.012, "passes": 500}
                | both("importance"),
                "The primal wins although n > d: {a.rcd} passes against {a.sdca}. A full row is an expensive dual "
                "step, and a heavy one, which importance sampling takes often.",
            ),
            StoryStep(
                "About as many entries, but now every row has about as many as the next.",
                {"data": "synthetic", "skew": 0.0},
                "With long rows sdca needed {a.lead} times rcd's passes, most of it by importance draws; without "
                "them rcd needs {b.lead} times sdca's. C_P and C_D add up entries × norm² over the columns and over "
                "the rows: with importance draws the side with the smaller sum has the better bound.",
                "Spread the entries evenly",
            ),
        ],
    ),
    "frequent words": Story(
        "frequent words",
        "Frequent words",
        "03_primal_or_dual",
        [
            StoryStep(
                "Texts: each row is a document, each column a word, and all words are about equally frequent. (The "
                "dual side has weights, too: w(α), the sum of all rows, each times its multiplier, over λn.)",
                EVEN,
                "{a.sdca} passes against {a.rcd}. All columns are alike: no primal step is much dearer than another.",
            ),
            StoryStep(
                "Now a few words stand in almost every example, as in a language.",
                {"skew": 1.3},
                "A frequent word makes a full column: long to read, and so heavy that steps along it are small. rcd "
                "needed {a.lead} times sdca's passes, now {b.lead} times. The bounds say {b.ratio}: they must hold "
                "in the worst case, and this is not it.",
                "Make a few words frequent",
            ),
        ],
    ),
    "one heavy row": Story(
        "one heavy row",
        "One heavy row",
        "04_sampling",
        [
            StoryStep(
                "One example has every feature, and 8 times the norm of the others. The dual is quartz again: it draws "
                "all examples equally often, and all its steps are as small as the heaviest row needs.",
                HINGED
                | {"data": "arrow", "n": 300, "d": 60, "l2": 10.0, "methods": ["rcd", "quartz"], "passes": 1000}
                | {"seed": 2},
                "With uniform draws the heaviest row sets the pace of all: quartz took {a.quartz} passes. rcd took "
                "{a.rcd}: each of its steps fits its own column; only its bound takes the heaviest for all.",
            ),
            StoryStep(
                "Importance sampling draws a line the more often, the heavier it is. Now both sides do.",
                both("importance"),
                "The mean row, weighted by entries, sets the pace: quartz took {b.quartz} passes instead of "
                "{a.quartz}. But the first column is full, and drawing it often costs rcd {b.rcd} passes instead of "
                "{a.rcd}. See story 10.",
                "Draw by importance",
            ),
        ],
    ),
    "the order": Story(
        "the order",
        "The order",
        "04_sampling",
        [
            StoryStep(
                "Any two examples are equally alike. Both sides take their coordinates in turn, always in the same "
                "order.",
                both("cyclic") | {"data": "sun_ye", "n": 40, "loss": "squared", "l2": 0.05, "passes": 6000, "seeds": 3},
                "In a fixed order each dual step undoes what the last one did: {a.sdca} passes. rcd does well in "
                "it: {a.rcd}. No theorem here covers a fixed order.",
            ),
            StoryStep(
                "Both draw at random, uniformly: each time any coordinate, whatever was drawn before.",
                both("uniform"),
                "sdca: {b.sdca} passes instead of {a.sdca}; rcd: {b.rcd} instead of {a.rcd}. For independent draws "
                "there are theorems, on average and for all data. An order may do better, or far worse.",
                "Draw at random",
            ),
            StoryStep(
                "Each coordinate once a pass, but in a new random order every time: a permutation.",
                both("permutation"),
                "sdca {c.sdca} passes, rcd {c.rcd}. No line has to wait for long, as among independent draws some "
                "do, and no order comes again. For sdca the best of the three, as often; no theorem here covers it.",
                "Shuffle every pass",
            ),
        ],
    ),
    "a kink": Story(
        "a kink",
        "A kink and its smoothing",
        "05_kinks_and_smoothing",
        [
            StoryStep(
                "The hinge loss has a kink, where it has no gradient. A dual step finds the best value of one "
                "multiplier, kink or not. A primal step follows a gradient.",
                DENSE
                | {"n": 300, "d": 30, "noise": 0.5, "gamma": 0.1, "loss": "hinge", "scale": "mean", "passes": 2000},
                "sdca took {a.sdca} passes. rcd cannot run: at a kink it can get stuck, where no single weight helps, "
                "only several together. Even for sdca the theorem is weak: passes grow with 1/ε, not with "
                "ln 1/ε, and it is about averages.",
            ),
            StoryStep(
                "The kink is rounded by γ = 0.1: now both can run.",
                {"loss": "smooth_hinge"},
                "Rounded, sdca needs {b.sdca} passes instead of {a.sdca}, and rcd can run: {b.rcd}. The price: it "
                "is another loss, and the smaller γ, the nearer to the old one and the more passes: bounds grow "
                "with 1/γ.",
                "Round the kink",
            ),
        ],
    ),
    "acceleration": Story(
        "acceleration",
        "Acceleration",
        "07_acceleration_three_ways",
        [
            StoryStep(
                "acc_rcd is rcd with momentum: it keeps some of the direction of earlier steps. How hard a problem "
                "is for both: max ‖column‖²/(γλn). (κ/n, under λ on the right, is the same of rows.)",
                EVEN | {"methods": ["rcd", "acc_rcd"], "passes": 5000},
                "The bound of rcd grows like 1 + this number, with momentum like the root of that. It is small "
                "here, so momentum saves little: {a.acc_rcd} passes instead of {a.rcd}.",
            ),
            StoryStep(
                "λ is a hundred times smaller, so the number is a hundred times larger.",
                {"l2": 0.01},
                "A smaller λ makes a harder problem. rcd: {a.rcd} passes became {b.rcd}. With momentum {a.acc_rcd} "
                "became {b.acc_rcd}: nearer to √100 = 10 times as many than to 100.",
                "λ ÷ 100",
            ),
        ],
    ),
    "mini-batches": Story(
        "mini-batches",
        "Mini-batches",
        "08_mini_batches",
        [
            StoryStep(
                "quartz moves one multiplier a round; quartz(32) moves 32 at once, all from the same w, as 32 "
                "processors would. Are 32 times fewer rounds enough? (The curves count rounds, the theorems passes.)",
                EVEN | {"methods": ["quartz", "quartz(32)"]},
                "{a.quartz} rounds became {a.quartz(32)}: {a.lead} times fewer. Rows that share few columns hardly "
                "disturb each other. The ESO (expected separable overapproximation) says how much smaller each step "
                "must be: a number v for each row.",
            ),
            StoryStep(
                "Every example has every feature (and λ = 10/n).",
                DENSE | {"l2": 10.0, "passes": 2000},
                "All rows share all columns, and 32 steps from one point would overshoot. The ESO bounds what they "
                "do together by a sum of one term a row, with v up to 32 times larger: {b.quartz} rounds became "
                "only {b.quartz(32)}.",
                "Fill the matrix, λ = 10/n",
            ),
        ],
        axis="iterations",
    ),
    "un-regularising": Story(
        "un-regularising",
        "Un-regularising",
        "09_unregularising",
        [
            StoryStep(
                "A large λ makes a problem easy, but pulls w towards 0. appa adds a large λ that pulls towards its "
                "last answer instead, solves that with sdca, and begins anew. λ = 0.01.",
                DENSE
                | {"n": 500, "d": 40, "condition": 100.0, "loss": "squared"}
                | {"methods": ["sdca", "appa"], "l2": 0.01, "l2_over_n": False, "passes": 2500, "seeds": 3},
                "sdca {a.sdca} passes, appa {a.appa}: λ is large enough, and nothing is gained by adding to it.",
            ),
            StoryStep(
                "λ = 10⁻⁴. The condition number κ is a hundred times larger.",
                {"l2": 1e-4},
                "sdca pays for κ: {b.sdca} passes instead of {a.sdca}. appa: {b.appa} instead of {a.appa}.",
                "λ ÷ 100",
            ),
            StoryStep(
                "λ = 10⁻⁶. Who still gets there?",
                {"l2": 1e-6},
                "sdca: {a.sdca}, {b.sdca}, {c.sdca} passes. appa: {a.appa}, {b.appa}, {c.appa}, for a few easy "
                "problems one after another. Each pulls to the last answer and not to 0, so the pull fades and "
                "nothing is biased: the proximal point method.",
                "λ ÷ 100 again",
            ),
        ],
    ),
    "importance that loses": Story(
        "importance that loses",
        "Importance that loses",
        "10_bounds_against_curves",
        [
            StoryStep(
                "rcd twice: with uniform draws, and by importance. The bound is halved if heavy columns are "
                "drawn more often. Will the passes be, too?",
                {"methods": ["rcd@uniform", "rcd@importance"]},
                "{a.rcd, importance} passes instead of {a.rcd, uniform}. The heavy columns are also the full ones: "
                "three words took most of the work, and the rarest waited long for a step. A bound is about the "
                "worst case, and these data are not it.",
            ),
            StoryStep(
                "And the dual side, with uniform draws?",
                {"methods": ["rcd@uniform", "rcd@importance", "sdca"]},
                "sdca needed {b.sdca}. Importance repairs steps that are all as small as the heaviest line needs, "
                "as in story 4. The steps of rcd and sdca fit their own line already: for them it mostly adds work.",
                "Show sdca",
            ),
        ],
    ),
    "sparse answers": Story(
        "sparse answers",
        "L1 and sparse answers",
        "06_sparse_answers",
        [
            StoryStep(
                "A reader of the model would like few weights. The term with λ makes ‖w‖ smaller, but no weight 0.",
                {"methods": ["rcd", "sdca"]},
                "All {a.sdca.weights} weights are in use.",
            ),
            StoryStep(
                "An L1 term, λ₁‖w‖₁: after each step a prox moves the weight towards 0 by a fixed amount, and onto "
                "0 if it was nearer than that. Does the race slow down?",
                {"l1": 0.003},
                "{b.sdca.weights} of {a.sdca.weights} weights are left; the prox, a soft threshold, made all others "
                "exactly 0. On the dual side it stands in w(α). rcd took {b.rcd} passes instead of {a.rcd}, sdca "
                "{b.sdca} instead of {a.sdca}.",
                "Add an L1 term",
            ),
        ],
    ),
    "a saddle point": Story(
        "a saddle point",
        "A saddle point",
        "07_acceleration_three_ways",
        [
            StoryStep(
                "One function of both: w makes it small, α makes it large. Where neither can improve is its saddle "
                "point, and w and α solve both problems. spdc moves both in turn, with momentum. λ = 1/n.",
                EVEN | {"methods": ["sdca", "spdc"], "passes": 5000},
                "{a.spdc} passes for sdca's {a.sdca}: κ/n is too small for momentum to pay.",
            ),
            StoryStep(
                "λ is a hundred times smaller, and κ a hundred times larger.",
                {"l2": 0.01},
                "sdca: {a.sdca} passes became {b.sdca}. spdc: {a.spdc} became {b.spdc}. By the "
                "theorems sdca's passes grow like 1 + κ/n, spdc's like 1 + √(κ/n). (But the one of spdc is about the "
                "distance to the best w, not the gap.)",
                "λ ÷ 100",
            ),
        ],
    ),
}
