"""Inference over any number of points: prediction and training by bounded shares of them, in normalised units."""

import math
from copy import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from akrig.gp.left_out import LeaveOut, LeftOut
from akrig.gp.local.batches import Places, draw_batch
from akrig.gp.local.growing import GrowingRows
from akrig.gp.local.prediction import Said, posteriors_given, predict_locally
from akrig.gp.local.tree import Merged, ReadingTree, SortedPlaces
from akrig.gp.posterior import Posterior
from akrig.gp.process import Process
from akrig.gp.solver import Solver
from akrig.gp.training import OnStep, Trainer
from akrig.kernels.gram import Gram
from akrig.kernels.ops.scratch import Scratch
from akrig.randomness import Randomness
from akrig.threads import blas_threads
from akrig.types import Points

STEPS_PER_BATCH = 25
KEPT = ("process", "trainer", "reach", "seed", "_X", "_y")  # of a solver that is copied or pickled; all else is rebuilt


@dataclass(frozen=True)
class Reach:
    """How much is looked at.

    Args:
        most_near: readings, or means of several, that tell of a place.
        most_joint: the same for places together.
        most_leaves: cells that readings are told apart by; nothing costs more when there are more readings than that.
        margin: of a tile, as a share of its side: what lies within counts as near.
    """

    most_near: int = 384
    most_joint: int = 1500
    most_leaves: int = 1 << 14
    margin: float = 0.5

    @property
    def most_in_tile(self) -> int:
        return self.most_near // 2


PLANNING = Reach(most_near=256, most_leaves=1 << 11)  # candidates lie everywhere, so that every tile is asked


class LocalSolver:
    """Args:
    X, y: points and targets so far.
    reach: how much is looked at.
    seed: of the draws of readings to train on.
    """

    def __init__(
        self, process: Process, trainer: Trainer, X: Tensor, y: Tensor, *, reach: Reach | None = None, seed: int = 0
    ) -> None:
        self.process, self.trainer, self.reach, self.seed = process, trainer, reach or Reach(), seed
        self._X, self._y = GrowingRows((X.shape[1],)), GrowingRows()
        self._forget()
        self.append(X, y)

    def __len__(self) -> int:
        return len(self._y)

    @property
    def X(self) -> Points:
        return self._X.rows

    def append(self, X: Tensor, y: Tensor) -> None:
        self._X.append(X.numpy())
        self._y.append(y.numpy())
        self._tree = None

    def replace_targets(self, y: Tensor) -> None:
        """Others at the same points, such as the same readings at another scale."""
        self._y = GrowingRows()
        self._y.append(y.numpy())
        self._tree = None

    @property
    def tree(self) -> ReadingTree:
        """Of all readings."""
        if self._tree is None:
            self._places.take_in(self.X)
            self._tree = ReadingTree(self._places, self.X, self._y.rows, most_leaves=self.reach.most_leaves)
            self._tiles = self._tree.tiles(margin=self.reach.margin, most=self.reach.most_in_tile)
        return self._tree

    @property
    def tiles(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower corners and sides of boxes; each is told of by its own readings."""
        _ = self.tree
        return self._tiles

    num_factorized = 0  # of all points, which no factorisation is of

    def refresh(self) -> None:
        """There is nothing to share but for the moment of a prediction."""

    @property
    def for_planning(self) -> "LocalSolver":
        """The same readings, looked at less closely."""
        twin = copy(self)
        twin.reach, twin._places = PLANNING, self._places
        return twin

    def predict(self, points: Tensor) -> Said:
        """Mean and variance of the field at each point."""
        with torch.no_grad(), blas_threads(self.reach.most_near):
            [(mean, variance)] = predict_locally([self], points.numpy())
            return mean + self.process.mean_at(points).numpy(), variance

    def joint(self, points: Tensor) -> Said:
        """Mean and covariance of a set of points, all told of by the same readings."""
        with torch.no_grad(), blas_threads(self.reach.most_joint):
            self.check()
            X = points.numpy() if len(points) else self.X
            near = self.tree.seen_from(X.min(axis=0), X.max(axis=0), self.reach.most_joint)
            mean, covariance = posteriors_given([self], near)[0].joint(points)
            return mean + self.process.mean_at(points).numpy(), covariance

    def fit(self, steps: int, on_step: OnStep | None = None, leave_out: LeaveOut | None = None) -> float:
        """Returns the last step's loss, as if all readings were like those it was computed with."""
        before, rng = self.trainer.snapshot(), Randomness(self.seed).generator("batch", len(self))
        loss, drawn = math.nan, list[Places]()
        left_out: list[tuple[LeftOut, ...]] = []
        try:
            for begin in range(0, steps, STEPS_PER_BATCH):
                batch = draw_batch(self._places, self.tree, rng)
                solver = Solver(self.process, self.trainer, stands_for=len(self))
                solver.append(torch.from_numpy(self.X[batch]), torch.from_numpy(self._y.rows[batch]))
                loss = solver.fit(min(STEPS_PER_BATCH, steps - begin), on_step, leave_out)
                drawn.append(batch)
                left_out.append(solver.left_out)
        except BaseException:
            before.put_back()
            raise
        self.left_out_places = np.concatenate(drawn)
        self.left_out = tuple(
            LeftOut(np.concatenate([e.residual for e in each]), np.concatenate([e.variance for e in each]))
            for each in zip(*left_out, strict=True)
        )
        return loss / len(drawn[-1]) * len(self)

    def check(self) -> None:
        """Before a prediction: networks are not in training, and parameters are numbers."""
        self.trainer.forget_caches()
        self.trainer.set_mode(training=False)
        self.process.check_finite()

    def posterior(self, gram: Gram, near: Merged) -> Posterior:
        """Given these readings alone, which the gram holds; the next one takes its memory."""
        residual = self.process.residual(torch.from_numpy(near.X), torch.from_numpy(near.y)).detach().numpy()
        return Posterior(
            gram,
            residual,
            amplitude=self.process.amplitude().item(),
            noise_variance=self.process.noise_variance().item() / near.count,
            room=self._room.matrix(len(near), len(near)),
            queries=self._queries,
        )

    def __getstate__(self) -> dict:
        return {name: vars(self)[name] for name in KEPT}

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state)
        self._forget()

    def _forget(self) -> None:
        """What can be computed again."""
        self._places, self._tree = SortedPlaces(self._X.rows.shape[1]), None
        self._room, self._queries = Scratch(), Scratch()
        self.left_out: tuple[LeftOut, ...] = ()  # by the last fit
        self.left_out_places = np.empty(0, np.int64)
