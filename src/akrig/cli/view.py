"""The mission page: watch a run, steer a boat, replay it later."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from akrig.live.server import Address

SECONDS_TO_CLOSE = 5.0


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 for all of them.")
@click.option("--port", type=click.IntRange(0, 65535), help="8330, or any that is free if not given.")
@click.option("--browser/--no-browser", default=True, help="Open the page at once.")
@click.option(
    "--ask-key", is_flag=True, help="Steering needs the key on this computer, too: for tunnels others may use."
)
@click.option("--background", type=click.Path(path_type=Path), help="A GeoTIFF to lie under the maps.")
@click.option("--until-told", is_flag=True, hidden=True, help="End when standard input is closed.")
def view(
    run: Path, host: str, port: int | None, browser: bool, ask_key: bool, background: Path | None, until_told: bool
) -> None:
    """Show a run as a page: while it goes on, and afterwards.

    \b
    akrig view runs/first
    akrig view surveys/lake --background chart.tif
    akrig view surveys/lake --host 0.0.0.0      for a tablet on the boat's network

    RUN is only read; orders to a boat go through it as with `akrig tell`. On a network, steering needs the key that
    the terminal shows. Ctrl-C closes the page, not the mission.
    """
    from akrig.live.server import Server

    server = Server(run, host=host, port=port, ask_key=ask_key, background=background)

    with ExitStack() as on_leaving:

        def ready() -> None:
            if until_told:
                _end_with_parent(server)
            _tell(server.address)
            if browser:
                _open(server.address, on_leaving)

        server.serve(ready=ready)


def _tell(address: "Address") -> None:
    """The key goes to the terminal only, and only once."""
    click.echo(f"The page is at {address.url}", err=True)
    if not address.is_local:
        click.echo(f"To steer, enter this key there: {address.key}", err=True)
        click.echo(f"To let others watch, share {address.url}view", err=True)
    elif address.asks_own_user:
        click.echo(f"To steer, enter this key there: {address.key}", err=True)
        click.echo(f"or open {address.url_with_key}", err=True)
    else:
        click.echo(f"Other users of this computer may watch; to steer, they need this key: {address.key}", err=True)


def _open(address: "Address", on_leaving: ExitStack) -> None:
    """Where the key is needed, by way of a file of one's own: everybody on a computer sees what commands are given."""
    import webbrowser

    url = address.url
    if address.asks_own_user:
        folder = on_leaving.enter_context(TemporaryDirectory(prefix="akrig-"))  # only its user may look into it
        page = Path(folder) / "open.html"
        page.write_text(f'<meta http-equiv="refresh" content="0; url={address.url_with_key}">')
        url = page.as_uri()
    with suppress(webbrowser.Error):
        webbrowser.open(url)


def _end_with_parent(server) -> None:
    import threading

    def wait() -> None:
        if sys.stdin is not None:  # closed from the beginning
            with suppress(OSError, ValueError):
                sys.stdin.buffer.read()
        server.stop()

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def page_beside(run: Path, *, host: str = "127.0.0.1", port: int | None = None, browser: bool = True) -> Iterator[None]:
    """The page of a run beside its mission, in a process of its own that ends with this one; for `--view`.

    When the mission is over, a person at a terminal may go on looking.
    """
    options = ["--host", host, *([] if port is None else ["--port", str(port)]), *([] if browser else ["--no-browser"])]
    command = [sys.executable, "-P", "-m", "akrig", "view", str(run), *options, "--until-told"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    try:
        yield
        if sys.stdin.isatty():
            click.echo("The page stays open; Ctrl-C closes it.", err=True)
            with suppress(KeyboardInterrupt):
                process.wait()
    finally:
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(SECONDS_TO_CLOSE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def page_if_wanted(run: Path, wanted: bool) -> AbstractContextManager[None]:
    """With `--view`, the page; else nothing."""
    return page_beside(run) if wanted else nullcontext()


COMMANDS = (view,)
