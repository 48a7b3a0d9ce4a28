"""The group of all commands, and what becomes of errors."""

import re
import sys

import click

from akrig import __version__

LONGEST = 500  # letters of a word: what stands in a damaged file may be one of a million


class Cli(click.Group):
    """Turns what can go wrong into one red sentence and a non-zero exit, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            raise click.Abort from None
        except Exception as error:
            from akrig.errors import AkrigError

            if not isinstance(error, AkrigError | OSError):
                raise  # a bug of ours: the traceback is what a report needs
            click.secho(_sentence(error), fg="red", err=True)
            sys.exit(1)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order a person meets them."""
        return list(self.commands)


def _sentence(error: Exception) -> str:
    from akrig.errors import AkrigError

    said = str(error)
    if isinstance(error, OSError) and not isinstance(error, AkrigError) and error.strerror is not None:
        said = f"{error.filename}: {error.strerror}." if error.filename is not None else f"{error.strerror}."
    return re.sub(rf"(\S{{{LONGEST}}})\S+", r"\1 ...", said)


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="akrig")
def main() -> None:
    """Where should a robot with a point sensor measure next?

    akrig maps fields with Gaussian processes whose uncertainty shows where the map is wrong: the attentive kernel
    learns where a field is rough and where it is smooth.
    """
