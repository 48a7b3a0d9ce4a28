"""A vehicle of your own: a glider that goes straight, at one speed, and reads at every metre mark."""

import numpy as np

from akrig.config import build_mission, load_settings, resolve
from akrig.geometry import Pose
from akrig.types import Measurement


class Glider:
    """akrig gives it the sensor, its first pose, the noise of each leg, and the metres between readings."""

    def __init__(self, sensor, pose, noise, spacing):
        self.sensor, self.pose, self.noise, self.spacing = sensor, pose, noise, spacing
        self.clock, self.legs = 0.0, 0

    def follow(self, plan):
        rng = self.noise(self.legs)
        self.legs += 1
        for goal in plan.waypoints:
            begin = np.array(self.pose.position)
            num = max(1, round(float(np.linalg.norm(goal - begin)) / self.spacing))
            for place in begin + np.linspace(0, 1, num + 1)[1:, None] * (goal - begin):
                self.pose, self.clock = Pose(tuple(place)), self.clock + 1
                yield Measurement(self.clock, self.pose.position, self.sensor.measure(place[None], rng)[0])


def main(budget: int = 200) -> float:
    options = {"field": "lake", "kernel": "rbf", "vehicle": f"{__name__}:Glider", "budget": budget}
    parts = build_mission(resolve(load_settings(None, options)))
    for epoch in parts.mission.epochs():
        print(f"epoch {epoch.index}: at {epoch.pose.position[0]:.0f}, {epoch.pose.position[1]:.0f}")
    return parts.scoring(parts.model, parts.model.samples)["rmse"]


if __name__ == "__main__":
    main()
