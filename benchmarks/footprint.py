"""What starting and solving cost a fresh process: CPU seconds and peak memory, median of several runs.

    python benchmarks/footprint.py [DATA ...]    default: news20.bigram covtype.libsvm.binary (needs CDLAB_DATA)

Start-up: `import cdlab`; import, build a small problem and solve it (kernels from the compile cache).
Memory: the growth of peak resident memory while loading and solving (10 passes of sdca, permutation), kernels and
imports warmed before, over the size of the data as float64 values with int32 columns (CSR).
"""

import json
import statistics
import subprocess
import sys

START = {
    "import cdlab": "import cdlab",
    "import, build, solve": """
import numpy as np, cdlab
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 20))
cdlab.solve(cdlab.Problem(X, np.sign(X[:, 0]), l2=0.01), "sdca", tol=1e-6)
""",
}
MEMORY = """
import json, resource, cdlab
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if {darwin} else 1024)
cdlab.solve(cdlab.Problem(*cdlab.datasets.load("mushrooms"), l2=1e-3), "sdca", max_passes=1)
before = peak()
P = cdlab.Problem(*cdlab.datasets.load({name!r}, split="all"), l2=1e-4)
loaded = peak()
cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=10)
csr = 12 * P.nnz + 4 * (P.n + 1)
print(json.dumps([csr / 1e6, (loaded - before) / csr, (peak() - before) / csr]))
"""
CPU = "\nimport time; print(time.process_time())"


def fresh(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def main(names: list[str]) -> None:
    for what, code in START.items():
        fresh(code)  # fill the caches
        seconds = [float(fresh(code + CPU)) for _ in range(7)]
        print(f"{what:24} {statistics.median(seconds):.2f} CPU s ({min(seconds):.2f} to {max(seconds):.2f})")
    print(f"{'python alone':24} {statistics.median(float(fresh(CPU)) for _ in range(7)):.2f} CPU s")
    for name in names:
        csr, loaded, solved = json.loads(fresh(MEMORY.format(name=name, darwin=sys.platform == "darwin")))
        print(f"{name:24} CSR {csr:.0f} MB; peak growth {loaded:.2f}x after loading, {solved:.2f}x after solving")


if __name__ == "__main__":
    main(sys.argv[1:] or ["news20.bigram", "covtype.libsvm.binary"])
