"""What came out: figures and reports of run folders."""

import sys
from pathlib import Path

import click

from akrig.cli.overwriting import FORCE, check_not_read, check_outputs

RUN = click.Path(exists=True, file_okay=False, path_type=Path)
OWN = click.option(
    "--figure",
    "own",
    multiple=True,
    metavar="MODULE:FUNCTION",
    help="A figure of your own, too: a function of a Record that gives a matplotlib Figure. May be given again.",
)


@click.command()
@click.argument("run", type=RUN)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder; RUN/figures if not given.")
@OWN
@FORCE
def plot(run: Path, out: Path | None, own: tuple[str, ...], force: bool) -> None:
    """Draw a run's figures.

    Maps, curves, what the kernel learnt, calibration, an animation.
    """
    from akrig.journal.folder import RunFolder
    from akrig.journal.record import read_record
    from akrig.plots.figures import own_figures
    from akrig.plots.report import figure_files, save_figures

    figures = own_figures(own)
    folder, record = RunFolder.open(run), read_record(run)
    if out is not None:
        check_outputs(figure_files(record, out, own=figures), force=force)
    for path in save_figures(record, out or folder.figures, own=figures).values():
        click.echo(path)


@click.command()
@click.argument("runs", type=RUN, nargs=-1, required=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The page; RUN/report.html if not given.")
@OWN
@FORCE
def report(runs: tuple[Path, ...], out: Path | None, own: tuple[str, ...], force: bool) -> None:
    """Write one page about one run or several, to send to a colleague."""
    from akrig.journal.folder import RunFolder
    from akrig.journal.record import read_record
    from akrig.plots.figures import own_figures
    from akrig.plots.report import write_report

    if len(runs) > 1 and out is None:
        raise click.UsageError("Several runs are compared in one page; say where with --out.")
    figures = own_figures(own)
    folders = [RunFolder.open(run) for run in runs]
    path = out or folders[0].report
    check_not_read(path, folders)
    check_outputs([path], force=force)
    write_report([read_record(run) for run in runs], path, own=figures)
    click.echo(path)


def draw_all(run: Path) -> None:
    """Figures and report at the end of a mission."""
    from akrig.journal.folder import RunFolder
    from akrig.journal.record import read_record
    from akrig.plots.report import save_figures, write_report

    click.echo("Drawing ...", err=True)
    folder = RunFolder.open(run)
    try:
        record = read_record(run)
        write_report([record], folder.report, drawn=save_figures(record, folder.figures))
    except KeyboardInterrupt:
        click.echo(f"\nStopped; the mission is complete. Draw it with:\n  akrig plot {run}\n  akrig report {run}")
        sys.exit(130)
    click.echo(f"\nOpen {folder.report} to see the map, where it is unsure, and whether it should be.")


COMMANDS = (plot, report)
