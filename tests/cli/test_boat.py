import signal
import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

from akrig.cli.boat import boat, boat_from

COMMAND = [sys.executable, "-m", "akrig", "boat"]
SQUARE = """{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates":
  [[[9.300, 47.500], [9.303, 47.500], [9.303, 47.502], [9.300, 47.502], [9.300, 47.500]]]}}"""


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_boat_in_a_process_of_its_own_with_faults_and_truth(tmp_path):
    port, fault_port = free_port(), free_port()
    options = ["--to", f"127.0.0.1:{port}", "--fault-port", str(fault_port), "--speedup", "30", "--bed", "flat"]
    process = subprocess.Popen(
        [*COMMAND, *options, "--truth", "truth.csv", "--fault", "sonar@2+3"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as station:
            station.bind(("127.0.0.1", port))
            station.settimeout(30)
            assert station.recv(300)[0] == 0xFD
        asked = subprocess.run(
            [*COMMAND, "fault", "gps", "--seconds", "9", "--port", str(fault_port)], capture_output=True, text=True
        )
        assert asked.stdout.startswith("gps for 9 s, from boat second ")
        wrong = subprocess.run([*COMMAND, "fault", "rain", "--port", str(fault_port)], capture_output=True, text=True)
        assert (wrong.returncode, "'rain' is no fault; try" in wrong.stderr) == (1, True)
    finally:
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=20)
    assert process.returncode == 0
    assert said.startswith("Boat at 47.5")
    assert "Boat stopped after" in said
    assert "Fault: sonar for 3 s, from boat second 2.0." in complained
    assert "Traceback" not in complained
    assert len((tmp_path / "truth.csv").read_text().splitlines()) > 10


def test_no_boat_to_make_something_go_wrong_with():
    result = CliRunner().invoke(boat, ["fault", "gps", "--port", str(free_port())])
    assert result.exit_code == 1
    assert "start one with akrig boat" in result.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--to", "nowhere"], "is no address"),
        (["--home", "47.5"], "two numbers with a comma"),
        (["--param", "WP_SPEED"], "NAME=VALUE"),
        (["--speedup", "0"], "0.01<=x<=1000"),
        (["--home", "470.0,9.0"], "longitude and a latitude"),
        (["--param", "WP_SPED=3"], "no parameter WP_SPED"),
    ],
)
def test_wrong_options_are_a_sentence(options, words):
    result = CliRunner().invoke(boat, options)
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.output.split())


def test_options_make_the_boat(tmp_path):
    area = tmp_path / "lake.geojson"
    area.write_text(SQUARE)
    made = boat_from(
        area_file=area, home=(47.501, 9.301), wind=(4.0, 90.0), current=(0.2, 180.0), speedup=7, params=("WP_SPEED=1",)
    )
    assert made.lonlat == pytest.approx((9.301, 47.501), abs=1e-9)
    assert made.weather.wind == pytest.approx((4, 0), abs=1e-9)
    assert made.weather.current == pytest.approx((0, -0.2), abs=1e-9)
    assert (made.parameters["SIM_SPEEDUP"], made.parameters["WP_SPEED"]) == (7, 1)


def test_without_a_home_the_boat_lies_in_the_middle_of_its_area(tmp_path):
    area = tmp_path / "lake.geojson"
    area.write_text(SQUARE)
    longitude, latitude = boat_from(area_file=area).lonlat
    assert 9.300 < longitude < 9.303
    assert 47.500 < latitude < 47.502


def test_is_light_to_import():
    heavy = "numpy pymavlink pyproj shapely rasterio scipy torch"
    code = f"import sys, akrig.cli.boat; print([m for m in {heavy!r}.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_boat_of_a_mission_needs_no_torch():
    code = "import sys, akrig.survey.simulation; print('torch' in sys.modules, 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
