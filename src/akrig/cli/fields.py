"""What there is to map."""

from typing import TYPE_CHECKING, Any

import click

from akrig.cli.console import UNBOUNDED, output_console

if TYPE_CHECKING:
    from rich.table import Table


@click.command()
@click.option("--fetch", metavar="NAME", help="Download a field into the cache folder, checked by its SHA-256.")
def fields(fetch: str | None) -> None:
    """List what there is to map, or fetch a field by name."""
    from akrig.fields import catalogue

    if fetch:
        click.echo(catalogue.fetch(catalogue.find_entry(fetch)))
        return
    rows = [{**row, "extent": f"{row['extent']} m" if row["extent"] else ""} for row in catalogue.describe()]
    from rich.table import Table

    console, wide = output_console(), Table(*rows[0], box=None, header_style="bold")
    for row in rows:
        wide.add_row(*map(str, row.values()))
    needed = console.measure(wide, options=console.options.update(width=UNBOUNDED)).maximum
    console.print(wide if needed <= console.width else _narrow(rows))


def _narrow(rows: list[dict[str, Any]]) -> "Table":
    """Names, which are for typing, stay whole; all else folds beside them."""
    from rich.table import Table

    table = Table(box=None, show_header=False)
    table.add_column(min_width=max(len(row["name"]) for row in rows), no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for row in rows:
        here = "available" if row["available"] else "not on this machine"
        values = row["units"] and f"values in {row['units']}"
        details = (row["kind"], f"{row['cells']} cells", row["extent"], values, here)
        table.add_row(row["name"], f"{row['description']}\n{', '.join(filter(None, details))}")
    return table


COMMANDS = (fields,)
