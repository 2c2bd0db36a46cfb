"""Random data of cdlab.datasets.make."""

from benchopt import BaseDataset

import cdlab


class Dataset(BaseDataset):
    name = "Generated"
    parameters = {"n, d": [(1000, 200)], "density": [1.0], "seed": [0]}
    requirements = ["pip::cdlab"]

    def get_data(self):
        X, y = cdlab.datasets.make(n=self.n, d=self.d, density=self.density, seed=self.seed)
        return {"X": X, "y": y}
