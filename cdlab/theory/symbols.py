"""One vocabulary for every bound: the symbols, their LaTeX and what they mean.

The name of a symbol is the keyword of `Bound.at`. Sizes and weights are only assumed non-negative, so that a theorem's
own assumption (``gamma > 0``) stays a visible relation instead of being true by declaration.
"""

from __future__ import annotations

import re

import sympy as sp

_VOCABULARY: dict[str, tuple[sp.Symbol, str, str]] = {}


def _symbol(name: str, latex: str, meaning: str, **assumptions: bool) -> sp.Symbol:
    symbol = sp.Symbol(name, **assumptions)
    _VOCABULARY[name] = (symbol, latex, meaning)
    return symbol


n = _symbol("n", "n", "number of examples", integer=True, positive=True)
d = _symbol("d", "d", "number of features", integer=True, positive=True)
nnz = _symbol("nnz", r"\mathrm{nnz}", "number of nonzeros of X", nonnegative=True)
l2 = _symbol("l2", r"\lambda", "weight of (1/2)||w||^2: the strong convexity of P", nonnegative=True)
l1 = _symbol("l1", r"\sigma", "weight of ||w||_1", nonnegative=True)
gamma = _symbol("gamma", r"\gamma", "the loss is 1/gamma-smooth; 0 if it is not smooth", nonnegative=True)
L = _symbol("L", "L", "Lipschitz constant of the loss; infinite if it has none", extended_real=True)
R = _symbol("R", "R", "largest row norm of X", nonnegative=True)
Rbar = _symbol("Rbar", r"\bar{R}", "mean row norm of X", nonnegative=True)
R_col = _symbol("R_col", r"R_{\mathrm{col}}", "largest column norm of X", nonnegative=True)
F = _symbol("F", r"{\left\|X\right\|_F^2}", "squared Frobenius norm of X", nonnegative=True)
C_P = _symbol("C_P", "C_P", "sum over columns of (nonzeros x squared norm)", nonnegative=True)
C_D = _symbol("C_D", "C_D", "sum over rows of (nonzeros x squared norm)", nonnegative=True)
T_P_acc = _symbol(
    "T_P_acc", r"T_P^{\mathrm{acc}}", "sum over columns of nonzeros x sqrt(1 + norm^2/(gamma l2 n))", nonnegative=True
)
T_D_acc = _symbol(
    "T_D_acc", r"T_D^{\mathrm{acc}}", "sum over rows of nonzeros x sqrt(1 + norm^2/(gamma l2 n))", nonnegative=True
)
m = _symbol("m", "m", "mini-batch size", integer=True, positive=True)
eps = _symbol("eps", r"\varepsilon", "accuracy to reach (absolute)", positive=True)
D0 = _symbol("D0", r"\left(D^{*}-D_{0}\right)", "D* - D(0): dual suboptimality of the start", nonnegative=True)
P0 = _symbol("P0", r"\left(P_{0}-P^{*}\right)", "P(0) - P*: primal suboptimality of the start", nonnegative=True)
gap0 = _symbol("gap0", r"\left(P_{0}-D_{0}\right)", "P(0) - D(0): duality gap of the start", nonnegative=True)
power = _symbol("power", "a", "power of sampling 'lipschitz': 0 is uniform, 1 is importance", nonnegative=True)
P_zero = _symbol("P_zero", "P(0)", "P(0): the objective at w = 0", nonnegative=True)
w2 = _symbol("w2", r"{\left\|w_{0}-w^{*}\right\|^2}", "||w_0 - w*||^2: squared distance of the start", nonnegative=True)
a2 = _symbol(
    "a2", r"{\left\|\alpha_{0}-\alpha^{*}\right\|^2}", "||alpha_0 - alpha*||^2: dual distance", nonnegative=True
)
a2_p = _symbol(
    "a2_p", r"{\left\|\alpha_{0}-\alpha^{*}\right\|_{1/(n p)}^{2}}",
    "sum over examples of (alpha_0i - alpha*_i)^2/(n p_i): a2, rare examples weigh more", nonnegative=True,
)  # fmt: skip
g2 = _symbol(
    "g2", "V^{*}", "mean over examples of ||grad phi_i||^2 at w*: how much the examples disagree", nonnegative=True
)
L_f = _symbol("L_f", "L_f", "smoothness of the mean loss in w: ||X||_2^2/(n gamma)", nonnegative=True)
L_P = _symbol(
    "L_P", "L_P", "smoothness of P but for l1, ||X||_2^2/(n gamma) + l2, on a problem what is certainly no less",
    nonnegative=True,
)  # fmt: skip
mu = _symbol("mu", r"\mu", "strong convexity of P, with l2 or without", nonnegative=True)
prox_weight = _symbol(
    "prox_weight", r"\lambda_{\mathrm{in}}", "weight of the proximal term (1/2)||w - centre||^2", nonnegative=True
)
accuracy = _symbol(
    "accuracy", "c", "factor by which a stage of a proximal-point method reduces the inner error", positive=True
)
inexactness = _symbol(
    "inexactness", "c'", "share of mu that an inexact proximal step loses: 0 exact, 1/2 in APPA", nonnegative=True
)
C_in = _symbol(
    "C_in", r"C_{\mathrm{in}}", "1/(contraction factor) of the inner method on P + (prox_weight/2)||w - centre||^2",
    positive=True,
)  # fmt: skip
bend = _symbol(
    "bend", "H", "how much D bends at most on the way to alpha(w): (Delta^2/l2) min((mean row norm)^2, ||X||_2^2/n), "
    "Delta the length of the interval of -phi', which is 1 for the hinge", nonnegative=True,
)  # fmt: skip
nu = _symbol("nu", r"\nu", "how nearly smooth a Lipschitz loss is on the data", nonnegative=True)
nu_linear = _symbol(
    "nu_linear", r"\nu_{\mathrm{lin}}", "rate at which a pass of dual coordinate ascent contracts in the end: positive "
    "on each data set, but not bounded below by anything known", positive=True,
)  # fmt: skip
dual_curvature = _symbol(
    "dual_curvature", r"\sup {\phi^{*}}''", "largest curvature of the conjugate loss inside its domain: the dual is "
    "smooth where it is finite", extended_real=True,
)  # fmt: skip
M = _symbol(
    "M", "M", "Lipschitz constant of phi'', the loss's second derivative; infinite if it jumps", extended_real=True
)
delta = _symbol("delta", r"\delta", "weight of the perturbation: smoothing of the loss, or l2 added", nonnegative=True)
lmin = _symbol("lmin", r"\sigma_{\min}^{2}", "smallest positive eigenvalue of X'X", nonnegative=True)
mu_rows = _symbol(
    "mu_rows", r"\mu_{\mathrm{row}}", "smallest positive eigenvalue of X'X with the rows of X scaled to norm 1",
    nonnegative=True,
)  # fmt: skip
cosines = _symbol(
    "cosines", r"\sum_{i<k}\cos^{2}", "sum over pairs of rows of the squared cosine of the angle between them",
    nonnegative=True,
)  # fmt: skip
mu_cols = _symbol(
    "mu_cols", r"\mu_{\mathrm{col}}", "smallest positive eigenvalue of X'X with the columns of X scaled to norm 1",
    nonnegative=True,
)  # fmt: skip
step = _symbol("step", r"\eta", "step size of sgd without a regulariser: its step t is eta/sqrt(t)", nonnegative=True)
gamma_r = _symbol("gamma_r", r"\gamma_r", "weight of the growing regulariser of rda where l2 = 0", nonnegative=True)
norm_passes = _symbol("norm_passes", "q", "passes over X needed to compute ||X||_2", nonnegative=True)
gram = _symbol("gram", "G", "nonzeros visited to form the smaller of X'X and XX'", nonnegative=True)
omega = _symbol(
    "omega", r"\omega", "exponent of matrix multiplication: 3 by rows and columns, 2.371... known", positive=True
)
kappa = _symbol("kappa", r"\kappa", "condition number R^2/(l2 gamma)", nonnegative=True)
local_epochs = _symbol("local_epochs", "H", "epochs of SDCA on each part between two sums", integer=True, positive=True)
nodes = _symbol("nodes", "s", "number of parallel nodes", integer=True, positive=True)
unit = _symbol("unit", "c", "cost of sending one number, in visited nonzeros", nonnegative=True)
opening = _symbol("opening", r"c_{\mathrm{open}}", "cost of opening a channel, in visited nonzeros", nonnegative=True)
p_min = _symbol("p_min", r"p_{\min}", "smallest probability of a coordinate", positive=True)
v_p = _symbol(
    "v_p", r"{\overline{v/(n p)}}",
    "mean over examples of v_i/(n p_i), v_i = ||x_i||^2 or the ESO parameter of blocks: where all are drawn equally "
    "often one by one, the mean squared row norm", nonnegative=True,
)  # fmt: skip
w2_p = _symbol(
    "w2_p", r"{\left\|w_{0}-w^{*}\right\|_{H/p}^{2}}",
    "sum over features of H_j (w_0j - w*_j)^2/p_j with H_j = ||X_:j||^2/(gamma n), in blocks the ESO parameter for "
    "||X_:j||^2: w2, rare features weigh more",
    nonnegative=True,
)  # fmt: skip
lam_p = _symbol(
    "lam_p", r"\lambda_{p}", "smallest eigenvalue of P^(1/2) G P^(1/2), where P has the probabilities on its diagonal "
    "and G is the Hessian of the quadratic that coordinate descent minimises, scaled to the diagonal 1", positive=True,
)  # fmt: skip
G_min = _symbol(
    "G_min", r"\lambda_{\min}", "smallest eigenvalue of G, the Hessian of the quadratic scaled to the diagonal 1",
    positive=True,
)  # fmt: skip
G_max = _symbol(
    "G_max", r"\lambda_{\max}", "largest eigenvalue of G, the Hessian of the quadratic scaled to the diagonal 1",
    positive=True,
)  # fmt: skip
sigma_1 = _symbol(
    "sigma_1", r"\sigma_{1}", "share of the error that a block with its exact curvature takes off, at least: of the "
    "mean inverse of its curvature, the smallest eigenvalue; of more than 2000 blocks a lower bound of it",
    positive=True,
)  # fmt: skip
K = _symbol("K", "K", "1/(contraction factor): max over coordinates of s_i/(p_i l2 n)", positive=True)
W = _symbol("W", "W", "expected nonzeros visited per iteration: sum over coordinates of p_i c_i", nonnegative=True)
t = _symbol("t", "t", "iterations done", nonnegative=True)

# One coordinate i (an example for dual methods, a feature for primal ones) and the others.
i = sp.Symbol("i", integer=True)
k = sp.Symbol("k", integer=True)
v = sp.IndexedBase("v", nonnegative=True)  # squared norm of the coordinate's row or column
c = sp.IndexedBase("c", nonnegative=True)  # its number of nonzeros: what one update costs
p = sp.IndexedBase("p", positive=True)  # its probability
s = sp.IndexedBase("s", positive=True)  # v_i / gamma + l2 n
largest = sp.Function("max_i")  # the largest over the coordinates of an expression in i
smallest = sp.Function("min_i")

# the symbols, and what they mean, by the keywords of `Bound.at`
SYMBOLS: dict[str, sp.Symbol] = {name: entry[0] for name, entry in _VOCABULARY.items()}
MEANINGS: dict[str, str] = {name: entry[2] for name, entry in _VOCABULARY.items()}
_LATEX: dict[sp.Basic, str] = {symbol: latex for symbol, latex, _ in _VOCABULARY.values()}


def to_latex(expr: sp.Basic) -> str:
    r"""LaTeX of an expression in the papers' letters.

    >>> print(to_latex(n + R**2 / (l2 * gamma)))
    n + \frac{R^{2}}{\gamma \lambda}
    """
    text = sp.latex(expr, symbol_names=_LATEX, ln_notation=True, order="grlex")  # n first, as in the papers
    text = re.sub(r"\{([vcps])\}_\{(\w)\}", r"\1_{\2}", text)  # sympy braces an indexed base; the papers do not
    text = re.sub(r"\\frac\{\\left\(([^()]*)\\right\)\}", r"\\frac{\1}", text)  # a lone difference as numerator
    text = re.sub(r"(?<=[\w}]) \\mathrm\{nnz\}", r" \\,\\mathrm{nnz}", text)  # "n nnz" must not read "nnnz"
    return text.replace(r"\operatorname{max}_{i}", r"\max_{i}").replace(r"\operatorname{min}_{i}", r"\min_{i}")


# ------------------------------------------------------------ parameters of methods
# a parameter -> the symbols of a theorem that it sets
PARAMETERS: dict[str, tuple[sp.Symbol, ...]] = {
    "delta": (delta,),
    "prox_weight": (prox_weight,),
    "accuracy": (accuracy,),
    "gamma_r": (gamma_r,),
    "step": (step,),
    "mu": (mu, mu_rows, mu_cols),
}
USER_PARAMETERS: set[str] = set()  # those of users' methods, which set their symbols also where they are defaults


def parameter(name: str, meaning: str, latex: str | None = None, *, integer: bool = False) -> sp.Symbol:
    """A symbol that stands for a parameter of your method in its theorems.

    It enters ``SYMBOLS`` and ``MEANINGS``. The bound of an instance has its value, ``bound(MyMethod(block=5))``; one
    by the method's name asks for it, ``b.at(block=5, ...)``, unless the theorem is given ``defaults``.

    Parameters
    ----------
    name : str
        That of the method's field, and the keyword of `Bound.at`. The value must be positive.
    meaning : str
        What it is, for `Bound.where`.
    latex : str, optional
        How it is typeset; by default as its name, upright.
    integer : bool, default False
        Whether it is a whole number.

    Returns
    -------
    sympy symbol

    Raises
    ------
    ValueError
        If the name is one of cdlab's own symbols, or no identifier.

    Examples
    --------
    >>> from cdlab import theory
    >>> block = theory.parameter("block", "features in a block", integer=True)  # doctest: +SKIP
    >>> theorem = theory.contraction("block_greedy", "smooth", K=..., W=block * nnz / d, ...)  # doctest: +SKIP
    """
    if not name.isidentifier():
        raise ValueError(f"a parameter's symbol needs the name of the method's field, not {name!r}")
    if name in SYMBOLS and name not in USER_PARAMETERS:
        raise ValueError(f"there is a symbol {name!r} in cdlab.theory.SYMBOLS already ({MEANINGS[name]}): rename yours")
    symbol = sp.Symbol(name, positive=True, integer=integer or None)
    SYMBOLS[name], MEANINGS[name], _LATEX[symbol] = symbol, meaning, latex or rf"\mathrm{{{name}}}"
    PARAMETERS[name] = (symbol,)
    USER_PARAMETERS.add(name)
    return symbol


def forget_parameter(name: str) -> None:
    """Remove a symbol that `parameter` added."""
    USER_PARAMETERS.remove(name)
    del PARAMETERS[name], MEANINGS[name], _LATEX[SYMBOLS.pop(name)]
