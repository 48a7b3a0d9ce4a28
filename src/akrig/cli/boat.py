"""A simulated boat in a terminal of its own, and faults for it."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from akrig.cli.overwriting import check_outputs

if TYPE_CHECKING:
    from akrig.survey.area import Area
    from akrig.survey.boat import Boat

FAULT_PORT = 14559
MARGIN = 500.0  # metres of lake about the boat when no area is given
MISSION = "akrig.survey.boat.mission"
DEFAULT_HOME = (47.5, 9.3)  # latitude and longitude of open water, on Lake Constance


def _address(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, int]]:
    found = []
    for value in values:
        host, _, port = value.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise click.BadParameter(f"{value!r} is no address; try 127.0.0.1:14550.")
        found.append((host, int(port)))
    return found


def _pair(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        first, second = (float(word) for word in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not two numbers with a comma; try {parameter.metavar}.") from None
    return first, second


class _Boat(click.Group):
    """`akrig boat fault ...` is a command; a mission file, wherever it stands, belongs to `akrig boat` itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        missions = [word for word in args if word.endswith(".toml")]
        if missions:
            ctx.meta[MISSION] = missions[0]
            args.remove(missions[0])
        return super().parse_args(ctx, args)


@click.group(cls=_Boat, invoke_without_command=True, subcommand_metavar="[MISSION.toml] | fault NAME [ARG]...")
@click.option("--to", multiple=True, default=["127.0.0.1:14550"], callback=_address, metavar="HOST:PORT",
              show_default=True, help="Where its heartbeats go; may be given several times.")  # fmt: skip
@click.option(
    "--speedup", type=click.FloatRange(0.01, 1000), default=1.0, show_default=True, help="Boat seconds per second."
)
@click.option("--seed", default=0, show_default=True, help="Of the weather, the sensors and a procedural lake bed.")
@click.option("--bed", default="lake", show_default=True, help="lake, flat, a CSV of soundings, or a raster.")
@click.option(
    "--area", "area_file", type=click.Path(path_type=Path), help="GeoJSON, KML or .plan; its home is the boat's."
)
@click.option("--home", callback=_pair, metavar="LAT,LON", help="Where the boat lies at the start.")
@click.option("--wind", callback=_pair, metavar="SPEED,TOWARDS", help="Metres per second, degrees from north.")
@click.option("--gusts", default=0.0, help="Standard deviation of the wind, metres per second.")
@click.option("--current", callback=_pair, metavar="SPEED,TOWARDS", help="Of the water, as --wind.")
@click.option("--hull", default="thrusters", show_default=True, help="thrusters (two), or rudder (one propeller).")
@click.option("--battery", default=100.0, help="Percent at the start.")
@click.option("--outliers", default=0.01, help="Share of soundings that are off.")
@click.option("--dropouts", default=0.01, help="Share of pings without an echo.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the autopilot.")
@click.option("--fault", "faults", multiple=True, metavar="WHAT@SECOND[+SECONDS]", help="Such as gps@120+30.")
@click.option("--fault-port", type=int, default=FAULT_PORT, show_default=True, help="For `akrig boat fault`; 0: none.")
@click.option("--truth", type=click.Path(path_type=Path), help="CSV file for where the boat really is.")
@click.pass_context
def boat(ctx: click.Context, to: list[tuple[str, int]], faults: tuple[str, ...], fault_port: int, truth: Path | None,
         **options) -> None:  # fmt: skip
    """Simulate a boat that speaks MAVLink like an ArduPilot Rover.

    It talks over UDP, and runs until Ctrl-C. `akrig boat fault gps --seconds 30` takes its GPS away for a while.
    """
    if ctx.invoked_subcommand is not None:
        return
    import logging

    from akrig.survey.boat import parse_schedule, serve

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    mission = ctx.meta.get(MISSION)
    if mission is None:
        made = boat_from(**options)
    else:
        given = [name for name in (*options, "to") if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE]
        made, faults, to = _boat_of_mission(Path(mission), options, faults=faults, to=to, given=given)
    if truth is not None:
        check_outputs([truth], option="--truth")
    schedule = [parse_schedule(text) for text in faults]
    longitude, latitude = made.lonlat
    places = ", ".join(f"{host}:{port}" for host, port in to)
    click.echo(f"Boat at {latitude:.6f}, {longitude:.6f}; MAVLink to {places}; faults on UDP port {fault_port}.")
    try:
        tell = partial(click.echo, err=True)
        serve(made, to=to, fault_port=fault_port or None, schedule=schedule, truth=truth, tell=tell)
    except KeyboardInterrupt:
        click.echo(f"Boat stopped after {made.time:.0f} s of its time.")


def _boat_of_mission(
    mission: Path, options: dict, *, faults: tuple[str, ...], to: list[tuple[str, int]], given: list[str]
) -> "tuple[Boat, tuple[str, ...], list[tuple[str, int]]]":
    """The boat that a mission file (or a survey's folder) describes; its autopilot's parameters may differ."""
    from akrig.errors import AkrigError
    from akrig.survey.simulation import boat_of, settings_of

    refused = [f"--{name.replace('_', '-')}" for name in given if name not in ("to", "speedup", "seed", "params")]
    if refused:
        raise click.UsageError(f"{', '.join(refused)}: {mission} decides; change its [simulation].")
    settings = settings_of(mission)
    if settings.survey is None:
        raise click.UsageError(f"{mission} is not of a survey; name the mission file or the folder of one.")
    simulation = settings.survey.simulation
    if "speedup" in given:
        simulation = simulation.model_copy(update={"speedup": options["speedup"]})
    survey = settings.survey.model_copy(update={"simulation": simulation})
    seed = options["seed"] if "seed" in given else settings.seed
    kind, _, place = survey.link.address.partition(":")
    host, _, port = place.rpartition(":")
    if "to" not in given and kind in ("udp", "udpin") and port.isdigit():
        to = [("127.0.0.1" if host in ("0.0.0.0", "") else host, int(port))]
    try:
        parameters = dict(map(_parameter, options["params"]))
        made = boat_of(settings.model_copy(update={"survey": survey, "seed": seed}), parameters=parameters)
    except AkrigError:
        raise
    except ValueError as error:
        raise click.UsageError(f"{mission}: {error}") from None
    return made, (*simulation.faults, *faults), to


def boat_from(
    *, speedup: float = 1.0, seed: int = 0, bed: str = "lake",
    area_file: Path | None = None, home: tuple[float, float] | None = None, wind: tuple[float, float] | None = None,
    hull: str = "thrusters", gusts: float = 0.0, current: tuple[float, float] | None = None, battery: float = 100.0,
    outliers: float = 0.01, dropouts: float = 0.01, params: tuple[str, ...] = (),
) -> "Boat":  # fmt: skip
    """The boat that the options describe; places are latitude, longitude, as people say them."""
    from math import radians

    from akrig.errors import AkrigError
    from akrig.frame import LocalFrame
    from akrig.geometry import Box
    from akrig.survey.area import read_area
    from akrig.survey.boat import Boat, BoatSettings, load_bed
    from akrig.survey.boat.parameters import Parameters

    area = read_area(area_file) if area_file is not None else None
    latitude, longitude = home or _home_of(area)
    wind, current = wind or (0.0, 0.0), current or (0.0, 0.0)
    try:
        settings = BoatSettings(
            home=(longitude, latitude), seed=seed, speedup=speedup, hull=hull, wind_speed=wind[0],
            wind_towards=radians(wind[1]), gusts=gusts, current_speed=current[0], current_towards=radians(current[1]),
            battery_start=battery / 100, sonar_outlier_rate=outliers, sonar_dropout_rate=dropouts,
            parameters=dict(map(_parameter, params)),
        )  # fmt: skip
        Parameters(settings.parameters)
        frame = area.frame if area is not None else LocalFrame(longitude, latitude)
        extent = area.extent if area is not None else Box((-MARGIN, -MARGIN), (MARGIN, MARGIN))
        return Boat(settings, frame=frame, bed=load_bed(bed, frame=frame, extent=extent, seed=seed))
    except AkrigError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _home_of(area: "Area | None") -> tuple[float, float]:
    """Latitude and longitude: the area's home, or its origin, which is about its middle."""
    if area is None:
        return DEFAULT_HOME
    if area.home is None:
        return area.frame.latitude, area.frame.longitude
    longitude, latitude = area.frame.degrees_of(*area.home)
    return latitude, longitude


def _parameter(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip().upper(), float(value)
    except ValueError:
        raise click.UsageError(f"--param {text!r} is not NAME=VALUE; try WP_SPEED=1.2.") from None


@boat.command()
@click.argument("words", nargs=-1, required=True, metavar="NAME [ARG]...")
@click.option("--seconds", type=float, help="Boat seconds until it is over; without, it lasts.")
@click.option("--port", type=int, default=FAULT_PORT, show_default=True, help="The boat's --fault-port.")
def fault(words: tuple[str, ...], seconds: float | None, port: int) -> None:
    """Make something go wrong on a running boat.

    gps, sonar, link, battery [PERCENT], volts [VOLTS], thruster [left|right|both] [SHARE], reboot, pilot MODE, disarm,
    failsafe [MODE], clear.
    """
    import socket

    line = " ".join(words) + (f" for {seconds:g}" if seconds is not None else "")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(2.0)
        asking.connect(("127.0.0.1", port))
        try:
            asking.send(line.encode())
            answer = asking.recv(4096).decode().strip()
        except OSError:
            raise click.ClickException(f"No boat answers on UDP port {port}; start one with akrig boat.") from None
    if answer.startswith("error: "):
        raise click.ClickException(answer.removeprefix("error: "))
    click.echo(answer.removeprefix("ok: "))


COMMANDS = (boat,)
