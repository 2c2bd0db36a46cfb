"""Tests run side by side, and small problems gain nothing from more: BLAS gets one thread, also in their processes.

With several, the workers' threads wait for one another more than they compute. To be imported before numpy.
"""

import os

for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
