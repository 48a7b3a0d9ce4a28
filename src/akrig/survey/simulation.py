"""The simulated boat of a survey: from its settings to a boat, and to a process that lives as long as the survey."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import radians
from pathlib import Path

from akrig.config import Settings, read_settings
from akrig.files import json_objects, read_last_lines
from akrig.journal.folder import RunFolder
from akrig.protocols import Field
from akrig.survey.area import Area
from akrig.survey.boat import Boat, BoatSettings, load_bed, parse_schedule, serve
from akrig.survey.settings import area_of, check_bed, load_survey

TRUTH = "truth.csv"


def bed_of(settings: Settings, area: Area) -> Field:
    return load_bed(settings.surveyed.simulation.bed, frame=area.frame, extent=area.extent, seed=settings.seed)


def check_simulation(settings: Settings) -> None:
    """Before there is a folder: is there water, and are the faults such?"""
    area = area_of(settings.surveyed)
    check_bed(bed_of(settings, area), area)
    for fault in settings.surveyed.simulation.faults:
        parse_schedule(fault)


def settings_of(path: Path) -> Settings:
    """Of a mission file, or of a survey's run folder."""
    return read_settings(RunFolder.open(path).config) if path.is_dir() else load_survey(path)


def boat_of(
    settings: Settings,
    *,
    begin: tuple[float, float] | None = None,
    unix: float | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Boat:
    """Args:
    begin: local metres where it lies; home if not given.
    unix: what its clock says.
    parameters: of its autopilot, where they are not the usual ones.
    """
    area, simulation = area_of(settings.surveyed), settings.surveyed.simulation
    place = begin or area.home or tuple(area.water.representative_point().coords[0])
    numbers = BoatSettings(
        home=area.frame.degrees_of(*place),
        seed=settings.seed,
        speedup=simulation.speedup,
        hull=simulation.hull,
        wind_speed=simulation.wind,
        wind_towards=radians(simulation.wind_towards_deg),
        gusts=simulation.wind / 4,
        current_speed=simulation.current,
        current_towards=radians(simulation.current_towards_deg),
        sonar_noise_std=simulation.sonar_noise,
        sonar_outlier_rate=simulation.outlier_rate,
        sonar_dropout_rate=simulation.dropout_rate,
        sonar_rate=settings.surveyed.depth.rate,
        battery_start=simulation.battery,
        parameters=parameters or {},
    )
    numbers = numbers if unix is None else replace(numbers, start_time_unix=unix)
    return Boat(numbers, frame=area.frame, bed=bed_of(settings, area))


@contextmanager
def simulated_boat(folder: RunFolder) -> Iterator[str]:
    """A boat in a process of its own that ends with this one, however that ends; yields the address to listen at."""
    port = _free_port()
    command = [sys.executable, "-P", "-m", "akrig.survey.simulation", str(folder.path), str(port)]
    with (folder.path / "boat.log").open("a") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
    try:
        yield f"udpin:127.0.0.1:{port}"
    finally:
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _where_it_was(folder: RunFolder) -> tuple[tuple[float, float] | None, float | None]:
    """Local metres and unix seconds of the last telemetry, for a survey that goes on."""
    with suppress(OSError, ValueError):
        for state in json_objects(read_last_lines(folder.telemetry)):
            with suppress(ValueError, KeyError, TypeError):
                return (float(state["x"]), float(state["y"])), float(state["unix"]) + 60.0
    return None, None


def run_boat(path: Path, port: int) -> None:
    """Until standard input is closed."""
    folder = RunFolder.open(path)
    settings = read_settings(folder.config)
    begin, unix = _where_it_was(folder)
    stop = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.buffer.read()
        stop.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    schedule = [parse_schedule(text) for text in settings.surveyed.simulation.faults]
    boat = boat_of(settings, begin=begin, unix=unix)
    earlier = len(list(folder.path.glob("truth*.csv")))
    truth = folder.path / (f"truth-{earlier + 1}.csv" if earlier else TRUTH)
    serve(boat, to=[("127.0.0.1", port)], schedule=schedule, truth=truth, stop=stop)


if __name__ == "__main__":
    run_boat(Path(sys.argv[1]), int(sys.argv[2]))
