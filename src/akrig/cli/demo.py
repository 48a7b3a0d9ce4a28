"""Demonstrations."""

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from akrig.cli.overwriting import FORCE, check_outputs

MARK = ".demo"  # lies in every run folder that a demonstration made, and may therefore replace
FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--out", type=FOLDER, default=Path("demo"), show_default=True, help="Folder for runs and report.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of everything random.")
@click.option("--budget", type=click.IntRange(min=100), default=500, show_default=True, help="Readings per mission.")
@FORCE
def demo(out: Path, seed: int, budget: int, force: bool) -> None:
    """Map real terrain with the attentive kernel and RBF, and compare.

    A folder from an earlier demonstration is replaced.
    """
    click.echo("Loading (the first run compiles the fused loops, once) ...", err=True)
    from akrig.cli.progress.mission import watch_mission
    from akrig.config import load_settings
    from akrig.journal.record import read_record
    from akrig.plots.formatting import plain
    from akrig.plots.report import write_report
    from akrig.plots.summary import comparison
    from akrig.runs import create_run

    check_outputs([out / "report.html"], force=force)
    paths = {kernel: out / kernel for kernel in ("attentive", "rbf")}
    _make_room(list(paths.values()))
    for kernel, path in paths.items():
        options = {"field": "jacksboro", "kernel": kernel, "strategy": "myopic", "seed": seed, "budget": budget}
        folder = create_run(load_settings(None, options), path)
        (path / MARK).touch()
        if watch_mission(folder) == "stopped":
            click.echo(f"\nStopped. Go on with this mission alone:\n  akrig resume {path}")
            sys.exit(130)
    records = [read_record(path) for path in paths.values()]
    click.echo("Drawing ...", err=True)
    write_report(records, out / "report.html")
    click.echo(f"\n{click.wrap_text(plain(comparison(records)), min(shutil.get_terminal_size().columns, 100))}")
    click.echo(f"\nOpen {out / 'report.html'}: which map knows where it is wrong?")


def _make_room(paths: list[Path]) -> None:
    """Removes the runs of an earlier demonstration: all, or none if one of them is somebody's own or in use."""
    from akrig.errors import RunFolderError
    from akrig.journal.folder import RunFolder

    old = [path for path in paths if path.exists()]
    for path in old:
        if not (path / MARK).is_file():
            raise RunFolderError(f"{path} was not made by a demonstration; choose another folder with --out.")
    with ExitStack() as locks:
        for path in old:
            locks.enter_context(RunFolder(path).locked())
        for path in old:
            (path / "config.toml").unlink(missing_ok=True)  # from here on nobody can go on with it
    for path in old:
        shutil.rmtree(path)


@click.command()
@click.option("--out", type=FOLDER, default=Path("demo"), show_default=True, help="Folder for the figure.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of readings and networks.")
@click.option("--steps", type=click.IntRange(min=1), default=1000, show_default=True, help="Training steps per model.")
@FORCE
def step(out: Path, seed: int, steps: int, force: bool) -> None:
    """Fit RBF and the attentive kernel to a function with jumps.

    The figure shows what each makes of it: of an attentive kernel what the likelier half of eight networks predict, and
    beneath it what the likeliest has learnt.
    """
    figure = out / "step.png"
    check_outputs([figure], force=force)
    out.mkdir(parents=True, exist_ok=True)
    if not _is_writable(out):
        raise click.ClickException(f"{out} is not writable; choose another folder with --out.")
    click.echo("Loading (the first run compiles the fused loops, once) ...", err=True)
    from akrig.fields import STEP
    from akrig.paper.functions.step import fit_step_function
    from akrig.plots.line import save_fitted_lines

    fits = []
    click.echo(f"Fitting four models to 178 readings of the step function, {steps} steps each.")
    click.echo(f"{'':44}{'RMSE':>8}{'log loss':>12}{'within 2 std':>16}")
    for fit in fit_step_function(seed=seed, steps=steps):
        rmse, loss, covered = fit.scores.values()
        click.echo(f"{fit.title:44}{rmse:8.3f}{loss:12.3f}{100 * covered:14.1f} %")
        fits.append(fit)
    save_fitted_lines(figure, fits, jumps=STEP.jumps)
    click.echo(f"\nOpen {figure} to see where each model is sure of itself, and whether it should be.")


def _is_writable(folder: Path) -> bool:
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            return True
    except OSError:
        return False


COMMANDS = (demo, step)
