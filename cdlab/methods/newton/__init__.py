"""Inner solvers of newton_cd's outer loop, and the choice of the cheapest."""
