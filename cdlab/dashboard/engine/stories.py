"""Twelve stories: a question, a race and what it shows, a change, another race.

Each claim holds for 9 of 10 seeds (`tests/dashboard/engine/test_stories.py`).
"""

from __future__ import annotations

from typing import Any

from .schema import Story, StoryStep


def both(sampling: str) -> dict[str, str]:
    """The choices of one sampling for both sides."""
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
                "800 examples, 40 features, no zeros. A step of rcd changes one weight and reads its column, 800 "
                "entries; a step of quartz one multiplier, and its row, 40. A pass: as much work as reading X once.",
                DENSE
                | {"n": 800, "d": 40, "condition": 1e4, "scale": "mean", "l2": 0.03, "methods": ["rcd", "quartz"]}
                | {"passes": 3000},
                "But all steps of quartz are as small as the heaviest row needs, so its lead is not 20 to 1: the "
                "bounds, which must hold for the worst of data, say {a.ratio} to 1, and this race {a.lead}.",
            ),
            StoryStep(
                "40 examples, 800 features. Now the columns are short and the rows long.",
                {"n": 40, "d": 800},
                "Now the primal steps are the cheap ones, and rcd leads {b.lead} times; quartz led {a.lead} times. Two "
                "races make no law: in stories 2 and 4 the cheaper steps do not win. (λ = 0.03/n is larger now, as n "
                "is smaller: this is not the first problem transposed.)",
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
                "Ten times as many examples as features, so a dual step (sdca: the best one for its multiplier) is "
                "cheap on average. But a few rows are full, all others hold a single entry.",
                HINGED | {"data": "worst_dual", "n": 1000, "d": 100, "density": 0.012, "passes": 500},
                "{a.sdca} passes of sdca, {a.rcd} of rcd: with a few full rows among short ones the cheaper steps win "
                "nothing.",
            ),
            StoryStep(
                "Now both sides draw heavy lines more often: by importance.",
                both("importance"),
                "sdca: {b.sdca} passes instead of {a.sdca}; rcd: {b.rcd}, before {a.rcd}. A full row is an expensive "
                "step, and the draws now take it often. The bound of sdca fell all the same: the heaviest row set it, "
                "now it is C_D, entries × norm² summed over all rows.",
                "Draw by importance",
            ),
            StoryStep(
                "About as many entries, but now every row has about as many as the next. Still by importance.",
                {"data": "synthetic", "skew": 0.0},
                "With rows of equal length sdca needs {c.sdca} passes, rcd {c.rcd}. With importance draws the side "
                "with the smaller sum of entries × norm², C_P over the columns or C_D over the rows, has the better "
                "bound: here the dual, with long rows the primal.",
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
                "Texts: each row is a document, each column a word, and all words are about equally frequent.",
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
                "A mean over the rows, not the heaviest, now sets the steps of quartz: {b.quartz} passes instead of "
                "{a.quartz}. The steps of rcd fitted their columns before; for it the draws only read the full first "
                "column more often: {b.rcd} passes instead of {a.rcd}.",
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
                both("cyclic") | {"data": "sun_ye", "n": 100, "correlation": 0.7, "loss": "squared"},
                "sdca took {a.sdca} passes. rcd does well in the same order of its columns: {a.rcd}. No theorem here "
                "covers a fixed order.",
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
                "sdca: {c.sdca} passes instead of {b.sdca}; rcd: {c.rcd} instead of {b.rcd}. No line has to wait for "
                "long, as among independent draws some do, and no order comes again. For sdca the best of the three, "
                "as often; no theorem here covers it.",
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
                "The hinge loss, 1 − margin but at least 0, has a kink: a point where its slope jumps.",
                DENSE
                | {"n": 300, "d": 30, "noise": 0.5, "gamma": 0.1, "loss": "hinge", "scale": "mean", "passes": 2000},
                "A dual step finds the best value of its multiplier, kink or not: {a.sdca} passes. rcd follows slopes, "
                "and at a kink it can get stuck where no single weight helps, only several together. Even for sdca "
                "the theorem is weak: its passes grow with 1/ε².",
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
                "acc_rcd is rcd with momentum: it keeps some of the direction of earlier steps. How hard a problem is "
                "for both is measured by max ‖column‖²/(γλn), which for rows is κ/n.",
                EVEN | {"methods": ["rcd", "acc_rcd"], "passes": 5000},
                "The bound of rcd grows like 1 + max ‖column‖²/(γλn), that of acc_rcd like the root of it. Bounds are "
                "about the worst of data; on these momentum saves less: {a.acc_rcd} passes instead of {a.rcd}.",
            ),
            StoryStep(
                "λ is a hundred times smaller, so max ‖column‖²/(γλn) is a hundred times larger.",
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
                "quartz moves one multiplier a round; quartz(32) moves 32 at once, as 32 processors would, all from "
                "the same w: none knows of the others. λ = 10/n.",
                EVEN | {"methods": ["quartz", "quartz(32)"], "l2": 10.0},
                "{a.lead} times fewer rounds, for more work: {a.quartz(32).passes} passes instead of "
                "{a.quartz.passes}. Rows that share few columns hardly disturb each other. How much shorter each step "
                "must be says the ESO, by a number v for each row in place of its norm².",
            ),
            StoryStep(
                "Now every example has every feature.",
                DENSE | {"passes": 2000},
                "{b.lead} times fewer rounds, for far more work: {b.quartz(32).passes} passes instead of "
                "{b.quartz.passes}. All rows share all columns, and 32 whole steps from one w would overshoot: v is up "
                "to 32 times norm², and a step up to as much shorter.",
                "Fill the matrix",
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
                "A large λ makes a problem easy, but pulls w to 0. appa adds max ‖xᵢ‖²/(γn) to λ, as a pull to its "
                "last answer, solves that with sdca until its gap is at most the term of the pull, and begins anew. "
                "λ = 0.01.",
                DENSE
                | {"n": 500, "d": 40, "condition": 100.0, "loss": "squared"}
                | {"methods": ["sdca", "appa"], "l2": 0.01, "l2_over_n": False, "passes": 2500},
                "sdca {a.sdca} passes, appa {a.appa}: λ is large enough, and nothing is gained by adding to it.",
            ),
            StoryStep(
                "λ = 10⁻⁴. The condition number κ is a hundred times larger.",
                {"l2": 1e-4},
                "The passes of sdca grow with κ: {b.sdca} instead of {a.sdca}. appa: {b.appa} instead of {a.appa}, for "
                "κ/n is below 1 in each of its problems.",
                "λ ÷ 100",
            ),
            StoryStep(
                "λ = 10⁻⁶, and κ another hundred times larger. The limit is 2,500 passes.",
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
                "drawn more often.",
                {"methods": ["rcd@uniform", "rcd@importance"]},
                "{a.rcd, importance} passes instead of {a.rcd, uniform}. The heavy columns are also the full ones: "
                "three words took most of the work, and the rarest waited long for a step. A bound is about the "
                "worst case, and these data are not it.",
            ),
            StoryStep(
                "The dual side: sdca with uniform draws, and by importance.",
                {"methods": ["sdca@uniform", "sdca@importance"]},
                "No row weighs three times the mean, so little changes. Importance repairs steps that are all as small "
                "as the heaviest line needs, as those of quartz in story 4. The steps of rcd and sdca fit their own "
                "line already: for them it mostly adds work.",
                "The same with sdca",
            ),
        ],
    ),
    "sparse answers": Story(
        "sparse answers",
        "L1 and sparse answers",
        "06_sparse_answers",
        [
            StoryStep(
                "Few weights are easier to read. The term with λ makes ‖w‖ smaller, but no weight 0; an L1 term, "
                "λ₁‖w‖₁, does: after each step a prox moves the weight towards 0, and onto 0 if it is near. "
                "λ₁ = 0.003.",
                {"methods": ["rcd", "sdca"], "l1": 0.003},
                "{a.sdca.weights} of 200 weights are left: the prox, a soft threshold, made all others exactly 0. On "
                "the dual side it stands in w(α), the soft threshold of the sum over all rows.",
            ),
            StoryStep(
                "λ₁ = 0.01: fewer weights still.",
                {"l1": 0.01},
                "{b.sdca.weights} weights are left. rcd took {b.rcd} passes, with more weights {a.rcd}; sdca {b.sdca}, "
                "before {a.sdca}. The bounds, which know nothing of λ₁, have stayed the same.",
                "λ₁ × 3",
            ),
        ],
    ),
    "a saddle point": Story(
        "a saddle point",
        "A saddle point",
        "07_acceleration_three_ways",
        [
            StoryStep(
                "One function of both, −1/n Σ (αᵢ xᵢ·w + φᵢ*(−αᵢ)) + λ/2 ‖w‖²: α makes it large, w small. Where "
                "neither can improve is its saddle point, and w and α solve both problems. spdc moves both in turn, "
                "with momentum.",
                EVEN | {"methods": ["sdca", "spdc"], "passes": 5000},
                "{a.spdc} passes for sdca's {a.sdca}: at λ = 1/n momentum gains nothing.",
            ),
            StoryStep(
                "λ is a hundred times smaller, and κ a hundred times larger.",
                {"l2": 0.01},
                "sdca: {a.sdca} passes became {b.sdca}. spdc: {a.spdc} became {b.spdc}. By the theorems sdca's passes "
                "grow like 1 + κ/n, those of spdc to a small distance from the best w like 1 + √(κ/n). (Passes count "
                "what is read of X; a step of spdc also moves every weight.)",
                "λ ÷ 100",
            ),
        ],
    ),
}
