"""The command line. Light commands import nothing heavy: each command imports what it needs when it runs."""

import sys
from pathlib import Path

import click

from akrig import __version__


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


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return str(error)


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="akrig")
def main() -> None:
    """Where should a robot with a point sensor measure next?

    akrig maps fields with Gaussian processes whose uncertainty shows where the map is wrong: the attentive kernel
    learns where a field is rough and where it is smooth.
    """


@main.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder for the figure.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=57,
    show_default=True,
    help="Of readings and networks; another may find another optimum.",
)
@click.option("--steps", type=click.IntRange(min=1), default=1000, show_default=True, help="Training steps per model.")
def demo(out: Path, seed: int, steps: int) -> None:
    """Fit RBF and the attentive kernel to a function with jumps, and draw what each makes of it."""
    out.mkdir(parents=True, exist_ok=True)
    if not _is_writable(out):
        raise click.ClickException(f"{out} is not writable; choose another folder with --out.")
    click.echo("Loading (the first run compiles the fused loops, once) ...", err=True)
    from akrig.fields import STEP
    from akrig.plots.line import save_fitted_lines
    from akrig.study.step import fit_step_function

    fits = []
    click.echo(f"Fitting four models to 178 readings of the step function, {steps} steps each.")
    click.echo(f"{'':48}{'RMSE':>8}{'log loss':>12}{'within 2 std':>15}")
    for fit in fit_step_function(seed=seed, steps=steps):
        rmse, loss, covered = fit.scores.values()
        click.echo(f"{fit.title:48}{rmse:8.3f}{loss:12.3f}{covered:15.1%}")
        fits.append(fit)
    figure = out / "step.png"
    save_fitted_lines(figure, fits, jumps=STEP.jumps)
    click.echo(f"\nOpen {figure} to see where each model is sure of itself, and whether it should be.")


def _is_writable(folder: Path) -> bool:
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            return True
    except OSError:
        return False
