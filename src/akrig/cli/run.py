"""Missions: run, resume, replay."""

import sys
from pathlib import Path
from typing import Any

import click

RUN = click.Path(file_okay=False, path_type=Path)


def _mission_options(command):
    """What every new mission can be told; each is also a word in the TOML file."""
    options = [
        click.option("--kernel", help="attentive, rbf, matern, gibbs, deep, or your own as 'module:Name'."),
        click.option("--strategy", help="random, active, myopic, lawnmower, or your own as 'module:Name'."),
        click.option("--seed", type=int, help="Of everything random."),
        click.option("--preset", help="default, or paper: the settings of the paper's tables."),
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
@click.option("--field", help="What to map: a name from `akrig fields`, or a raster file.")
@click.option("--budget", type=int, help="Readings in all.")
@click.option("--distance", type=float, help="Metres in all.")
@click.option("--time", "seconds", type=float, help="Seconds in all, on the vehicle's clock.")
@click.option("--out", type=RUN, help="Folder for the run; runs/FIELD-KERNEL-STRATEGY-SEED if not given.")
@_mission_options
def run(file, field, budget, distance, seconds, out, kernel, strategy, seed, preset, changes, report) -> None:
    """Map a field with a simulated robot.

    FILE holds settings in TOML, with the same words as the options; options win.

    \b
    akrig run --field jacksboro --strategy myopic --budget 300 --out runs/first
    akrig run --preset paper --field ridges --kernel rbf --seed 1
    """
    options = _options(field=field, kernel=kernel, strategy=strategy, seed=seed, preset=preset, changes=changes)
    limits = {"readings": budget, "distance": distance, "time": seconds}
    given = {name: value for name, value in limits.items() if value is not None}
    if given:
        set_already = options.get("budget", {})
        options["budget"] = {**(set_already if isinstance(set_already, dict) else {"readings": set_already}), **given}
    click.echo("Loading ...", err=True)
    from akrig.config import load_settings
    from akrig.runs import create_run

    settings = load_settings(file, options)
    parts = (Path(settings.field.name).stem, settings.kernel.name, settings.strategy.name, settings.seed)
    default = "-".join(str(part).replace(":", ".") for part in parts)
    folder = create_run(settings, out or Path("runs") / default)
    _carry_out(folder, report=report)


@click.command()
@click.argument("run", type=RUN)
@click.option("--report/--no-report", default=True, help="Draw figures and a report at the end.")
def resume(run: Path, report: bool) -> None:
    """Go on with a mission that was stopped or killed.

    It ends as if it had never been interrupted.
    """
    click.echo("Loading ...", err=True)
    from akrig.journal.folder import RunFolder

    _carry_out(RunFolder.open(run), report=report)


@click.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=RUN, required=True, help="Folder for the new run.")
@_mission_options
def replay(log, out, kernel, strategy, seed, preset, changes, report) -> None:
    """Give recorded readings to another model.

    LOG is a run folder, or a CSV file with columns x, y, value and perhaps time. The new run's plans say where its own
    planner would have gone; its readings are the recorded ones.
    """
    options = _options(kernel=kernel, strategy=strategy, seed=seed, preset=preset, changes=changes)
    click.echo("Loading ...", err=True)
    from akrig.config.replay import replay_settings
    from akrig.runs import create_run

    _carry_out(create_run(replay_settings(log, options), out), report=report)


def _carry_out(folder, *, report: bool) -> None:
    from akrig.cli.watching import watched

    reason = watched(folder)
    if reason == "stopped":
        click.echo(f"\nStopped; nothing is lost. Go on with:\n  akrig resume {folder.path}")
        sys.exit(130)
    if report:
        from akrig.cli.results import draw_all

        draw_all(folder.path)


def _options(*, changes: tuple[str, ...], **given: Any) -> dict[str, Any]:
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
