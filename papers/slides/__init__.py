"""The slides on stochastic dual coordinate ascent and Prox-SDCA of Shalev-Shwartz and Zhang."""

from ..items import Paper
from . import frank_wolfe, losses, rates, speed

PAPER = Paper(
    "slides",
    "Prox-SDCA: the slides",
    "Shalev-Shwartz & Zhang, Proximal stochastic dual coordinate ascent (slides).",
    items=[
        losses.LOSSES,
        speed.SDCA_SGD,
        speed.TUNING,
        speed.DCA_ORDER,
        losses.SMOOTHING_LOSS,
        losses.SMOOTHING_ERROR,
        losses.SMOOTHING_TIME,
        rates.GOOD_DUAL,
        rates.RATES,
        speed.GD,
        rates.L1L2,
        rates.L1,
        rates.LEMMA,
        frank_wolfe.FRANK_WOLFE,
    ],
    untested=[
        ("Collins et al. and exponentiated gradient are related", "It is about other methods' analyses."),
        ("Frank-Wolfe's rate for structured outputs", "It is about another method's analysis."),
        (
            "SMO and liblinear implement dual coordinate ascent",
            "It names no experiment; python -m benchmarks.peers compares with liblinear.",
        ),
        ("Prox-SDCA works very well in practice (summary)", "It names no experiment."),
        ("the final question, whether a deterministic algorithm converges as fast", "It is a question."),
    ],
    notes=[
        "The slides' lambda multiplies g, and is our l2; CCAT's lambda is kept as l2 n.",
        "CCAT (781,265 documents) is not available: Reuters-21578 and 20 Newsgroups stand for it.",
        "Axes are passes: those of the slides are missing from our copy, but for one, duality gap against runtime.",
        "The slides' sigma is our l1, and their v ours divided by lambda: g = ||w||^2/2 + (sigma/lambda)||w||_1, and "
        "trunc(v, sigma/lambda) is soft(v, l1)/l2 with our v (tests/methods/test_sdca_facts.py).",
        "The slides' square loss has no 1/2: it is (z - y)^2, with gamma = 1/2 (tests/papers/test_misprints.py).",
        "In the smoothed hinge the x of 'x < 1 - gamma' is the margin y x'w (tests/losses/test_losses.py).",
        "The dual of the SVM prints ||sum alpha_i y_i x_i||^2. Since alpha_i y_i is in [0, 1], it is ||sum alpha_i "
        "x_i||^2: as printed labels count twice, and the duality gap at the optimum is not 0 "
        "(tests/methods/test_sdca_facts.py).",
        "The dual of logistic regression names -a ln a - (1 - a) ln(1 - a) phi*(-alpha), a = alpha y in [0, 1]. It "
        "is -phi*(-alpha): as printed strong duality fails (tests/methods/test_sdca_facts.py).",
        "The algorithm prints -phi*(alpha + Delta). It is -phi*(-(alpha + Delta)): the other is infinite where steps "
        "lead (tests/methods/test_sdca_facts.py).",
        "The example of a step of SDCA computes alpha^(t+1) from w^(t-1) and alpha^(t-1). Both have to be the "
        "current ones, or D may fall; and SGD begins with t = 1 (tests/papers/test_misprints.py).",
        "The rates mean (n + 1/(gamma lambda)) log(1/epsilon), with n inside, and ||x_i|| <= 1: for longer examples "
        "1/lambda is R^2/lambda (tests/papers/test_misprints.py).",
        "'Randomisation is crucial' and 'one cannot randomise the order once' depend on the data, see "
        "slides-dca-order (tests/methods/test_sdca_facts.py).",
    ],
)
