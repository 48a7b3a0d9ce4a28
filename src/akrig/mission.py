"""Algorithm 1: plan, go and measure, learn, until the budget is spent.

The loop is a generator. Whoever consumes it journals, scores, plots, shows progress, or stops early.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from akrig.errors import PlanRefused, StalledMission
from akrig.geometry import Box, Pose
from akrig.protocols import Model, Strategy, Vehicle
from akrig.randomness import Randomness
from akrig.types import Budget, Epoch, Measurement, Plan, Points, Samples, Situation

NOTHING = Budget(0, 0.0, 0.0)


def no_reserve(pose: Pose) -> Budget:
    return NOTHING


class Mission:
    """Brings a model, a strategy and a vehicle together.

    Args:
        pilot: plans epoch 0, when the model knows nothing yet.
        strategy: plans all others.
        workspace: waypoints outside it are refused.
        budget: the leg during which it is spent still runs to its end.
        steps_per_reading: training steps after a leg, per reading of the leg.
        pilot_steps: training steps after the pilot survey; `None` counts it like any other leg.
        patience: so many legs in a row may bring no reading.
        is_open: see `Situation`.
        reserve: what must be left of the budget at a pose, for instance for the way home.
    """

    def __init__(
        self,
        *,
        model: Model,
        vehicle: Vehicle,
        pilot: Strategy,
        strategy: Strategy,
        workspace: Box,
        budget: Budget,
        randomness: Randomness,
        steps_per_reading: float = 1.0,
        pilot_steps: int | None = None,
        patience: int = 20,
        is_open: Callable[[Points], np.ndarray] | None = None,
        reserve: Callable[[Pose], Budget] = no_reserve,
    ) -> None:
        if budget == Budget():
            raise ValueError("A mission needs a budget: readings, distance or time.")
        self.model, self.vehicle = model, vehicle
        self.pilot, self.strategy = pilot, strategy
        self.workspace, self.budget, self.randomness, self.is_open = workspace, budget, randomness, is_open
        self.steps_per_reading, self.pilot_steps, self.patience = steps_per_reading, pilot_steps, patience
        self.reserve = reserve
        self.index, self.used, self._empty_legs = 0, NOTHING, 0

    @property
    def remaining(self) -> Budget:
        """Of the budget, less the reserve."""
        left = self.budget.minus(self.used)
        return left if self.reserve is no_reserve else left.minus(self.reserve(self.vehicle.pose))

    @property
    def situation(self) -> Situation:
        """What a strategy is told."""
        return Situation(self.vehicle.pose, self.workspace, self.remaining, self.index, self.is_open)

    def epochs(self) -> Iterator[Epoch]:
        while not (situation := self.situation).remaining.is_spent:
            watch = Stopwatch()
            plan = self._plan(situation)  # Alg. 1, line 6
            watch.lap("plan")
            yield self._carry_out(plan, watch)

    def travel(self, plan: Plan) -> Epoch:
        """One more epoch, along a way that is not the strategy's, such as the one home."""
        return self._carry_out(plan, Stopwatch())

    def _carry_out(self, plan: Plan, watch: "Stopwatch") -> Epoch:
        before = self.vehicle.pose
        leg = list(self.vehicle.follow(plan))  # line 7
        watch.lap("follow")
        samples = Samples.of(leg, dim=self.workspace.dim)
        loss = self.learn(samples)  # lines 8-10
        watch.lap("fit")
        pose = self.vehicle.pose
        # From the scout's unknown beginning to the first pilot reading nobody travelled.
        way = [*([before.position] if self.index else []), *(m.position for m in leg), pose.position]
        used = Budget(self.used.readings + len(leg), self.used.distance + _length(way), self.vehicle.clock)
        epoch = Epoch(self.index, plan, samples, loss, watch.laps, pose, used)
        self.skip(epoch)
        return epoch

    def learn(self, samples: Samples) -> float:
        """Lines 8 to 10: take in a leg's readings, and train as long as it was."""
        if not len(samples):
            self._refuse_to_stall()
            return math.nan
        self.model.observe(samples)
        if self.index == 0 and self.pilot_steps is not None:
            return self.model.fit(self.pilot_steps)
        return self.model.fit(max(1, round(self.steps_per_reading * len(samples))))

    def finish(self, plan: Plan, leg: Sequence[Measurement]) -> Epoch:
        """Learn from the readings of a leg that was interrupted, as if it had ended with the last of them."""
        watch, samples = Stopwatch(), Samples.of(leg, dim=self.workspace.dim)
        loss = self.learn(samples)
        watch.lap("fit")
        travelled = self.used.distance + _length([measurement.position for measurement in leg])
        used = Budget(self.used.readings + len(leg), travelled, leg[-1].time)
        pose = Pose(leg[-1].position, self.vehicle.pose.heading)
        epoch = Epoch(self.index, plan, samples, loss, watch.laps, pose, used)
        self.skip(epoch)
        return epoch

    def repeat(self, epoch: Epoch) -> float:
        """Learn again from a recorded epoch; returns the loss, which is the recorded one if all is as it was."""
        loss = self.learn(epoch.samples)
        self.skip(epoch)
        return loss

    def skip(self, epoch: Epoch) -> None:
        """Count a recorded epoch as done; the model knows of it already."""
        self._empty_legs = 0 if len(epoch.samples) else self._empty_legs + 1
        self.index, self.used = epoch.index + 1, epoch.used

    def _plan(self, situation: Situation) -> Plan:
        strategy, purpose = (self.strategy, "strategy") if self.index else (self.pilot, "pilot")
        plan = strategy.plan(self.model, situation, self.randomness.generator(purpose, self.index))
        if not isinstance(plan, Plan):
            raise PlanRefused(f"{type(strategy).__name__} must return a Plan; it returned {type(plan).__name__}.")
        if plan.waypoints.shape[1] != self.workspace.dim:
            raise PlanRefused(
                f"{type(strategy).__name__} planned waypoints of {plan.waypoints.shape[1]} dimensions for a workspace "
                f"of {self.workspace.dim}."
            )
        inside = self.workspace.contains(plan.waypoints, tolerance=1e-9)
        if not inside.all():
            raise PlanRefused(
                f"{type(strategy).__name__} planned {plan.waypoints[int(np.argmin(inside))].tolist()}, outside the "
                f"workspace {self.workspace.lower} to {self.workspace.upper}; a strategy must stay in "
                "situation.workspace."
            )
        return plan

    def _refuse_to_stall(self) -> None:
        if self.index == 0:
            raise StalledMission(
                "The pilot survey brought no reading; check the sensor, and that the field has data here."
            )
        if self._empty_legs + 1 >= self.patience:
            raise StalledMission(
                f"{self._empty_legs + 1} legs in a row brought no reading; the vehicle is at "
                f"{self.vehicle.pose.position}. Check the sensor, its sampling rate, and that the field has data here."
            )


class Stopwatch:
    """Seconds by part, on the wall clock."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now


def _length(way: Sequence[tuple[float, ...]]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(way))
