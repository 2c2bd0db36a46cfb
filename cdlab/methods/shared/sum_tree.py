"""Drawing with weights that change between draws, in O(log n): a binary tree of sums in an array of 2n numbers.

Node k is the sum of nodes 2k and 2k + 1, node n + i is the weight of i, node 1 the sum of all, node 0 unused. Sums are
always added up again from their parts, so rounding does not pile up.
"""

import numpy as np

from ...numerics.jit import scalar


@scalar
def add_up(tree: np.ndarray) -> None:
    """All sums from the leaves."""
    for k in range(tree.size // 2 - 1, 0, -1):
        tree[k] = tree[2 * k] + tree[2 * k + 1]


@scalar
def put(tree: np.ndarray, i: int, weight: float) -> None:
    """Give i this weight."""
    k = tree.size // 2 + i
    tree[k] = weight
    while k > 1:
        k //= 2
        tree[k] = tree[2 * k] + tree[2 * k + 1]


@scalar
def pick(tree: np.ndarray, uniform: float) -> np.uint64:
    """The i that a uniform number in [0, 1) falls on, each on a share in proportion to its weight.

    Never one of weight 0, whatever the rounding, unless all are 0.
    """
    n, k = tree.size // 2, 1
    target = uniform * tree[1]
    while k < n:
        k *= 2
        if target >= tree[k] and tree[k + 1] > 0:
            target -= tree[k]
            k += 1
    return np.uint64(k - n)
