"""One good file of every kind that akrig reads, for others to damage."""

import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import tomli_w

RUN = {
    "field": "halves",
    "kernel": {"name": "attentive", "num_lengthscales": 3, "hidden": 3},
    "strategy": {"name": "random", "num_candidates": 20},
    "budget": 24,
    "pilot": {"readings": 20},
    "scoring": {"grid": [6, 6], "map_grid": [7, 7], "snapshots": 2},
}
MISSION = {**RUN, "seed": 3, "sensor": {"noise_std": 0.5}, "training": {"learning_rate": 0.01}}
STUDY = {
    "title": "Small",
    "kind": "regression",
    "seeds": "0-1",
    "report": "none",
    "base": {"field": "halves", "readings": {"count": 9}, "training": {"steps": 2}, "evaluation": {"grid": [4, 4]}},
    "grid": [{"kernel": ["rbf", {"label": "narrow", "name": "attentive", "hidden": 2}]}],
}
FENCE = [[9.30, 47.50], [9.304, 47.50], [9.304, 47.503], [9.30, 47.503]]
HOME = [9.302, 47.5015]
BEGIN = 1_700_000_000.0
SLOWLY = 20  # seconds from one place to the next: faster is no boat


def make(folder: Path) -> None:
    """All of it, in a folder that is there and empty."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _settings(folder)
        _drawings(folder)
        _rasters(folder)
        _tables(folder)
        _runs(folder)
        _study(folder)


def _settings(folder: Path) -> None:
    (folder / "mission.toml").write_text(tomli_w.dumps(MISSION))
    (folder / "study.toml").write_text(tomli_w.dumps(STUDY))
    lake = {
        "area": "lake.geojson",
        "budget": {"distance": 3000},
        "depth": {"water_level": "level.csv", "transducer": 0.1},
        "safety": {"margin": 5},
        "simulation": {"bed": "flat", "faults": ["gps@120+30"]},
    }
    (folder / "lake.toml").write_text(tomli_w.dumps(lake))


def _drawings(folder: Path) -> None:
    ring = [*FENCE, FENCE[0]]
    features = [
        {"type": "Feature", "properties": {"role": "fence"}, "geometry": {"type": "Polygon", "coordinates": [ring]}},
        {"type": "Feature", "properties": {"role": "home"}, "geometry": {"type": "Point", "coordinates": HOME}},
    ]
    (folder / "lake.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    corners = " ".join(f"{longitude},{latitude},0" for longitude, latitude in ring)
    (folder / "lake.kml").write_text(
        '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>lake</name><Polygon>'
        f"<outerBoundaryIs><LinearRing><coordinates>{corners}</coordinates></LinearRing></outerBoundaryIs></Polygon>"
        "</Placemark></Document></kml>"
    )
    latlon = [[latitude, longitude] for longitude, latitude in FENCE]
    plan = {
        "fileType": "Plan", "version": 1, "groundStation": "QGroundControl",
        "mission": {"version": 2, "items": [], "plannedHomePosition": [HOME[1], HOME[0], 0]},
        "geoFence": {
            "version": 2,
            "polygons": [{"version": 1, "inclusion": True, "polygon": latlon}],
            "circles": [{"version": 1, "inclusion": False, "circle": {"center": [47.502, 9.301], "radius": 12.5}}],
        },
        "rallyPoints": {"version": 2, "points": []},
    }  # fmt: skip
    (folder / "lake.plan").write_text(json.dumps(plan))


def _rasters(folder: Path) -> None:
    import rasterio
    from PIL import Image

    heights = np.random.default_rng(0).uniform(1, 9, (12, 14)).astype(np.float32)
    about = {"driver": "GTiff", "width": 14, "height": 12, "count": 1, "dtype": "float32", "crs": "EPSG:4326"}
    place = rasterio.Affine(0.004 / 14, 0, 9.3, 0, -0.003 / 12, 47.503)
    with rasterio.open(folder / "bed.tif", "w", **about, transform=place, nodata=-1) as file:
        file.write(heights, 1)
    about |= {"driver": "BAG", "crs": "EPSG:32632", "count": 2}
    place = rasterio.Affine(25, 0, 522500, 0, -25, 5261300)
    with rasterio.open(folder / "bed.bag", "w", **about, transform=place, nodata=1e6) as file:
        file.write(np.stack([heights, heights]))
    np.save(folder / "bed.npy", heights)
    rows = "\n".join(" ".join(f"{value:.2f}" for value in row) for row in heights)
    (folder / "bed.asc").write_text(
        f"ncols 14\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 5\nnodata_value -9999\n{rows}\n"
    )
    (folder / "N17E073.hgt").write_bytes(b"\0" * 5000)
    (folder / "data" / "fields").mkdir(parents=True)
    np.save(folder / "data" / "fields" / "N17E073.npy", heights)
    for name in ("bed.png", "bed.jpg"):
        Image.fromarray(heights.astype(np.uint8) * 20).save(folder / name)


def _tables(folder: Path) -> None:
    rng = np.random.default_rng(1)
    places = rng.uniform((9.3005, 47.5005), (9.3035, 47.5025), (40, 2))
    lines = [f"{y:.7f},{x:.7f},{2 + k / 9:.2f},{BEGIN + SLOWLY * k}" for k, (x, y) in enumerate(places)]
    (folder / "soundings.csv").write_text("\n".join(["latitude,longitude,depth,time", *lines, ""]))
    raw = [f"{y:.7f},{x:.7f},{2 + k / 9:.2f},18.5,{(BEGIN + SLOWLY * k) * 1000:.0f}" for k, (x, y) in enumerate(places)]
    (folder / "deeper.csv").write_text("\n".join([*raw, ""]))
    plane = [f"{x:.3f},{y:.3f},{x - y:.3f},{k}" for k, (x, y) in enumerate(rng.uniform(0, 50, (40, 2)))]
    (folder / "readings.csv").write_text("\n".join(["x,y,value,time", *plane, ""]))
    _logs(folder)
    (folder / "level.csv").write_text("time,level\n2026-05-01T00:00:00Z,0.5\n2026-05-02T00:00:00Z,0.75\n")


def _logs(folder: Path) -> None:
    """Other people's, as the tests of their readers write them."""
    from tests.survey.logs.test_ardupilot import write as write_bin
    from tests.survey.logs.test_lowrance import write as write_sl
    from tests.survey.logs.test_nmea import write as write_nmea

    write_nmea(folder / "log.nmea")
    write_bin(folder / "log.bin")
    for name in ("log.sl2", "log.sl3"):
        write_sl(folder / name, rate=1.0)


def _runs(folder: Path) -> None:
    from akrig.config import load_settings
    from akrig.runs import MissionWatcher, create_run, run_mission

    stopped = MissionWatcher(wants_to_stop=lambda: True)
    for name, watcher in (("run", None), ("part", stopped)):
        run_mission(create_run(load_settings(None, RUN), folder / name), watcher)
        timings = folder / name / "timings.csv"  # of no other computer are these the same
        header, *rows = timings.read_text().splitlines()
        timings.write_text("\n".join([header, *(f"{k},0.01,0.25,1.5,0.125" for k in range(len(rows))), ""]))
    _survey(folder)


def _survey(folder: Path) -> None:
    """A survey that was stopped, as its folder tells."""
    from akrig.journal.events import to_line
    from akrig.survey.folders import create_survey
    from akrig.survey.recording.mcap_file import write_recording
    from akrig.survey.settings import load_survey

    survey = create_survey(load_survey(folder / "lake.toml", simulate=True), folder / "survey")
    survey.journal.write_text("".join(map(to_line, _events())))
    states = [
        {"time": float(k), "unix": BEGIN + k, "x": k * 2.0, "y": 5.0, "heading": 0.1, "speed": 1.5, "mode": "GUIDED",
         "armed": True, "battery": 0.9, "voltage": 12.1, "fix": 3, "satellites": 9, "hdop": 0.8, "depth": 4.0,
         "link": 0.1, "waiting": [], "goal": [5.0, 5.0]}
        for k in range(20)
    ]  # fmt: skip
    survey.telemetry.write_text("".join(json.dumps(state) + "\n" for state in states))
    write_recording(survey.path, folder / "recording.mcap")


def _events() -> list[dict]:
    events: list[dict] = [
        {"event": "mission", "format": 1, "akrig": "0"},
        {"event": "home", "position": [0.0, 0.0]},
        {"event": "plan", "waypoints": [[50.0, 5.0]]},
    ]
    for k in range(20):
        at = {"time": float(k), "unix": BEGIN + k, "position": [-40.0 + 3 * k, 20.0 + math.sin(k)]}
        if k % 5 == 4:
            events.append({"event": "rejected", **at, "raw": 14.0, "reason": "a jump of 9 m (2 m)"})
            continue
        events.append({"event": "sounding", **at, "raw": 4.5 + k / 7, "value": 5 + k / 7})
        events.append({"event": "measurement", "time": float(k), "position": at["position"], "value": 5 + k / 7})
    when = {"time": 21.0, "unix": BEGIN + 21}
    used = {"readings": 16, "distance": 60.0, "time": 20.0}
    return [
        *events,
        {"event": "notice", **when, "level": "alarm", "message": "The battery is low."},
        {"event": "command", **when, "command": "hold", "place": None, "accepted": True, "answer": "held"},
        {"event": "epoch", "index": 0, "loss": None, "position": [17.0, 20.0], "heading": 0.5, **used, "vehicle": {}},
    ]


def _study(folder: Path) -> None:
    import xarray as xr

    from akrig.study.checks import open_folder
    from akrig.study.definition import load_study
    from akrig.study.store import StudyFolder, write_done

    study, store = load_study(folder / "study.toml"), StudyFolder(folder / "results")
    open_folder(study, store, print)
    for specification in study.specifications():
        scratch = store.new_scratch(specification.name)
        xr.Dataset({"loss": ("iteration", np.zeros(2))}).to_netcdf(scratch / "result.nc", engine="netcdf4")
        write_done(scratch, specification, seconds=1.0, version="0.1.0")
        store.finish(specification, scratch)


def main() -> None:
    """As a program: makes it in the folder that is named."""
    make(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
