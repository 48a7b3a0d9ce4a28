"""What there is to map."""

import click


@click.command()
@click.option("--fetch", metavar="NAME", help="Download a field into the cache folder, checked by its SHA-256.")
def fields(fetch: str | None) -> None:
    """List what there is to map, or fetch a field by name."""
    from akrig.fields import catalogue

    if fetch:
        click.echo(catalogue.fetch(catalogue.find_entry(fetch)))
        return
    from rich.console import Console
    from rich.table import Table

    rows = catalogue.describe()
    table = Table(box=None, header_style="bold")
    for name in rows[0]:
        table.add_column(name, no_wrap=name != "description")
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console().print(table)


COMMANDS = (fields,)
