"""cdlab, epoch after epoch, from building the Problem on; each epoch ends with a duality gap."""

import numpy as np
from benchopt import BaseSolver

import cdlab


class Solver(BaseSolver):
    name = "cdlab"
    sampling_strategy = "callback"
    parameters = {
        "method, sampling": [
            ("sdca", "permutation"),
            ("rcd", "permutation"),
            ("quartz", "importance"),
            ("apcg", "uniform"),
            ("lbfgs", "none"),
        ]
    }
    requirements = ["pip::cdlab"]

    def set_objective(self, X, y, loss, l2, l1):
        self.X, self.y, self.weights = X, y, {"loss": loss, "l2": l2, "l1": l1}

    def skip(self, **of_the_objective):
        try:
            small = cdlab.Problem(np.ones((2, 1)), [-1.0, 1.0], **weights(of_the_objective))
            cdlab.iterate(small, self.method, sampling=self.sampling)
        except ValueError as refusal:  # "rcd needs a smooth loss", say
            return True, str(refusal)
        return False, None

    def warm_up(self):
        self.run_once()  # compiles

    def run(self, callback):
        run = cdlab.iterate(cdlab.Problem(self.X, self.y, **self.weights), self.method, sampling=self.sampling)
        next(run)  # the start
        self.w = run.w
        while callback():
            next(run)
            self.w = run.w

    def get_result(self):
        return {"w": self.w}


def weights(of_the_objective):
    return {name: of_the_objective[name] for name in ("loss", "l2", "l1")}
