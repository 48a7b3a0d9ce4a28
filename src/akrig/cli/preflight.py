"""What the checks before the start found, as a table."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from akrig.cli.console import output_console
from akrig.words import plural

if TYPE_CHECKING:
    from rich.table import Table

    from akrig.config import Settings
    from akrig.survey.preflight import Finding

LOOKS = {  # from what is well to what is dangerous, which stands last and so next to the prompt
    "good": ("ok", "green"),
    "note": ("note", "cyan"),
    "warning": ("warning", "yellow"),
    "danger": ("DANGER", "bold red"),
}


def print_check(settings: "Settings", path: Path) -> None:
    """Prints the table; exits with 1 if something is dangerous."""
    from akrig.survey.preflight.checks import check_survey

    findings = check_survey(settings, path, tell=lambda level, message: click.echo(message, err=True))
    output_console().print(findings_table(findings))
    click.secho(conclusion(findings), bold=True)
    if any(finding.standing == "danger" for finding in findings):
        sys.exit(1)


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
