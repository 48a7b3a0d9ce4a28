"""A progress bar for whoever asks for one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, total: int, *, per: int = 1) -> Iterator[Callable[[float], None]]:
    """Yields a function to call once per step with the loss, shown divided by `per`; draws on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.4f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total, loss=float("nan"))
        yield lambda loss: progress.update(task, advance=1, loss=loss / per)
