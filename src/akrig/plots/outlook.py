"""What a survey along routes is going to drive, before it begins."""

import matplotlib.pyplot as plt
import numpy as np
import shapely
from matplotlib.figure import Figure

from akrig.plots.style import NOMINAL, PATH, PILOT, TRUTH, style
from akrig.survey.outlook import Outlook


@style()
def outlook_figure(outlook: Outlook) -> Figure:
    """The route, its first stretch, and the lawnmower, inside the fence."""
    figure, axis = plt.subplots(figsize=(7, 5), layout="constrained")
    water = outlook.area.water
    for number, ring in enumerate(
        part for each in shapely.get_parts(water) for part in (each.exterior, *each.interiors)
    ):
        axis.plot(*np.array(ring.coords).T, color=TRUTH, linewidth=1.3, label="border" if number == 0 else None)
    for name, way, look in (
        ("first stretch", outlook.first, {"color": PILOT, "linewidth": 2.6}),
        ("route", outlook.route, {"color": PATH, "linewidth": 1.1}),
        ("lawnmower", outlook.lawnmower, {"color": NOMINAL, "linewidth": 0.9, "linestyle": "--"}),
    ):
        axis.plot(*way.places.T, label=f"{name}, {way.metres:.0f} m", **look)
    axis.plot(*outlook.route.places[0], "s", color=TRUTH, label="home", zorder=4)
    axis.set_aspect("equal")
    axis.set_xlabel("metres east")
    axis.set_ylabel("metres north")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
