"""Code that settings name: told before it runs, and asked about if it comes from elsewhere."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from akrig.journal.folder import RunFolder


def tell_own_code(file: Path | None, code: Mapping[str, str]) -> None:
    """One line; who names code on the command line knows.

    Args:
        code: part -> "module:Name".
    """
    if file is not None and code:
        click.echo(
            f"{file} names code that is not akrig's, which runs with all your rights: {_listed(code)}.", err=True
        )


def check_trust(folder: "RunFolder", *, trust: bool) -> None:
    """Asks, if the folder names code and was not made here; who is trusted once is known from then on."""
    import tomli_w

    from akrig.config.own_parts import own_code
    from akrig.config.trust import SIGNATURE, is_ours, signature
    from akrig.errors import RunFolderError
    from akrig.files import read_toml, write_text

    content = read_toml(folder.config)
    about = content.pop("about", {})
    if is_ours(content, about.get(SIGNATURE) if isinstance(about, dict) else None):
        return
    code = _listed(own_code(content))
    if not trust:
        if not sys.stdin.isatty():
            raise RunFolderError(
                f"{folder.path} was not made on this computer by you, and names code that is not akrig's: {code}; "
                "give --trust if you know it and want it to run."
            )
        click.echo(f"{folder.path} was not made on this computer by you, and names code: {code}.", err=True)
        click.confirm("Run it, with all your rights?", abort=True, err=True)
    signed = signature(content)
    if signed is not None:
        write_text(folder.config, tomli_w.dumps({**content, "about": {**about, SIGNATURE: signed}}))


def _listed(code: Mapping[str, str]) -> str:
    return ", ".join(f"{part} {name}" for part, name in code.items())
