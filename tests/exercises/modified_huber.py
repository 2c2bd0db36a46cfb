"""A loss: the modified Huber loss of the margin m = y u (Zhang 2004), quadratic near 1 and linear below -1."""

from typing import NamedTuple

from cdlab import jit


@jit.struct
class ModifiedHuber(NamedTuple):
    """phi = max(0, 1 - m)^2 for m >= -1 and -4 m below; phi*(-a) = b^2/4 - b with b = y a in [0, 4]."""

    c: float = 1.0  # times c

    name = "modified_huber"
    classification = True

    @property
    def gamma(self):
        return 1 / (2 * self.c)

    @property
    def lipschitz(self):
        return 4 * self.c

    def phi(self, u, y):
        m = y * u
        return -4 * self.c * m if m < -1 else self.c * max(0.0, 1 - m) ** 2

    def grad_phi(self, u, y):
        m = y * u
        return -4 * self.c * y if m < -1 else -2 * self.c * y * max(0.0, 1 - m)

    def phi_conj(self, a, y):
        b = y * a
        return b * b / (4 * self.c) - b if -1e-12 <= b <= 4 * self.c + 1e-12 else float("inf")

    def dualprox(self, u, y0, q, y):
        b = (1 - y * u - q * y * y0) / (1 / (2 * self.c) + q)
        return -y * min(max(b, 0.0), 4 * self.c)
