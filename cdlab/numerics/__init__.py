"""What stands under all the rest: the bridge to numba, matrices, argument checks, eigenvalues, clocks."""
