"""A vehicle of your own: a glider that goes straight, at one speed, and reads at every metre mark."""

import numpy as np

from akrig import Measurement, Pose
from akrig.config import build_mission, load_settings, resolve


class Glider:
    """akrig gives it the sensor, its first pose, the noise of each leg, and the metres between readings."""

    def __init__(self, sensor, pose, noise, spacing):
        self.sensor, self.noise, self.spacing = sensor, noise, spacing
        self.restore({"position": pose.position, "clock": 0.0, "leg": 0})

    def follow(self, plan):
        rng, self.leg = self.noise(self.leg), self.leg + 1
        for goal in plan.waypoints:
            way = goal - np.array(self.pose.position)
            num = max(1, round(float(np.linalg.norm(way)) / self.spacing))
            for place in goal - way * np.linspace(1, 0, num + 1)[1:, None]:
                self.pose, self.clock = Pose(tuple(place)), self.clock + 1
                if np.isfinite(value := self.sensor.measure(place[None], rng)[0]):  # NaN: nothing came back
                    yield Measurement(self.clock, self.pose.position, value)

    @property
    def state(self):  # with it and `restore`, a killed mission resumes bit for bit
        return {"position": list(self.pose.position), "clock": self.clock, "leg": self.leg}

    def restore(self, state):
        self.pose, self.clock, self.leg = Pose(tuple(state["position"])), state["clock"], state["leg"]


if __name__ == "__main__":
    options = {"field": "lake", "kernel": "rbf", "vehicle": "__main__:Glider", "budget": 200}
    parts = build_mission(resolve(load_settings(None, options)))
    for epoch in parts.mission.epochs():
        print(f"epoch {epoch.index}: at {epoch.pose.position[0]:.0f}, {epoch.pose.position[1]:.0f}")
