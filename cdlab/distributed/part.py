"""One part of the data: its shards, its dual variables, and the steps that a team takes on all parts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..datasets.parts import Matrix
from ..datasets.scaling import divide_rows, to_unit_rows
from ..losses import Loss, is_vector, per_example, weighted
from ..methods.sdca import SDCA, State
from ..numerics import matrices
from ..numerics.profiles import line_profile, validated_with_profile
from ..problems.labels import LabelMap, apply_label_map, are_words, check_range
from ..problems.points import View
from ..problems.products import Products
from ..regularizers import regularizer
from . import checkpoints
from .exact_sums import ExactSums
from .shards import Shard, joined

MAX_CLASSES = 1000  # More distinct labels are the targets of a regression.


class Summed(NamedTuple):
    """What a step of one part gives, or the sums over parts."""

    vector: np.ndarray
    numbers: np.ndarray


def added(parts: Iterable[Summed]) -> Summed:
    """The sums over parts, in their order; the arrays of the first are written to."""
    found = iter(parts)
    total = next(found)
    for each in found:
        total.vector[...] += each.vector
        total.numbers[...] += each.numbers
    return total


class Summary:
    """Exact sums over shards: what a scan and the start of a run need to know of all of them.

    Squares are of columns, C_D and norms one sum each, over rows; labels have the shard in which each came first, and
    are None if there are more than 1000; the name is that of the first shard.
    """

    def __init__(self, name: str, X: Matrix, y: np.ndarray) -> None:
        rows = line_profile(X, "rows")
        self.name, (self.n, self.d) = name, X.shape
        self.counts = line_profile(X, "columns").counts
        self.nnz, self.n_nonempty = int(rows.counts.sum()), int(np.count_nonzero(rows.counts))
        self.squares, self.C_D, self.norms = ExactSums(self.d), ExactSums(1), ExactSums(1)
        self.squares.add_columns(X)
        self.C_D.add(rows.counts * rows.norms2)
        self.norms.add(np.sqrt(rows.norms2))
        self.largest = float(rows.norms2.max())
        self.has_words = are_words(y)
        distinct = np.unique(y).tolist()
        self.labels: dict[Any, str] | None = dict.fromkeys(distinct, name) if len(distinct) <= MAX_CLASSES else None

    def join(self, other: Summary) -> None:
        """Add other shards.

        Raises
        ------
        ValueError
            If they have another number of columns, or words where these have numbers.
        """
        if other.d != self.d:
            raise ValueError(f"{other.name} has {other.d} features, and {self.name} has {self.d}: not one set")
        if other.has_words != self.has_words:
            words, numbers = (other, self) if other.has_words else (self, other)
            raise ValueError(f"the labels of {words.name} are words, and those of {numbers.name} numbers: not one set")
        self.n, self.nnz, self.n_nonempty = self.n + other.n, self.nnz + other.nnz, self.n_nonempty + other.n_nonempty
        self.counts += other.counts
        for mine, theirs in ((self.squares, other.squares), (self.C_D, other.C_D), (self.norms, other.norms)):
            mine.join(theirs)
        self.largest = max(self.largest, other.largest)
        self.labels = self.labels and other.labels and self.labels | {**other.labels, **self.labels}  # first come first
        if self.labels is not None and len(self.labels) > MAX_CLASSES:
            self.labels = None


def joined_summaries(found: Iterable[Summary]) -> Summary:
    """One summary of all shards."""
    summaries = iter(found)
    total = next(summaries)
    for each in summaries:
        total.join(each)
    return total


@dataclass(frozen=True)
class Reading:
    """How shards become X: the number of their columns (None: their own), and how rows are scaled."""

    d: int | None = None
    scale: str = "none"
    mean: float = 1.0  # the mean norm of all rows, for "mean"

    def of(self, shard: Shard) -> tuple[Matrix, np.ndarray]:
        """X (n, d) and y of a shard."""
        X, y = shard.read(self.d)
        if self.scale != "none":
            X = X.copy()
            if self.scale == "unit":
                to_unit_rows(X)
            else:
                divide_rows(X, np.full(X.shape[0], self.mean))
        return X, y


@dataclass(frozen=True)
class Facts:
    """The problem, as all parts know it."""

    n: int  # examples of all parts
    reading: Reading
    loss: Loss
    l2: float
    l1: float
    label_map: LabelMap | None
    seed: int = 0
    local_epochs: int = 1
    in_memory: bool = False  # whether a part keeps its shards, as one block; else each is read when it is needed


class Block(NamedTuple):
    """Some examples of a part, in memory: X by rows, labels, and what is known of the rows."""

    rows: slice  # among those of the part
    view: View
    products: Products
    norms2: np.ndarray
    counts: np.ndarray


class Part:
    """One part. The first step is `begin`, or `scan`, which needs no other.

    Parameters
    ----------
    k : int
        Its number, from 0.
    shards : sequence of Shard
        What it holds.
    """

    def __init__(self, k: int, shards: Sequence[Shard]) -> None:
        self.k, self.shards = k, shards

    def take(self, step: str, given: Sequence[Any]) -> tuple[Any, Exception | None]:
        """What a step gives, or its error: a value until it is where the step was asked for."""
        try:
            return getattr(self, step)(*given), None
        except Exception as error:
            return None, error

    def timed(self, step: str, *given: Any) -> Summed:
        """What a step gives, with its CPU time as one more number."""
        began = time.thread_time()
        found = getattr(self, step)(*given)
        return Summed(found.vector, np.append(found.numbers, time.thread_time() - began))

    # ------------------------------------------------------------ before a problem is known
    def scan(self, reading: Reading) -> Summary:
        """The sums over its shards, one of which is in memory at a time."""
        return joined_summaries(self._summary(shard, reading) for shard in self.shards)

    def _summary(self, shard: Shard, reading: Reading) -> Summary:
        with shard.named():
            return Summary(shard.name, *reading.of(shard))

    def slopes(self, facts: Facts) -> ExactSums:
        """The sums over its examples of X_ij phi'(0; y_i)."""
        sums = ExactSums(facts.reading.d or 0)
        for shard in self.shards:
            X, y = facts.reading.of(shard)
            loss, y = weighted(facts.loss, apply_label_map(y, facts.label_map), None, None)
            sums.add_columns(X, per_example.gradients(loss, np.zeros(y.size), y))
        return sums

    # ------------------------------------------------------------ the start
    def begin(self, facts: Facts) -> Summed:
        """Take the start, alpha = 0 and of each empty row its optimum, and return sums of it.

        They are v, and the numbers n_k, nnz_k, sum phi(0), sum phi*(0) and sum ||x_i||^2.
        """
        self.facts = facts
        self.rng = np.random.default_rng(facts.seed if self.k == 0 else [facts.seed, self.k])
        self._kept: list[Block] | None = None
        if facts.in_memory:
            X, y = joined([facts.reading.of(shard) for shard in self.shards])
            self._kept = [self._block(X, y, 0)]
        numbers, alphas = np.zeros(5), []
        v: np.ndarray | None = None
        for block in self._blocks():
            loss, y = block.view.loss, block.view.y
            zero = self._zeros(y.size)
            alpha, empty = zero.copy(), block.counts == 0
            alpha[empty] = -per_example.gradients(loss, zero, y)[empty]
            alphas.append(alpha)
            sums = per_example.mean_loss(loss, zero, y), per_example.mean_conjugate(loss, zero, y)
            numbers += [y.size, block.counts.sum(), y.size * sums[0], y.size * sums[1], block.norms2.sum()]
            product = block.products.transposed_times(alpha)
            v = product if v is None else v + product
        assert v is not None, "a part has a shard"
        self.alpha, self.target = np.concatenate(alphas), np.empty(0)
        if self.alpha.ndim == 1:
            self._epoch(block, v, np.empty(0, np.uint64))  # compiled before the clock runs
        return Summed(v, numbers)

    def _zeros(self, rows: int) -> np.ndarray:
        classes = self.facts.label_map or ()
        return np.zeros((rows, len(classes)) if is_vector(self.facts.loss) else rows)

    def _blocks(self) -> Iterator[Block]:
        """Its examples, in memory one after another or all at once."""
        if self._kept is not None:
            yield from self._kept
            return
        done = 0
        for shard in self.shards:
            yield (block := self._block(*self.facts.reading.of(shard), done))
            done = block.rows.stop

    def _block(self, X: Matrix, y: np.ndarray, begin: int) -> Block:
        facts = self.facts
        X, profile, nnz = validated_with_profile(X)
        y = apply_label_map(y, facts.label_map)
        loss, loss_y = weighted(facts.loss, y, None, None)
        check_range(y, loss, loss_y)
        lines = matrices.rows(X)
        view = View(lines, loss_y, loss, regularizer(facts.l2, facts.l1))
        return Block(slice(begin, begin + y.size), view, Products(lines, X.shape, nnz, 1), *profile)

    # ------------------------------------------------------------ CoCoA+
    def measure(self, v: np.ndarray, with_target: bool) -> Summed:
        """At w = grad g*(v): the sum of phi(z_i), of phi*(-alpha_i) and of |alpha_i| ||x_i||, to begin with.

        With a target, new_i = -phi'(z_i), there follow its sums of phi*(-new_i) and (new_i - alpha_i)^2, and the vector
        is X'new.
        """
        w = regularizer(self.facts.l2, self.facts.l1).grad_g_conj(v)
        total, targets, numbers = np.zeros(v.shape if with_target else 0), [], np.zeros(5)
        for block in self._blocks():
            loss, y, alpha = block.view.loss, block.view.y, self.alpha[block.rows]
            z = block.products.times(w)
            numbers[:3] += (
                y.size * per_example.mean_loss(loss, z, y),
                y.size * per_example.mean_conjugate(loss, alpha, y),
                np.abs(alpha) @ np.sqrt(block.norms2),
            )
            if with_target:
                new = -per_example.gradients(loss, z, y)
                total += block.products.transposed_times(new)
                numbers[3:] += y.size * per_example.mean_conjugate(loss, new, y), ((new - alpha) ** 2).sum()
                targets.append(new)
        self.target = np.concatenate(targets) if with_target else self.target
        return Summed(total, numbers)

    def descend(self, v: np.ndarray, theta: float) -> Summed:
        """Go theta of the way to the target, and then take SDCA's epochs from v; the vector is n_k/n times theirs."""
        self._step(theta)
        v, updates = v.copy(), 0
        for _ in range(self.facts.local_epochs):
            for block in self._blocks():
                n_b = block.view.y.size
                v = self._epoch(block, v, self.rng.integers(n_b, size=n_b, dtype=np.uint64))
                updates += n_b
        return Summed(v * (self.alpha.size / self.facts.n), np.array([float(updates)]))

    def _epoch(self, block: Block, v: np.ndarray, order: np.ndarray) -> np.ndarray:
        """The v after SDCA's steps on these examples of a block, which are exact steps of the part."""
        n_b, l2 = block.view.y.size, self.facts.l2
        share = self.alpha.size / n_b  # the block stands for so many of its size
        q = block.norms2 / (share * l2 * n_b)
        S = State(self.alpha[block.rows], v * share, q, np.zeros(3))
        SDCA().epoch(block.view._replace(reg=regularizer(share * l2, share * self.facts.l1)), S, order)
        return S.v / share

    def certify(self, theta: float) -> Summed:
        """Go theta of the way to the target; X'alpha afresh, and the sums of phi*(-alpha_i) and |alpha_i| ||x_i||."""
        self._step(theta)
        total, numbers = np.zeros(0), np.zeros(2)
        for block in self._blocks():
            alpha = self.alpha[block.rows]
            product = block.products.transposed_times(alpha)
            total = product if total.size == 0 else total + product
            conjugate = per_example.mean_conjugate(block.view.loss, alpha, block.view.y)
            numbers += alpha.shape[0] * conjugate, np.abs(alpha) @ np.sqrt(block.norms2)
        return Summed(total, numbers)

    def recover(self, v: np.ndarray, lost: frozenset[int]) -> Summed:
        """`certify`, where a part that was lost has alpha_i = -phi'(x_i'w), w = grad g*(v); at w = 0 it begins anew."""
        if self.k in lost and v.any():
            self.measure(v, True)
            self._step(1.0)
        return self.certify(0.0)

    def _step(self, theta: float) -> None:
        if theta > 0:
            self.alpha += theta * (self.target - self.alpha)

    # ------------------------------------------------------------ checkpoints
    def save(self, folder: Path, at: int) -> None:
        """Write alpha and the random numbers that are left, after this round."""
        checkpoints.write(folder, f"part{self.k}", at, {"rng": self.rng.bit_generator.state}, alpha=self.alpha)

    def saved(self, folder: Path) -> set[int]:
        """The rounds after which it has been saved."""
        return checkpoints.rounds(folder, f"part{self.k}")

    def restore(self, folder: Path, at: int) -> None:
        """Take what it had after this round."""
        about, arrays = checkpoints.read(folder, f"part{self.k}", at)
        self.alpha, self.rng.bit_generator.state = arrays["alpha"], about["rng"]

    # ------------------------------------------------------------ full gradients
    def gradient(self, w: np.ndarray) -> Summed:
        """X'alpha with alpha_i = -phi'(z_i), and the sums of phi(z_i), phi*(-alpha_i) and ||alpha_i|| ||x_i||."""
        total, numbers, alphas = np.zeros(w.shape), np.zeros(3), []
        for block in self._blocks():
            loss, y = block.view.loss, block.view.y
            z = block.products.times(w)
            alpha = -per_example.gradients(loss, z, y)
            total += block.products.transposed_times(alpha)
            numbers += (
                y.size * per_example.mean_loss(loss, z, y),
                y.size * per_example.mean_conjugate(loss, alpha, y),
                np.sqrt((alpha.reshape(y.size, -1) ** 2).sum(axis=1)) @ np.sqrt(block.norms2),
            )
            alphas.append(alpha)
        self.alpha = np.concatenate(alphas)
        return Summed(total, numbers)
