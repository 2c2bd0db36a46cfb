"""The bounds as formulas: each method's guarantee, typeset, evaluated and drawn from one sympy object.

>>> from cdlab import theory
>>> b = theory.bound("sdca")
>>> b.expr
(R**2/(gamma*l2*n) + 1)*log(D0*(R**2/(gamma*l2) + n)/eps)
>>> round(b.at(n=1000, l2=1e-3, gamma=4.0, R=1.0, D0=0.7, eps=1e-6), 3)
25.737
"""

from ..exact_rates import BestSampling, ExactRate, best_sampling, exact_rate
from .attacks import Attack, Statement, attack, conjecture
from .bound import Bound, Uncovered
from .crossovers import Crossover, crossing, crossover
from .floors import CITED_FLOORS, CitedFloor, Floor, floor
from .forms import asymptotic, contraction, decay, lemma
from .guarantees import Sharpest, sharpest
from .importance import theorem2_proof, theorem2_small
from .limiting_cases import Limit, limits
from .lookup import bound
from .parallel import Network, best_batch, best_nodes, cocoa_time, fit_network, parallel_time
from .prox_weight import optimal_delta, optimal_prox_weight
from .registry import bounds, lemmas, register
from .symbols import MEANINGS, SYMBOLS, parameter
from .tables import Table, table
from .theorem import QUANTITIES
from .unseen_examples import UnseenFloor, unseen_floor

__all__ = [
    "CITED_FLOORS",
    "MEANINGS",
    "QUANTITIES",
    "SYMBOLS",
    "Attack",
    "BestSampling",
    "Bound",
    "CitedFloor",
    "Crossover",
    "ExactRate",
    "Floor",
    "Limit",
    "Network",
    "Sharpest",
    "Statement",
    "Table",
    "Uncovered",
    "UnseenFloor",
    "asymptotic",
    "attack",
    "best_batch",
    "best_nodes",
    "best_sampling",
    "bound",
    "bounds",
    "cocoa_time",
    "conjecture",
    "contraction",
    "crossing",
    "crossover",
    "decay",
    "exact_rate",
    "fit_network",
    "floor",
    "lemma",
    "lemmas",
    "limits",
    "optimal_delta",
    "optimal_prox_weight",
    "parallel_time",
    "parameter",
    "register",
    "sharpest",
    "table",
    "theorem2_proof",
    "theorem2_small",
    "unseen_floor",
]
