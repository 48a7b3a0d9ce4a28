"""Missions: run, resume, replay."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from akrig.cli import completion
from akrig.parts import KERNELS, MODELS, STRATEGIES
from akrig.words import plural

RUN = click.Path(file_okay=False, path_type=Path)


def _choices(kind: Iterable[str]) -> str:
    return f"{', '.join(kind)}, or your own as 'module:Name'."


def _mission_options(command):
    """What every new mission can be told; each is also a word in the TOML file."""
    options = [
        click.option("--kernel", shell_complete=completion.kernels, help=_choices(KERNELS)),
        click.option("--model", shell_complete=completion.models, help=_choices(MODELS)),
        click.option("--strategy", shell_complete=completion.strategies, help=_choices(STRATEGIES)),
        click.option("--seed", type=int, help="Of everything random."),
        click.option(
            "--preset", shell_complete=completion.presets, help="default, or paper: the settings of the paper's tables."
        ),
        click.option(
            "--set", "changes", multiple=True, metavar="KEY=VALUE", help="Any other setting, e.g. sensor.noise_std=0.5."
        ),
        click.option("--report/--no-report", default=True, help="Draw figures and a report at the end."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--field", shell_complete=completion.fields, help="What to map: a name from `akrig fields`, or a raster file."
)
@click.option("--budget", type=int, help="Readings in all.")
@click.option("--distance", type=float, help="Metres in all.")
@click.option("--time", "seconds", type=float, help="Seconds in all, on the vehicle's clock.")
@click.option("--out", type=RUN, help="Folder for the run; runs/FIELD-KERNEL-STRATEGY-SEED if not given.")
@click.option("--view", "with_page", is_flag=True, help="Open the mission page: watch the map grow.")
@_mission_options
def run(file, field, budget, distance, seconds, out, with_page, changes, report, **chosen) -> None:
    """Map a field with a simulated robot.

    FILE holds settings in TOML, with the same words as the options; options win.

    \b
    akrig run --field jacksboro --strategy myopic --budget 300 --out runs/first
    akrig run --preset paper --field ridges --kernel rbf --seed 1
    """
    options = options_from(field=field, changes=changes, **chosen)
    limits = {"readings": budget, "distance": distance, "time": seconds}
    given = {name: value for name, value in limits.items() if value is not None}
    if given:
        set_already = options.get("budget", {})
        options["budget"] = {**(set_already if isinstance(set_already, dict) else {"readings": set_already}), **given}
    click.echo("Loading ...", err=True)
    from akrig.cli.trust import tell_own_code
    from akrig.config import load_settings
    from akrig.config.own_parts import own_code
    from akrig.runs import create_run

    settings = load_settings(file, options)
    if settings.survey is not None:
        raise click.UsageError(f"{file} is of a survey with a boat; repeat it with `akrig survey {file}`.")
    tell_own_code(file, own_code(settings.model_dump()))
    parts = (Path(settings.field.name).stem, settings.kernel.name, settings.strategy.name, settings.seed)
    default = "-".join(str(part).replace(":", ".") for part in parts)
    folder = create_run(settings, out or Path("runs") / default)
    from akrig.cli.view import page_if_wanted

    with page_if_wanted(folder.path, with_page):
        _run_and_draw(folder, report=report)


@click.command()
@click.argument("run", type=RUN)
@click.option("--trust", is_flag=True, help="Run code that a folder from elsewhere names.")
@click.option("--report/--no-report", default=True, help="Draw figures and a report at the end.")
@click.option("--address", help="Of the boat, if it is another one now, e.g. serial:/dev/ttyUSB0:57600.")
def resume(run: Path, trust: bool, report: bool, address: str | None) -> None:
    """Go on with a mission that was stopped or killed.

    It ends as if it had never been interrupted. A folder that was not made on this computer by you, and names code
    that is not akrig's, is asked about first.
    """
    click.echo("Loading ...", err=True)
    from akrig.cli.trust import check_trust
    from akrig.config import read_settings
    from akrig.journal.folder import RunFolder
    from akrig.runs.completion import readings_if_complete

    folder = RunFolder.open(run)
    settings = read_settings(folder.config)
    check_trust(folder, trust=trust)
    readings = readings_if_complete(folder, settings)
    if readings is not None:
        click.echo(f"{run} is finished, with {plural(readings, 'reading')}: there is nothing to go on with.")
        return
    if settings.survey is not None:
        from akrig.cli.survey import checked_address, go_on

        go_on(folder, report=report, address=checked_address(address))
        return
    if address is not None:
        raise click.BadParameter(f"{run} is not a survey with a boat: it has no address.", param_hint="--address")
    _run_and_draw(folder, report=report)
    if settings.vehicle.part.replays:
        _look_ahead(run)


@click.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=RUN, required=True, help="Folder for the new run.")
@click.option(
    "--spacing",
    type=click.FloatRange(min=0, min_open=True),
    help="Metres: of a dense log, one reading (the median) is taken of each cell so wide; "
    "if not given, the narrowest that leaves at most 1500 readings.",
)
@_mission_options
def replay(log, out, spacing, changes, report, **chosen) -> None:
    """Give recorded readings to another model, or map an old survey.

    LOG is a run folder, a CSV file with columns x, y, value (metres) or latitude, longitude, depth, each perhaps with
    time, the log of a sonar or a boat (Deeper, NMEA 0183, ArduPilot's .bin, Lowrance's .sl2 and .sl3), or the MCAP
    recording of a survey. The new run's plans say where its own planner would have gone; its readings are the recorded
    ones. It ends by saying where the planner would go next.
    """
    options = options_from(changes=changes, **chosen)
    click.echo("Loading ...", err=True)
    _run_and_draw(_replay_folder(log, options, out=out, spacing=spacing), report=report)
    _look_ahead(out)


def _look_ahead(run: Path) -> None:
    from akrig.cli.progress.mission import units_of
    from akrig.survey.logs.next_plan import plan_next

    units, next_plan = units_of(run), plan_next(run, tell=lambda sentence: click.echo(sentence, err=True))
    if next_plan.geotiff is not None:
        click.echo(f"The map for your GIS is {next_plan.geotiff}.")
    click.echo(f"After {plural(next_plan.readings, 'reading')}, {next_plan.strategy} would go next to:")
    for k, place in enumerate(next_plan.waypoints):
        words = ", ".join(f"{name} {value:.1f} m" for name, value in zip("xyz", place, strict=False))
        mean, std = (f"{values[k]:.4g}{units}" for values in (next_plan.expected.mean, next_plan.expected.std))
        click.echo(f"  {words}: {mean} expected, give or take {std}")
        if next_plan.lonlat is not None:
            longitude, latitude = next_plan.lonlat[k]
            click.echo(f"    latitude {latitude:.7f}, longitude {longitude:.7f}")


def _replay_folder(log: Path, options: dict[str, Any], *, out: Path, spacing: float | None):
    """Degrees become metres, and dense logs are thinned, before there is a run."""
    from akrig.journal.legs import UnreadableLog
    from akrig.runs import create_run
    from akrig.runs.run import versions
    from akrig.survey.logs.kind import kind_of
    from akrig.survey.logs.replay import create_depths, create_replay, foreign_field, replay_settings

    kind = kind_of(log)
    if kind == "folder" and spacing is not None:
        raise click.BadParameter("a run folder's readings are taken as they are.", param_hint="--spacing")
    if kind == "folder" or (kind == "table" and spacing is None):
        settings = replay_settings(log, options)
        field = foreign_field(log) if kind == "folder" else None
        if field is not None:
            click.echo(
                f"{log} names a field that is not akrig's, {field}; it is not run: nobody knows the truth.", err=True
            )
        survey = settings.frame is not None
        return create_depths(settings, out, about=versions()) if survey else create_run(settings, out)
    try:
        from akrig.survey.logs.log import read_log
    except ImportError:
        raise UnreadableLog(f"{log} is to be thinned or put on the Earth: install akrig[field] first.") from None
    prepared = read_log(log, spacing=spacing)
    for note in prepared.notes:
        click.echo(note, err=True)
    origin = None if prepared.frame is None else (prepared.frame.longitude, prepared.frame.latitude)
    about = {"log": log.resolve().name, **versions()}
    return create_replay(prepared.readings, options, origin=origin, out=out, about=about)


def _run_and_draw(folder, *, report: bool) -> None:
    from akrig.cli.progress.mission import watch_mission

    reason = watch_mission(folder)
    if reason == "stopped":
        click.echo(f"\nStopped; nothing is lost. Go on with:\n  akrig resume {folder.path}")
        sys.exit(130)
    if report:
        from akrig.cli.report import draw_all

        draw_all(folder.path)
    from akrig.runs.map import GEOTIFF

    if (folder.path / GEOTIFF).exists():
        click.echo(f"The map for your GIS is {folder.path / GEOTIFF}.")


def options_from(*, changes: tuple[str, ...], **given: Any) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value is not None}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise click.BadParameter(f"{change!r} is not KEY=VALUE.", param_hint="--set")
        _put(options, key.strip().split("."), _value(value.strip()))
    return options


def _put(options: dict[str, Any], path: list[str], value: Any) -> None:
    *sections, last = path
    for section in sections:
        below = options.get(section)
        if not isinstance(below, dict):
            below = {} if below is None else {"readings" if section == "budget" else "name": below}
            options[section] = below
        options = below
    options[last] = value


def _value(text: str) -> Any:
    """As TOML would read it; bare words are text."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


COMMANDS = (run, resume, replay)
