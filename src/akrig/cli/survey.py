"""Surveys with a boat: checked before the start, carried out, and the operator's orders."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from akrig.cli import completion
from akrig.cli.console import output_console
from akrig.errors import AkrigError
from akrig.words import capital, plural

if TYPE_CHECKING:
    from rich.table import Table

    from akrig.config import Settings
    from akrig.survey.preflight import Finding


RUN = click.Path(file_okay=False, path_type=Path)
LOOKS = {  # from what is well to what is dangerous, which stands last and so next to the prompt
    "good": ("ok", "green"),
    "note": ("note", "cyan"),
    "warning": ("warning", "yellow"),
    "danger": ("DANGER", "bold red"),
}
WORDS = ("hold", "resume", "return", "skip", "goto")


@click.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--example",
    metavar="NAME",
    shell_complete=completion.examples,
    help="Instead of FILE, a mission that comes with akrig: lake.",
)
@click.option("--simulate", is_flag=True, help="With a simulated boat, on loopback.")
@click.option("--out", type=RUN, help="Folder for the survey; surveys/FILE if not given.")
@click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE", help="Any setting, e.g. link.address=udpin:0.0.0.0:14550."
)
@click.option("--check", "only_check", is_flag=True, help="Ask the boat whether it is ready, and change nothing.")
@click.option("--plan", "only_plan", is_flag=True, help="Draw the route and say what it takes; no boat is called.")
@click.option("--view", "with_page", is_flag=True, help="Open the mission page: watch the map grow, steer the boat.")
@click.option("--report/--no-report", default=True, help="Draw figures and a report at the end.")
def survey(
    file: Path | None, example: str | None, simulate: bool, out: Path | None, changes: tuple[str, ...],
    only_check: bool, only_plan: bool, with_page: bool, report: bool,
) -> None:  # fmt: skip
    """Map a lake with a boat.

    FILE is the mission: area, budget, link, depth and safety, in TOML.

    \b
    akrig survey --example lake --simulate
    akrig survey mission.toml --check
    akrig survey mission.toml --plan
    akrig survey mission.toml --set link.address=serial:/dev/ttyUSB0:57600
    """
    from akrig.cli.run import options_from

    if only_plan and (only_check or simulate):
        raise click.UsageError("--plan calls no boat, neither a real one nor a simulated one; leave the other out.")
    if only_check and simulate:
        raise click.UsageError("--check asks a boat that is there; for a simulated one, start `akrig boat` first.")
    if (file is None) == (example is None):
        raise click.UsageError("Name a mission file, or an example, as in `akrig survey --example lake --simulate`.")
    options = options_from(changes=changes)
    click.echo("Loading ...", err=True)
    if file is None:
        from akrig.survey.examples import example_mission

        file = example_mission(str(example))
        click.echo(f"The example is {file}; copy it, and the area beside it, to begin a survey of your own.", err=True)
    path = out or Path("surveys") / file.stem
    from akrig.cli.trust import tell_own_code
    from akrig.config.own_parts import check_own_parts, own_code
    from akrig.survey.folders import create_survey
    from akrig.survey.settings import load_survey

    settings = load_survey(file, options, simulate=simulate)
    if only_check:
        print_check(settings, path)
        return
    tell_own_code(file, own_code(settings.model_dump()))
    check_own_parts(settings.model_dump())
    if only_plan:
        draw_plan(settings, Path(f"{file.stem}-plan.png"))
        return
    if simulate:
        from akrig.survey.simulation import check_simulation

        check_simulation(settings)
    folder = create_survey(settings, path)
    from akrig.cli.view import page_if_wanted

    with page_if_wanted(folder.path, with_page):
        go_on(folder, report=report)


def go_on(folder, *, report: bool, address: str | None = None) -> None:
    """A survey from its beginning, or from where it was."""
    from akrig.cli.progress.survey import watch_survey
    from akrig.survey.folders import discard_unbegun

    try:
        reason = watch_survey(folder, address=address)
    except AkrigError:
        discard_unbegun(folder)
        raise
    if reason == "not begun":
        discard_unbegun(folder)
        click.echo("\nStopped before the survey had the boat: it is as it was.")
        sys.exit(130)
    if reason == "stopped":
        click.echo(f"\nStopped; the boat holds, nothing is lost. Go on with:\n  akrig resume {folder.path}")
        sys.exit(130)
    if report:
        from akrig.cli.report import draw_all

        draw_all(folder.path)
    click.echo(f"The map for your GIS is {folder.results / 'map.tif'}; soundings, contours and track lie beside it.")
    if reason not in ("budget", "target"):
        click.secho(f"The survey ended early: it {reason}", fg="yellow", err=True)
        click.echo(f"Go on with:\n  akrig resume {folder.path}")
        sys.exit(3 if reason.startswith("holds") else 0)


def checked_address(address: str | None) -> str | None:
    from akrig.survey.link.transport import check_address

    try:
        if address is not None:
            check_address(address)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--address") from None
    return address


@click.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("order", type=click.Choice(WORDS))
@click.argument("place", nargs=-1, type=float, metavar="[LATITUDE LONGITUDE]")
@click.option("--wait", default=30.0, show_default=True, help="Seconds to wait for the boat's answer.")
def tell(run: Path, order: str, place: tuple[float, ...], wait: float) -> None:
    """Give an order to the survey that runs in RUN.

    \b
    hold      stop and keep the place
    resume    go on (also after a pilot had the boat, or it restarted)
    return    end the survey and come home
    skip      leave this waypoint out
    goto      go to LATITUDE LONGITUDE first
    """
    if (order == "goto") != bool(place) or len(place) not in (0, 2):
        raise click.UsageError("goto needs a latitude and a longitude, the other orders need nothing.")
    if place and not (-90 <= place[0] <= 90 and -180 <= place[1] <= 180):
        raise click.UsageError(f"{place[0]} {place[1]} is no latitude and longitude.")
    from akrig.journal.folder import RunFolder
    from akrig.survey.mailbox import await_answer, give_order

    folder = RunFolder.open(run)
    name = give_order(folder, order, (place[1], place[0]) if place else None)  # pyright: ignore[reportArgumentType]
    answer = await_answer(folder, name, seconds=wait)
    click.secho(f"{capital(answer.text)}.", fg=None if answer.accepted else "red", err=not answer.accepted)
    if not answer.accepted:
        sys.exit(1)


def print_check(settings: "Settings", path: Path) -> None:
    """Prints the table; exits with 1 if something is dangerous."""
    from akrig.survey.preflight.checks import check_survey

    findings = check_survey(settings, path, tell=lambda level, message: click.echo(message, err=True))
    output_console().print(findings_table(findings))
    click.secho(conclusion(findings), bold=True)
    if any(finding.standing == "danger" for finding in findings):
        sys.exit(1)


def draw_plan(settings: "Settings", path: Path) -> None:
    """Into a picture, into a plan for QGroundControl, and in words."""
    from akrig.cli.overwriting import check_outputs
    from akrig.plots.outlook import outlook_figure
    from akrig.plots.save import save_figure
    from akrig.survey.exports.plan import write_plan
    from akrig.survey.outlook import survey_outlook
    from akrig.words import clock

    for_others = path.with_suffix(".plan")
    check_outputs([path, for_others], option="folder")
    outlook, speed = survey_outlook(settings), settings.vehicle.speed
    save_figure(outlook_figure(outlook), path)
    write_plan(for_others, area=outlook.area, waypoints=outlook.route.places, speed=speed)
    route, mown, first = (
        f"{way.metres:.0f} m in {clock(way.metres / speed)}"
        for way in (outlook.route, outlook.lawnmower, outlook.first)
    )
    charge = settings.surveyed.safety.battery
    click.echo(f"The route: {route}, the way home included; the lawnmower it was compared with: {mown}.")
    known = f"{outlook.route.error:.0%} of how much the bed varies; lawnmower {outlook.lawnmower.error:.0%}"
    click.echo(f"Expected error, before any reading: {known}.")
    click.echo(f"The first stretch: {first}; the rest is planned again after it, by what was found.")
    click.echo(f"The battery must last for the route before it is at {charge:.0%}. The picture is {path},")
    click.echo(f"the route for QGroundControl {for_others}.")


def findings_table(findings: "list[Finding]") -> "Table":
    """What is for typing, names and lines, stays whole where it can; all else folds."""
    from rich.table import Table
    from rich.text import Text

    found = Table(box=None, show_header=False, pad_edge=False)
    found.add_column(no_wrap=True)
    found.add_column(no_wrap=True)
    found.add_column(overflow="fold")
    for finding in sorted(findings, key=lambda finding: list(LOOKS).index(finding.standing)):
        word, style = LOOKS[finding.standing]
        says = Text(finding.sentence)
        for line in finding.remedy:
            says.append(f"\n{line}", style="bold")
        found.add_row(Text(word, style=style), finding.title, says)
    return found


def conclusion(findings: "list[Finding]") -> str:
    counts = {standing: sum(finding.standing == standing for finding in findings) for standing in LOOKS}
    warned = plural(counts["warning"], "warning")
    if counts["danger"]:
        return f"{plural(counts['danger'], 'danger')}, {warned}: `akrig survey` will not start."
    return f"Nothing dangerous, {warned}." if counts["warning"] else "All is well."


COMMANDS = (survey, tell)
