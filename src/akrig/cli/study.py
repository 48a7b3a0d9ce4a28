"""Studies: grids of runs, on all cores or a cluster, that can be stopped and resumed."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from akrig.cli import completion
from akrig.cli.computers import check_one_computer, computers, workers_for
from akrig.cli.console import output_console
from akrig.cli.overwriting import check_outputs
from akrig.words import plural

if TYPE_CHECKING:
    from akrig.study.definition import Study
    from akrig.study.engine import StudyOutcome
    from akrig.study.store import StudyFolder

PAPER = "paper"
SCORING = "paper-scoring"
Kept = dict[str, set[str]] | None


@click.command()
@click.argument("name", required=False, shell_complete=completion.studies)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder; study-results/NAME if not given."
)
@computers
@click.option("--seeds", metavar="SEEDS", help="Instead of the study's own: 0-9, or 0,3,7.")
@click.option("--only", metavar="AXIS=LABEL,...", help="Only these runs, e.g. field=N17E073,kernel=attentive.")
@click.option("--report/--no-report", default=True, help="Write tables, figures and a page at the end.")
def study(name, out, workers, address, jobs, seeds, only, report) -> None:
    """Carry out a study: a grid of runs, resumable.

    NAME is one of the studies that come with akrig (all are listed without it), 'paper' for all of the paper's, or a
    TOML file. Call it again to go on after an interruption, to try failed runs again, or to add seeds.

    \b
    akrig study benchmark-offline --seeds 0-1 --out results
    akrig study paper-benchmark --only field=N17E073,kernel=attentive
    """
    if name is None:
        _list_studies()
        return
    check_one_computer(workers, address, jobs)
    kept = _labels(only)
    click.echo("Loading ...", err=True)
    from akrig.cli.trust import tell_own_code
    from akrig.study.checks import check_settings, named_code

    studies = _load(name, seeds)
    if name == PAPER and kept is not None:
        studies = _with_axes(studies, kept)
    root = out or Path("study-results") / (name if name == PAPER else studies[0].name)
    if name == PAPER and report:
        check_outputs([root / "index.html"])
    for each in studies:
        tell_own_code(Path(name), named_code(each))
        check_settings(each, each.specifications(kept))  # of all, before anything runs
    folders = [root / each.name for each in studies] if name == PAPER else [root]
    failed = 0
    for each, folder in zip(studies, folders, strict=True):
        by = {"workers": workers, "address": address, "jobs": jobs}
        failed += len(_run_one(each, folder, by=by, only=kept, report=report).failures)
    if name == PAPER and report:
        from akrig.paper.overview import write_overview

        click.echo(f"\nOpen {write_overview(studies, root)}, which links the reports.")
    sys.exit(1 if failed else 0)


def _load(name: str, seeds: str | None) -> list["Study"]:
    from akrig.study.definition import load_study, study_files

    if name != PAPER:
        return [load_study(name, seeds=seeds)]
    names = [known for known in study_files() if known.startswith(f"{PAPER}-")]
    names.sort(key=lambda known: known != SCORING)  # first, since the benchmark's report shows its table
    return [load_study(each, seeds=seeds) for each in names]


def _with_axes(studies: list["Study"], kept: dict[str, set[str]]) -> list["Study"]:
    """`--only field=N17E073` leaves out the paper's studies that vary no field."""
    chosen = [study for study in studies if kept.keys() <= study.axes.keys()]
    left_out = [study.name for study in studies if study not in chosen]
    if chosen and left_out:
        click.echo(f"Left out, since --only names none of their axes: {', '.join(left_out)}.", err=True)
    return chosen or studies


def _run_one(study: "Study", out: Path, *, by: dict[str, Any], only: Kept, report: bool) -> "StudyOutcome":
    from akrig.cli.progress.study import watch_study
    from akrig.study.reporting import report_study
    from akrig.study.store import StudyFolder

    folder = StudyFolder(out)
    try:
        summary = watch_study(study, folder, only, lambda tell: workers_for(tell, logs=folder.path / "slurm", **by))
        _tell_failures(summary, folder)
        for line in report_study(study, folder) if report else []:
            click.echo(line)
    except KeyboardInterrupt:
        again = shlex.join(["akrig", *sys.argv[1:]])
        click.echo(f"\nStopped; finished runs are stored. Go on with:\n  {again}", err=True)
        sys.exit(130)
    return summary


def _tell_failures(summary: "StudyOutcome", folder: "StudyFolder") -> None:
    for specification, outcome in summary.failures.values():
        place = folder.failures / specification.name / "traceback.txt"
        click.secho(f"{specification.title}: {outcome.reason} (see {place})", fg="red", err=True)
    if summary.failures:
        failed = f"{len(summary.failures)} of {plural(summary.total, 'run')} failed"
        click.echo(f"{failed}; the next call tries {'it' if len(summary.failures) == 1 else 'them'} again.", err=True)


def _labels(only: str | None) -> Kept:
    if only is None:
        return None
    kept: dict[str, set[str]] = {}
    for part in re.split(r",(?=[^,=]+=)", only):  # labels may have commas
        axis, equals, label = part.partition("=")
        if not equals or not axis.strip():
            raise click.BadParameter(f"{part!r} is not AXIS=LABEL.", param_hint="--only")
        kept.setdefault(axis.strip(), set()).add(label.strip())
    return kept


def _list_studies() -> None:
    from rich.table import Table

    from akrig.study.definition import load_study, study_files

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(no_wrap=True, justify="right")
    table.add_column(overflow="fold")
    for study in map(load_study, study_files()):
        table.add_row(study.name, plural(study.num_runs, "run"), study.title)
    table.add_row(PAPER, "", "all of the above that begin with paper-")
    output_console().print(table)


COMMANDS = (study,)
