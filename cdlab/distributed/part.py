"""One part of the data: its shards, its dual variables, and the steps that a team takes on all parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..datasets.parts import Matrix
from ..losses import Loss, is_vector, per_example, weighted
from ..methods.sdca import SDCA, State
from ..numerics import matrices
from ..numerics.profiles import line_profile, validated_with_profile
from ..problems.centring import subtract_means
from ..problems.intercept import balance, balance_classes, masses_of
from ..problems.labels import LabelMap, apply_label_map, check_range
from ..problems.points import View
from ..problems.products import Products
from ..problems.rounding import row_norms
from ..regularizers import regularizer
from . import checkpoints
from .exact_sums import ExactSums
from .shards import Examples, Reading, Shard, joined
from .summaries import Summary


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


@dataclass(frozen=True)
class Facts:
    """The problem, as all parts know it."""

    n: int  # examples of all parts
    reading: Reading
    loss: Loss
    l2: float
    l1: float
    label_map: LabelMap | None
    mean_weight: float | None  # of an example; None: all are alike
    means: np.ndarray | None = None  # of the columns, which are centred with an intercept; None: there is none
    seed: int = 0
    local_epochs: int = 0
    in_memory: bool = False  # whether a part keeps its shards, as one block; else each is read when it is needed

    @property
    def outputs(self) -> tuple[int, ...]:
        """The number of classes of softmax; () for losses of one prediction."""
        return (len(self.label_map or ()),) if is_vector(self.loss) else ()

    def labelled(self, examples: Examples) -> tuple[np.ndarray, np.ndarray | None, Loss, np.ndarray]:
        """Labels as numbers, weights of mean 1 over all parts, the loss with these, and its labels."""
        y = apply_label_map(examples.y, self.label_map)
        s = None if self.mean_weight is None else examples.weights / self.mean_weight
        return (y, s, *weighted(self.loss, y, s))


class Block(NamedTuple):
    """Some examples of a part, in memory: X by rows, labels and weights, and what is known of the rows."""

    rows: slice  # among those of the part
    X: Matrix
    view: View
    products: Products
    norms2: np.ndarray
    counts: np.ndarray
    y: np.ndarray
    s: np.ndarray | None

    def dual_sums(self, alpha: np.ndarray) -> np.ndarray:
        """The sums of phi*(-alpha_i) and of |alpha_i| ||x_i||."""
        conjugate = per_example.mean_conjugate(self.view.loss, alpha, self.view.y)
        return np.array([self.y.size * conjugate, row_norms(alpha) @ np.sqrt(self.norms2)])


class Part:
    """Part number k, and its shards. The first step is `begin`, or `scan`, which needs no other."""

    def __init__(self, k: int, shards: Sequence[Shard]) -> None:
        self.k, self.shards = k, shards

    def take(self, step: str, given: Sequence[Any]) -> tuple[Any, Exception | None]:
        """What a step gives, or its error: a value until it is where the step was asked for."""
        try:
            return getattr(self, step)(*given), None
        except Exception as error:
            return None, error

    def apply(self, function: Callable[..., Any], *given: Any) -> Any:
        """What a function of a part, and of what else is given, makes of this one."""
        return function(self, *given)

    def timed(self, step: str, *given: Any) -> Summed:
        """What a step gives, with its CPU time as one more number."""
        began = time.thread_time()
        found = getattr(self, step)(*given)
        return Summed(found.vector, np.append(found.numbers, time.thread_time() - began))

    # ------------------------------------------------------------ before a problem is known
    def scan(self, reading: Reading) -> Summary:
        """The sums over its shards, one of which is in memory at a time."""
        return reduce(Summary.join, (self._summary(shard, reading) for shard in self.shards))

    def _summary(self, shard: Shard, reading: Reading) -> Summary:
        with shard.named():
            return Summary(shard.name, shard.read(reading))

    def slopes(self, facts: Facts) -> ExactSums:
        """The sums over its examples of X_ij phi'(0; y_i)."""
        sums = ExactSums(facts.reading.d or 0)
        for shard in self.shards:
            examples = shard.read(facts.reading)
            *_, loss, y = facts.labelled(examples)
            sums.add_columns(examples.X, per_example.gradients(loss, np.zeros(y.size), y))
        return sums

    # ------------------------------------------------------------ the start
    def begin(self, facts: Facts) -> Summed:
        """Take the start, alpha = 0 and of each empty row its optimum.

        The sums are of phi(0), phi*(0) and ||x_i||^2; the vector is that of the squared norms of the columns.
        """
        self.facts = facts
        self.rng = np.random.default_rng(facts.seed if self.k == 0 else [facts.seed, self.k])
        self._kept: list[Block] | None = None
        if facts.in_memory:
            self._kept = [self._block(joined([shard.read(facts.reading) for shard in self.shards]), 0)]
        numbers, alphas, columns = np.zeros(3), [], np.zeros(())
        for block in self._blocks():
            loss, y = block.view.loss, block.view.y
            zero = np.zeros((y.size, *facts.outputs))
            empty = (block.counts == 0).reshape(-1, *(1,) * len(facts.outputs))
            alphas.append(np.where(empty, -per_example.gradients(loss, zero, y), 0.0))
            numbers += y.size * per_example.mean_loss(loss, zero, y), block.dual_sums(zero)[0], block.norms2.sum()
            columns = columns + line_profile(block.X, "columns").norms2
        self.alpha, self.target = np.concatenate(alphas), np.empty(0)
        if facts.local_epochs:
            self._epoch(block, np.zeros(len(columns)), np.empty(0, np.uint64))  # compiled before the clock runs
        return Summed(columns, numbers)

    def _blocks(self) -> Iterator[Block]:
        """Its examples, in memory one after another or all at once."""
        if self._kept is not None:
            yield from self._kept
            return
        done = 0
        for shard in self.shards:
            yield (block := self._block(shard.read(self.facts.reading), done))
            done = block.rows.stop

    def _block(self, examples: Examples, begin: int) -> Block:
        facts = self.facts
        y, s, loss, loss_y = facts.labelled(examples)
        check_range(y, loss, loss_y)
        X = examples.X if facts.means is None else subtract_means(examples.X, facts.means)
        X, profile, nnz = validated_with_profile(X)
        lines = matrices.rows(X)
        view = View(lines, loss_y, loss, regularizer(facts.l2, facts.l1))
        return Block(slice(begin, begin + y.size), X, view, Products(lines, X.shape, nnz, 1), *profile, y, s)

    # ------------------------------------------------------------ full gradients
    def measure(self, w: np.ndarray, of_alpha: bool = True, of_target: bool = True) -> Summed:
        """At w: the sums of phi(z_i), of phi*(-alpha_i) and |alpha_i| ||x_i||, and of the same of the target.

        The target is new_i = -phi'(z_i). Of it there follow the sum of (new_i - alpha_i)^2, with an intercept its
        `masses_of`, and the vector X'new.
        """
        masses = np.zeros(0 if self.facts.means is None else (2, *self.facts.outputs))
        total, numbers, targets = np.zeros(w.shape if of_target else 0), np.zeros(6), []
        for block in self._blocks():
            loss, y, alpha = block.view.loss, block.view.y, self.alpha[block.rows]
            z = block.products.times(w)
            numbers[0] += y.size * per_example.mean_loss(loss, z, y)
            if of_alpha:
                numbers[1:3] += block.dual_sums(alpha)
            if of_target:
                new = -per_example.gradients(loss, z, y)
                total += block.products.transposed_times(new)
                numbers[3:] += np.append(block.dual_sums(new), ((new - alpha) ** 2).sum())
                masses += masses_of(new, block.y, block.s) if masses.size else 0.0
                targets.append(new)
        self.target = np.concatenate(targets) if of_target else self.target
        return Summed(total, np.append(numbers, masses))

    def gradient(self, w: np.ndarray) -> Summed:
        """`measure` of the target alone."""
        return self.measure(w, of_alpha=False)

    def certify(self, theta: float, masses: np.ndarray | None = None) -> Summed:
        """Go theta of the way to the target, or balance it; X'alpha, and sums of phi*(-alpha_i) and |alpha_i| ||x_i||.

        Masses are those of all parts: with them alpha is the target, balanced.
        """
        self._step(theta)
        total, numbers = np.zeros(()), np.zeros(2)
        for block in self._blocks():
            if masses is not None:
                new, labels = self.target[block.rows], (block.y, block.s)
                new = balance(new, masses) if new.ndim == 1 else balance_classes(new, *labels, masses)
                self.alpha[block.rows] = new
            alpha = self.alpha[block.rows]
            total = total + block.products.transposed_times(alpha)
            numbers += block.dual_sums(alpha)
        return Summed(total, numbers)

    def _step(self, theta: float) -> None:
        if theta > 0:
            self.alpha += theta * (self.target - self.alpha)

    # ------------------------------------------------------------ CoCoA+
    def descend(self, v: np.ndarray, theta: float) -> Summed:
        """Go theta of the way to the target, and then take SDCA's epochs from v; the vector is n_k/n times theirs."""
        self._step(theta)
        v, updates = v.copy(), 0
        for _ in range(self.facts.local_epochs):
            for block in self._blocks():
                n_b = block.y.size
                v = self._epoch(block, v, self.rng.integers(n_b, size=n_b, dtype=np.uint64))
                updates += n_b
        return Summed(v * (self.alpha.size / self.facts.n), np.array([float(updates)]))

    def _epoch(self, block: Block, v: np.ndarray, order: np.ndarray) -> np.ndarray:
        """The v after SDCA's steps on these examples of a block, which are exact steps of the part."""
        n_b, l2 = block.y.size, self.facts.l2
        share = self.alpha.size / n_b  # the block stands for so many of its size
        q = block.norms2 / (share * l2 * n_b)
        S = State(self.alpha[block.rows], v * share, q, np.zeros(3), np.empty(0))
        SDCA().epoch(block.view._replace(reg=regularizer(share * l2, share * self.facts.l1)), S, order)
        return S.v / share

    def recover(self, w: np.ndarray, lost: frozenset[int]) -> Summed:
        """`certify`, where a part that was lost has alpha_i = -phi'(x_i'w); at w = 0 it begins anew."""
        if self.k in lost and w.any():
            self.gradient(w)
            self._step(1.0)
        return self.certify(0.0)

    # ------------------------------------------------------------ what is kept
    def save(self, folder: Path, at: int, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Write alpha and the random numbers that are left, after this round, beside what the run has."""
        own = {"rng": self.rng.bit_generator.state, **about}
        checkpoints.write(folder, f"part{self.k}", at, own, alpha=self.alpha, **arrays)

    def saved(self, folder: Path) -> set[int]:
        """The rounds after which it has been saved."""
        return checkpoints.rounds(folder, f"part{self.k}")

    def restore(self, folder: Path, at: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Take what it had after this round; what the run had is returned."""
        about, arrays = checkpoints.read(folder, f"part{self.k}", at)
        self.alpha, self.rng.bit_generator.state = arrays.pop("alpha"), about.pop("rng")
        return about, arrays
