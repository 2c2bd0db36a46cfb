"""A sampling: coordinates in proportion to their nonzeros, one more each, so that none is forgotten."""

from dataclasses import dataclass
from typing import ClassVar

from cdlab.samplings import Sampling, normalised


@dataclass(frozen=True)
class ByNonzeros(Sampling):
    """p_i in proportion to nnz(line i) + 1."""

    name: ClassVar[str] = "by_nonzeros"

    def probabilities(self, c):
        return normalised(c.counts + 1.0)
