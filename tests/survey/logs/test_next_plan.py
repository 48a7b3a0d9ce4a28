"""A replay ends with a place to go next, on the water; a georeferenced one with a GeoTIFF too."""

import json
import subprocess
import sys

import numpy as np
import pytest
import rasterio
from click.testing import CliRunner
from pyproj import Transformer

from akrig.cli.run import replay
from akrig.errors import RunFolderError
from akrig.frame import LocalFrame
from akrig.runs import create_run, run_mission
from akrig.survey.logs.hull import hull
from akrig.survey.logs.next_plan import plan_next
from akrig.survey.logs.replay import create_replay, replay_settings
from akrig.types import Measurement

FRAME = LocalFrame(139.6, 35.16)
QUICK = {"kernel": "rbf", "scoring": {"every": 50, "grid": [10, 10], "map_grid": [10, 10], "snapshots": 0},
         "training": {"steps_per_reading": 2}}  # fmt: skip


def depth(X: np.ndarray) -> np.ndarray:
    return 8 + 3 * np.sin(X[:, 0] / 30)


def horseshoe(num: int = 80) -> np.ndarray:
    """A survey around a headland, which lies open to the south."""
    angle = np.linspace(0, np.pi, num)
    rng = np.random.default_rng(0)
    return 100 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.uniform(-8, 8, (num, 2))


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    X = horseshoe()
    readings = [Measurement(k, tuple(x), y) for k, (x, y) in enumerate(zip(X, depth(X), strict=True))]
    out = tmp_path_factory.mktemp("replays") / "run"
    run_mission(create_replay(readings, QUICK, origin=(139.6, 35.16), out=out, about={}))
    return out, plan_next(out)


def test_the_next_place_is_on_the_water_in_metres_and_degrees(replayed):
    out, next_plan = replayed
    assert hull(horseshoe(), FRAME, margin=8).allows(next_plan.waypoints).all()
    np.testing.assert_allclose(FRAME.to_metres(next_plan.lonlat), next_plan.waypoints, atol=1e-4)
    written = json.loads((out / "next.json").read_text())
    assert written["readings"] == 80
    assert written["strategy"] == "myopic"
    (place,) = written["waypoints"]
    assert place["position"] == next_plan.waypoints[0].tolist()
    assert (place["longitude"], place["latitude"]) == tuple(next_plan.lonlat[0])
    assert place["std"] == pytest.approx(next_plan.expected.std[0])


def test_said_again_it_is_the_same_place(replayed):
    out, next_plan = replayed
    again = plan_next(out)
    np.testing.assert_array_equal(again.waypoints, next_plan.waypoints)


def test_without_the_saved_model_it_is_learnt_again(replayed, tmp_path):
    out, next_plan = replayed
    for checkpoint in (out / "checkpoint").iterdir():
        checkpoint.write_bytes(b"damaged")
    told = []
    again = plan_next(out, tell=told.append)
    np.testing.assert_allclose(again.waypoints, next_plan.waypoints)
    assert told


def test_the_geotiff_shows_the_bed_where_the_survey_was(replayed):
    out, next_plan = replayed
    assert next_plan.geotiff == out / "map.tif"
    X = horseshoe()[5:-5]
    values = shown(next_plan.geotiff, X)
    assert np.sqrt(np.mean((values - depth(X)) ** 2)) < 0.5
    assert np.isnan(shown(next_plan.geotiff, np.zeros((1, 2)))).all()  # the headland


def shown(path, X) -> np.ndarray:
    """The mean depth in the cells that places lie in."""
    with rasterio.open(path) as file:
        to_grid = Transformer.from_crs(4326, file.crs, always_xy=True)
        east, north = to_grid.transform(*FRAME.to_degrees(X).T)
        cols, rows = (east - file.bounds.left) // file.res[0], (file.bounds.top - north) // file.res[1]
        return file.read(1)[rows.astype(int), cols.astype(int)]


def test_a_replay_in_metres_has_a_next_place_too(tmp_path):
    X = horseshoe()
    rows = [f"{x},{y},{z}" for (x, y), z in zip(X, depth(X), strict=True)]
    (tmp_path / "log.csv").write_text("\n".join(["x,y,value", *rows]))
    out = tmp_path / "run"
    run_mission(create_run(replay_settings(tmp_path / "log.csv", QUICK), out))
    next_plan = plan_next(out)
    assert next_plan.lonlat is None
    assert next_plan.geotiff is None
    assert "latitude" not in json.loads((out / "next.json").read_text())["waypoints"][0]


def test_a_replay_that_has_not_begun_is_one_sentence(tmp_path):
    readings = [Measurement(k, (k, k % 3), 5) for k in range(9)]
    create_replay(readings, QUICK, origin=None, out=tmp_path / "run", about={})
    with pytest.raises(RunFolderError, match="has no finished epoch"):
        plan_next(tmp_path / "run")


def test_a_hull_leaves_a_bay_open_and_reaches_a_little_beyond():
    X = horseshoe()
    area = hull(X, FRAME, margin=8)
    assert area.allows(X, margin=7).all()
    assert not area.allows(np.array([[0.0, 0.0]]))[0]
    assert area.extent.size[0] < np.ptp(X[:, 0]) + 17


def test_readings_on_a_straight_line_have_a_hull(rng):
    X = np.column_stack([np.linspace(0, 90, 30), np.zeros(30)])
    assert hull(X, FRAME, margin=5).size == pytest.approx(90 * 10 + np.pi * 25, rel=0.05)


def test_the_command_makes_a_map_of_a_table_of_soundings(tmp_path):
    X = horseshoe()
    rows = [f"{latitude:.9f},{longitude:.9f},{z:.3f}" for (longitude, latitude), z in
            zip(FRAME.to_degrees(X), depth(X), strict=True)]  # fmt: skip
    (tmp_path / "old.csv").write_text("\n".join(["latitude,longitude,depth", *rows]))
    few = [f"--set={name}" for name in ("scoring.grid=[10,10]", "scoring.map_grid=[10,10]", "scoring.every=50")]
    arguments = [str(tmp_path / "old.csv"), "--out", str(tmp_path / "run"), "--kernel", "rbf", "--no-report", *few]
    result = CliRunner().invoke(replay, arguments)
    assert result.exit_code == 0, result.output
    assert "old.csv: 80 soundings; all 80 are replayed; without times" in result.output
    assert "myopic would go next to:" in result.output
    assert "latitude 35.1" in result.output
    assert (tmp_path / "run" / "map.tif").exists()
    assert (tmp_path / "run" / "next.json").exists()


def test_a_run_folder_is_not_thinned(replayed, tmp_path):
    result = CliRunner().invoke(replay, [str(replayed[0]), "--out", str(tmp_path / "run"), "--spacing", "3"])
    assert result.exit_code == 2
    assert "a run folder's readings are taken as they are" in result.output


def test_a_replay_in_metres_needs_no_geography(tmp_path):
    """Whoever installs akrig without the extra for surveys can still replay."""
    rows = [f"{k},{k % 7},{k / 9}" for k in range(60)]
    (tmp_path / "log.csv").write_text("\n".join(["x,y,value", *rows]))
    code = (
        "import sys\n"
        "for name in ('pyproj', 'shapely', 'mcap', 'rasterio'): sys.modules[name] = None\n"
        "from akrig.cli.run import replay\n"
        "replay(['log.csv', '--out', 'run', '--kernel', 'rbf', '--no-report', '--set', 'scoring.map_grid=[9,9]'])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "would go next to" in result.stdout
