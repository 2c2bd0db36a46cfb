r"""One step of each method as a formula, in the page's letters: :math:`\alpha` where papers on SPDC have :math:`-y`.

For one coordinate at a time and no L1 term, as the docstrings of `cdlab.methods` state them; ", \quad " stands between
parts.
"""

from __future__ import annotations

UPDATES = {
    "rcd": r"w_j \leftarrow w_j - \frac{1}{L_j} \nabla_j P(w), \quad L_j = \frac{\|X_{:j}\|^2}{\gamma n} + \lambda",
    "acc_rcd": (
        r"w = \tau z + (1-\tau) y, \quad y \leftarrow w - \frac{1}{L_j} \nabla_j P(w) \, e_j, \quad "
        r"z \leftarrow \frac{z + \eta \lambda w - (\eta / p_j) \nabla_j P(w) \, e_j}{1 + \eta \lambda}"
    ),
    "sdca": r"\alpha_i \leftarrow \mathrm{argmax}_t \; D(\alpha + (t - \alpha_i) e_i)",
    "quartz": (
        r"\alpha_i \leftarrow (1 - s) \alpha_i - s \varphi_i'(x_i \cdot w), \quad "
        r"s = \frac{1}{q_i} \min_k \frac{q_k \lambda \gamma n}{v_k + \lambda \gamma n}"
    ),
    "apcg": (
        r"z_i \leftarrow \mathrm{argmin}_t \, h(t), \quad "
        r"h(t) = \nabla_i f(y) \, t + \Psi_i(t) + \frac{Q_i}{2n} (t - \tilde z_i)^2, \quad "
        r"\alpha \leftarrow y + n a (z - \tilde z)"
    ),
    "spdc": (
        r"\alpha_i \leftarrow \mathrm{argmax}_t \, h(t), \quad "
        r"h(t) = -t \, x_i \cdot \bar w - \varphi_i^*(-t) - \frac{(t - \alpha_i)^2}{2 s}, \quad "
        r"w' = \mathrm{prox}_{\tau} (w + \tau (v + x_i \Delta \alpha_i)), \quad \bar w = w' + \theta (w' - w)"
    ),
    "appa": (
        r"w' \approx \mathrm{argmin}_u \; P(u) + \frac{\lambda'}{2} \|u - w\|^2, \quad "
        r"\lambda' = \max_i \frac{\|x_i\|^2}{\gamma n}"
    ),
    "sgd": r"w \leftarrow w - \frac{1}{\lambda t} (\varphi_i'(x_i \cdot w) x_i + \lambda w)",
    "saga": (
        r"w \leftarrow \mathrm{prox}_{\eta} (w - \eta g), \quad "
        r"g = \frac{1}{n p_i} (\varphi_i'(x_i \cdot w) - a_i) x_i + \frac{1}{n} \sum_k a_k x_k"
    ),
    "lsvrg": (
        r"w \leftarrow \mathrm{prox}_{\eta} (w - \eta g), \quad "
        r"g = \frac{1}{n p_i} (\varphi_i'(x_i \cdot w) - \varphi_i'(x_i \cdot s)) x_i + "
        r"\frac{1}{n} \sum_k \varphi_k'(x_k \cdot s) x_k"
    ),
}
LETTERS = {
    "acc_rcd": "τ and η by √(Lⱼ/λ); the answer is y.",
    "apcg": "−D = f + Σ Ψᵢ; y = (α + az)/(1 + a), z̃ = (1 − a)z + ay.",
    "quartz": "q: how likely a row is drawn; v: its norm², in batches the number of the ESO, up to batch × norm².",
    "spdc": "v = 1/n Σ αₖxₖ; its saddle function: −1/n Σ (αₖ xₖ·w + φₖ*(−αₖ)) + λ/2 ‖w‖².",
    "appa": "By sdca, begun at αᵢ = −φᵢ′(xᵢ·w), until the gap of this problem is at most λ′/2 ‖w′ − w‖².",
    "sgd": "The answer is the average of all w.",
    "saga": "a: the slopes φ′ that are remembered; p: how likely a row is drawn.",
    "lsvrg": "s: the snapshot, a w that a coin renews; p: how likely a row is drawn.",
}
