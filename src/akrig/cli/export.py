"""What came out of a survey, as files for other programs."""

from pathlib import Path
from textwrap import fill

import click

from akrig.cli import completion
from akrig.cli.overwriting import FORCE, check_outputs
from akrig.format_parts import EXPORTS, ExportPart

NAMES = "\n\n\b\n" + "\n".join(
    fill(f"{part.name:<10} {part.file:<17} {part.sentence}", 76, subsequent_indent=29 * " ")
    for part in EXPORTS.values()
)


def _chosen(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[ExportPart, ...]:
    """By their words, in the order given; the usual ones if none is."""
    words = [word.strip() for text in given for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in EXPORTS]
    if unknown:
        from akrig.config.names import nearest

        raise click.BadParameter(f"{unknown[0]!r} is no format; {nearest(unknown[0], list(EXPORTS))}.")
    return tuple(EXPORTS[word] for word in dict.fromkeys(words)) or tuple(p for p in EXPORTS.values() if p.is_usual)


@click.command(
    help="Write a survey's map, lines and soundings for other programs.\n\n"
    "RUN is the folder of a survey, at its end or midway. Without --as, what a survey ends with is made again.\n\n"
    "\b\nakrig export surveys/lake --as bag,gpkg,kmz\n"
    "akrig export surveys/lake --as geotiff --set cell=0.5 --out fine" + NAMES
)
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--as", "parts", multiple=True, metavar="FORMATS", callback=_chosen, shell_complete=completion.exports,
    help="One, or several with commas; may be given again.",
)  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder; RUN/results if not given.")
@click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE",
    help="Another setting of the survey, for these files only, e.g. cell=0.5 or contributor.email=me@lake.org.",
)  # fmt: skip
@click.option("--trust", is_flag=True, help="Run code that a folder from elsewhere names.")
@FORCE
def export(
    run: Path, parts: tuple[ExportPart, ...], out: Path | None, changes: tuple[str, ...], trust: bool, force: bool
) -> None:
    click.echo("Loading ...", err=True)
    from akrig.cli.run import options_from
    from akrig.cli.trust import check_trust
    from akrig.journal.folder import RunFolder
    from akrig.survey.results import survey_data, write_together

    folder = RunFolder.open(run)
    check_trust(folder, trust=trust)
    where = out or folder.results
    if out is not None:
        check_outputs([out / part.file for part in parts], force=force)
    data = survey_data(run, parts, options_from(changes=changes))
    for path in write_together(data, parts, where):
        click.echo(path)


COMMANDS = (export,)
