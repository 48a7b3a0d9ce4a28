"""Maps of soundings that somebody has already: the best map, and how far it can be trusted."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import click

from akrig.cli import completion
from akrig.cli.computers import check_one_computer, computers, workers_for
from akrig.cli.run import options_from
from akrig.parts import KERNELS, MODELS

FOLDER = click.Path(file_okay=False, path_type=Path)


class Size(click.ParamType):
    """Columns x rows."""

    name = "COLSxROWS"

    def convert(self, value, param, ctx):
        cols, x, rows = str(value).lower().partition("x")
        if not (x and cols.strip().isdecimal() and rows.strip().isdecimal() and int(cols) > 1 and int(rows) > 1):
            self.fail(f"{value!r} is not columns x rows, such as 1000x1000.", param, ctx)
        return int(cols), int(rows)


@click.command()
@click.argument("soundings", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=FOLDER, required=True, help="Folder for the map, new or of the same map.")
@click.option(
    "--resolution", "cell", type=click.FloatRange(min=0, min_open=True), help="Metres, of a cell; a handy number."
)
@click.option("--size", type=Size(), help="Columns and rows instead, such as 1000x1000; cells stay square.")
@click.option(
    "--area",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A polygon (GeoJSON, KML): the map ends there.",
)
@click.option("--kernel", shell_complete=completion.kernels, help=f"{', '.join(KERNELS)}, or your own.")
@click.option("--model", shell_complete=completion.models, help=f"{', '.join(MODELS)}, or your own.")
@click.option("--seed", type=int, help="Of everything random.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Any other setting of the model.")
@computers
@click.option("--force", is_flag=True, help="Replace a map of something else.")
@click.option("--report/--no-report", default=True, help="Draw a picture and a page.")
def map_soundings(soundings, out, cell, size, area, changes, workers, address, jobs, force, report, **chosen) -> None:
    """Make the best map of soundings that are there already.

    SOUNDINGS is whatever `akrig replay` reads (a CSV file with latitude, longitude, depth or x, y, value in metres, a
    log of a sonar, plotter or autopilot, an MCAP recording, a run folder), or a GeoTIFF whose cells are soundings; a
    million are not too many. Killed and called again, it goes on to the same map.

    \b
    akrig map soundings.csv --out lake
    akrig map soundings.csv --out lake --size 1000x1000 --area shore.geojson
    """
    check_one_computer(workers, address, jobs)
    if cell is not None and size is not None:
        raise click.UsageError("--resolution and --size exclude each other: cells are square.")
    options = options_from(changes=changes, **chosen)
    click.echo("Loading ...", err=True)
    from akrig.errors import ChartError

    try:
        from akrig.charts.making import ChartRequest, check_options
        from akrig.cli.progress.chart import watch_chart
    except ImportError as error:
        raise ChartError(f"A map of soundings needs {error.name}; install akrig[field] first.") from None
    from akrig.cli.trust import tell_own_code
    from akrig.config.own_parts import own_code

    check_options(options)
    tell_own_code(None, own_code(options))
    request = ChartRequest(soundings, options, cell, size, area, report)

    def workers_from(tell: Callable[[str], None]):
        return workers_for(tell, logs=out / "slurm", workers=workers, address=address, jobs=jobs)

    try:
        chart = watch_chart(request, out, workers_from, force=force)
    except KeyboardInterrupt:
        again = shlex.join(["akrig", *sys.argv[1:]])
        click.echo(f"\nStopped; what is done is kept. Go on with:\n  {again}", err=True)
        sys.exit(130)
    for sentence in chart.sentences:
        click.echo(sentence)
    click.echo(f"The map for your GIS is {chart.files[0]}.")


map_soundings.name = "map"
COMMANDS = (map_soundings,)
