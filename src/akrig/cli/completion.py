"""What a shell may complete beside options: names of fields, kernels, strategies, presets, studies and examples."""

from collections.abc import Callable, Iterable

import click

from akrig.format_parts import EXPORTS
from akrig.parts import FIELDS, KERNELS, MODELS, STRATEGIES

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def _from(names: Callable[[], Iterable[str]]) -> Complete:
    def complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
        return [name for name in names() if name.startswith(begun)]

    return complete


def _presets() -> Iterable[str]:
    from akrig.config.presets import PRESETS

    return PRESETS


def _studies() -> Iterable[str]:
    from akrig.study.definition import study_files

    return [*study_files(), "paper"]


def _examples() -> Iterable[str]:
    from akrig.survey.examples import example_missions

    return example_missions()


def exports(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The last word of a list."""
    before, comma, word = begun.rpartition(",")
    return [before + comma + name for name in EXPORTS if name.startswith(word)]


fields, kernels, models, strategies = (_from(kind.keys) for kind in (FIELDS, KERNELS, MODELS, STRATEGIES))
presets, studies, examples = _from(_presets), _from(_studies), _from(_examples)
