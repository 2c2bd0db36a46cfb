"""Figures 2 and 3 of the face-off: races of rcd and quartz on extreme matrices, on text and on gene expression."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from ...comparisons import claims
from ...comparisons.claims import Outcome
from ..amendments import OURS, Amended, Judges
from ..cases import MODES, Case, Contender
from ..found import Found
from ..items import Claim, Item, Picture
from ..judging import Judge, compared, fact, panelwise, together, with_shown
from . import parts
from .parts import NO_SAMPLING, readings

DRAWS = (0, 1)  # of the labels, which the paper does not give
NEWS, LEU = "news20.binary", "leu"
LEU_TABLE = 0.5  # T_P/T_D of leukemia in Table 1

ABOUT_NEWS = (
    "the sentence is about news, and rcv1_vw1000, 1,000 examples of RCV1, is not: it is shown. Also, " + NO_SAMPLING
)


def _on_news(judge: Judge) -> Judges:
    """The newsgroups decide, and the third set is shown."""
    return with_shown(panelwise(judge, lambda case: case.name.startswith("news20")),
                      panelwise(judge, lambda case: not case.name.startswith("news20")))  # fmt: skip


def _arrows(*shapes: tuple[int, int, float], modes: Sequence[str] = MODES) -> list[Case]:
    return [
        Case(f"d = {d}, n = {n}, b = {b:g}, labels {seed}", parts.arrow(d, n, b, seed), tags={"d": d, "n": n},
             modes=modes)
        for (d, n, b), seed in product(shapes, DRAWS)
    ]  # fmt: skip


def _distance(founds: list[Found]) -> tuple[Outcome, str]:
    """How much there is to gain, (P(0) - P*)/P*, where that is smallest."""
    gains = {found.name: (found.optimum.at_zero - found.optimum.primal) / found.optimum.primal for found in founds}
    least = min(gains, key=lambda name: gains[name])
    outcome = fact(
        gains[least] <= 1e-3, "(P(0) - P*)/P* <= 1e-3", gains[least], gains[least], max(gains.values()), 1e-3
    )
    return outcome, f"smallest at {least}"


FIG2A = Item(
    "faceoff-fig2a", parts.PAPER, "Figure 2a",
    shows="Primal and dual coordinate descent on a square arrow matrix that is the dual's worst case: the primal needs "
    "far fewer passes.",
    here="datasets.arrow with a = c = 1, divided by the mean row norm; logistic loss, l2 = 1/n, importance and "
    "uniform sampling, quartz with its fixed step; two draws of the labels. The paper's sizes and entries are missing "
    "from our copy.",
    cases=_arrows((60, 60, 0.05), (200, 200, 1e-3)),
    contenders=parts.BOTH_SAMPLINGS,
    max_passes=5000,
    facts=parts.predicted,
    claims=[
        Claim(
            "C1", "square: a large speed-up of the primal", "quartz needs at least twice the passes of rcd to e = 1e-4",
            panelwise(compared("rcd", "quartz", claims.much_faster, 1e-4)),
            amendment=Amended(
                "quartz needs at least twice the passes of rcd to e = 1e-4, with importance and with uniform sampling",
                readings(lambda pair: panelwise(compared(pair.rcd, pair.quartz, claims.much_faster, 1e-4))),
                NO_SAMPLING,
            ),
        )
    ],
    pictures=[Picture(parts.on_log_passes, columns=2)],
    tables=parts.predictions,
    seconds=(6, 6),
)  # fmt: skip

FIG2B = Item(
    "faceoff-fig2b", parts.PAPER, "Figure 2b",
    shows="The same with many more examples than features: the primal is still faster.",
    here="As faceoff-fig2a, with n from 4 to 100 times d. Quick: of the two largest matrices one.",
    cases=[
        *_arrows((60, 240, 0.05), (60, 600, 1e-3)), *_arrows((60, 6000, 1e-3), modes=("full",)),
        *_arrows((60, 6000, 1e-6)),
    ],
    contenders=parts.BOTH_SAMPLINGS,
    max_passes=5000,
    facts=parts.predicted,
    claims=[
        Claim(
            "C2", "large n: the primal is still faster",
            "where T_P/T_D < 1, quartz needs at least 1.1 times the passes of rcd",
            panelwise(parts.primal_faster(claims.faster, 1.0)),
            amendment=Amended(
                "where T_P/T_D < 1, quartz needs at least 1.1 times the passes of rcd, with each sampling and its own "
                "T_P/T_D",
                readings(lambda pair: panelwise(parts.primal_faster(claims.faster, 1.0, pair=pair))),
                NO_SAMPLING,
            ),
        ),
        Claim(
            "C3", "hard to observe: the optimum is close to the initial guess",
            "(P(0) - P*)/P* <= 1e-3 in at least one panel",
            together(_distance, name="all panels"),
        ),
    ],
    pictures=[Picture(parts.on_log_passes, columns=2)],
    tables=parts.predictions,
    notes=["At n = 6000 with b = 0.001 the bounds predict the dual, so the rule does not judge it; yet the primal "
        "needs about a tenth of the passes there, as the paper says."],
    seconds=(20, 20),
)  # fmt: skip

FIG2C = Item(
    "faceoff-fig2c", parts.PAPER, "Figure 2c",
    shows="On news (20,000 texts, 1.4 million words) the dual is about twice as fast, as Table 1 "
    "predicts, though there are more features than examples.",
    here="Three sets of text in its place, whole; settings as faceoff-fig2a.",
    cases=[
        Case("news20.bigram", parts.real("news20.bigram"), stands_for=NEWS),
        Case("news20.unigram", parts.real("news20.unigram"), stands_for=NEWS),
        Case("rcv1_vw1000", parts.real("rcv1_vw1000"), stands_for=NEWS),
    ],
    contenders=parts.BOTH_SAMPLINGS,
    max_passes=100,
    facts=parts.predicted,
    claims=[
        Claim(
            "C1", "the dual is faster although d > n", "rcd needs at least 1.1 times the passes of quartz",
            panelwise(compared("quartz", "rcd", claims.faster)),
            amendment=Amended(
                "rcd needs at least 1.1 times the passes of quartz, on the newsgroups, with each sampling",
                readings(lambda pair: _on_news(compared(pair.quartz, pair.rcd, claims.faster))),
                ABOUT_NEWS,
            ),
        ),
        Claim(
            "C2", "the speed-up matches Table 1", "rcd/quartz to e = 1e-4 is within a factor 1.5 of T_P/T_D with "
            "beta/(l2 n) = 1, the table's convention",
            panelwise(parts.as_predicted(1.5, 1e-4, lambda found: found.facts["table"])),
            why="On rcv1_vw1000, with 1,000 examples, T_P/T_D favours the primal, but the dual was faster. Both took "
            "about one pass per unit of ln(1/e) there, so the constants in T_P/T_D did not matter.",
            amendment=Amended(
                "rcd/quartz to e = 1e-4 is within a factor 1.5 of T_P/T_D with beta/(l2 n) = 1, the table's "
                "convention, on the newsgroups, with each sampling and its own T_P/T_D",
                readings(lambda pair: _on_news(
                    parts.as_predicted(1.5, 1e-4, lambda found: found.facts[pair.table], pair))),
                ABOUT_NEWS,
                "The sampling turns it. With uniform draws T_P/T_D is made of the longest row and column, and predicts "
                "41 and 7.7 where 1.74 and 1.6 are measured; with importance sampling 2.78 and 1.73 are predicted, and "
                "2.3 and 1.65 measured.",
            ),
        ),
    ],
    pictures=[Picture(parts.curves)],
    tables=parts.predictions,
    seconds=(45, 60),
)  # fmt: skip

FIG2D = Item(
    "faceoff-fig2d", parts.PAPER, "Figure 2d",
    shows="On leukemia (38 examples, 7,129 features, dense) the primal is about twice as fast, as Table 1 predicts.",
    here="leu, 25 seeds, because five spread too far; permutations are drawn beside, not judged.",
    cases=[Case("leu", parts.real("leu", "train"), stands_for="")],
    contenders=[
        *parts.BOTH_SAMPLINGS,
        Contender("rcd, permutation", "rcd", "permutation"),
        Contender("quartz, permutation", "quartz", "permutation", {"step": "local"}),
    ],
    seeds=range(25),
    more_seeds=(),
    max_passes=200,
    facts=parts.predicted,
    claims=[
        Claim(
            "C1", "the primal should be better", "quartz needs at least 1.1 times the passes of rcd",
            panelwise(compared("rcd", "quartz", claims.faster)),
            amendment=Amended(
                "quartz needs at least 1.1 times the passes of rcd, with importance and with uniform sampling",
                readings(lambda pair: panelwise(compared(pair.rcd, pair.quartz, claims.faster))),
                NO_SAMPLING,
                "The draws turn it. With importance sampling neither is ahead by 1.1 (0.93), with uniform draws the "
                "primal is (1.35); permutations, with quartz's local step and no theorem here, give 0.91.",
            ),
        ),
        Claim(
            "C2", "the speed-up matches Table 1", "rcd/quartz to e = 1e-4 is within a factor 1.5 of 0.5",
            panelwise(parts.as_predicted(1.5, 1e-4, lambda found: LEU_TABLE)),
            amendment=Amended(
                "rcd/quartz to e = 1e-4 is within a factor 1.5 of 0.5, with importance and with uniform sampling",
                readings(lambda pair: panelwise(parts.as_predicted(1.5, 1e-4, lambda found: LEU_TABLE, pair))),
                NO_SAMPLING,
                "Measured are 1.52 and, with uniform draws, 1.02; with beta = 1/4 the bounds say 0.79 and 0.50. The "
                "cause is not known.",
            ),
        ),
    ],
    pictures=[Picture(parts.curves)],
    tables=parts.predictions,
    notes=[
        "T_P/T_D is a ratio of bounds. Even with uniform draws it takes about ln(7,129) = 8.9 passes until every "
        "feature is drawn, and ln(38) = 3.6 until every example is.",
    ],
    seconds=(8, 8),
)  # fmt: skip

FIG3 = Item(
    "faceoff-fig3", parts.PAPER, "Figure 3",
    shows="Binary matrices that are worst for the dual, with a fixed number of features, several numbers of examples "
    "and three numbers of nonzeros: the primal can be far ahead, also with fewer features than examples (the "
    "pictures are missing from our copy).",
    here="datasets.worst_dual, d = 100, n = 100 to 3,000, 5n, 10n and 20n nonzeros, divided by the mean row norm; two "
    "draws of the labels. The paper's numbers are missing from our copy.",
    cases=[
        Case(f"n = {n}, nnz = {k}n, labels {seed}", parts.worst_dual(100, n, k * n, seed), tags={"n": n, "k": k})
        for n, k, seed in product((100, 300, 1000, 3000), (5, 10, 20), DRAWS)
    ],
    contenders=parts.BOTH_SAMPLINGS,
    max_passes=1000,
    facts=parts.predicted,
    claims=[
        Claim(
            "C1", "the primal is faster", "where T_P/T_D < 1/4, quartz needs at least 1.1 times the passes of rcd",
            panelwise(parts.primal_faster(claims.faster, 0.25)),
            amendment=Amended(
                "where T_P/T_D < 1/4, quartz needs at least 1.1 times the passes of rcd, with each sampling and its "
                "own T_P/T_D",
                readings(lambda pair: panelwise(parts.primal_faster(claims.faster, 0.25, pair=pair))),
                NO_SAMPLING + " The threshold is ours: the text has no such sentence.",
                mark=OURS,
            ),
        ),
        Claim(
            "C2", "the primal can significantly outperform the dual even if d < n",
            "in at least one panel with n > d = 100, quartz needs at least twice the passes of rcd",
            together(parts.largest(claims.much_faster), lambda case: case.tags["n"] > 100, name="n > 100"),
            amendment=Amended(
                "in at least one panel with n > d = 100, quartz needs at least twice the passes of rcd, with each "
                "sampling",
                readings(lambda pair: together(
                    parts.largest(claims.much_faster, pair), lambda case: case.tags["n"] > 100, name="n > 100")),
                NO_SAMPLING,
            ),
        ),
        Claim(
            "C3", "(ours) the bounds predict the ratio", "rcd/quartz to e = 1e-6 is within a factor 4 of T_P/T_D",
            panelwise(parts.as_predicted(4.0, 1e-6, lambda found: found.facts["T_P/T_D"])),
            why="T_P/T_D grows with n, and the measured ratio hardly does: at nnz = 5n it stays near 0.2 from n = "
            "100 to 3,000. So the bounds underrate the primal, the more the larger n/d.",
            amendment=Amended(
                "rcd/quartz to e = 1e-6 is within a factor 4 of T_P/T_D, with each sampling and its own T_P/T_D",
                readings(lambda pair: panelwise(
                    parts.as_predicted(4.0, 1e-6, lambda found: found.facts[pair.predicted], pair))),
                NO_SAMPLING,
                "The sampling turns it, at n = 3,000: with 5n nonzeros 1.78 is predicted and 0.25 measured with "
                "importance sampling, 1.47 and 0.37 with uniform draws, which is just within the factor 4.",
                mark=OURS,
            ),
        ),
    ],
    pictures=[Picture(parts.on_log_passes)],
    tables=parts.predictions,
    seconds=(15, 15),
)  # fmt: skip

ITEMS = (FIG2A, FIG2B, FIG2C, FIG2D, FIG3)
