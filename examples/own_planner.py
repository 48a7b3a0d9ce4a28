"""A planner of your own: information per metre, not the most informative place nor the nearest."""

from dataclasses import dataclass

import numpy as np

from akrig.config import build_mission, load_settings, resolve
from akrig.testing import check_strategy
from akrig.types import Plan


@dataclass(frozen=True)
class PerMetre:
    """The candidate with the largest predicted standard deviation per metre of way."""

    num_candidates: int = 500

    def plan(self, belief, situation, rng):
        box = situation.workspace
        X = rng.uniform(box.lower, box.upper, (self.num_candidates, box.dim))
        way = np.linalg.norm(X - np.array(situation.pose.position), axis=1) + 0.05 * min(box.size)
        best = np.argmax(belief.predict(X).std / way)
        return Plan(X[best : best + 1])


def main(budget: int = 150) -> float:
    check_strategy(PerMetre())  # stays in the workspace, decides by what it is told and nothing else
    options = {"field": "river", "kernel": "rbf", "strategy": f"{__name__}:PerMetre", "budget": budget}
    mission = build_mission(resolve(load_settings(None, options))).mission
    distance = [epoch.used.distance for epoch in mission.epochs()][-1]
    print(f"{len(mission.model.samples)} readings along {distance:.0f} m")
    return distance


if __name__ == "__main__":
    main()
