"""What a shell may complete beside options: names of fields, kernels, strategies, presets, studies and examples."""

from collections.abc import Callable, Iterable

import click

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def _from(names: Callable[[], Iterable[str]]) -> Complete:
    def complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
        return [name for name in names() if name.startswith(begun)]

    return complete


def _fields() -> Iterable[str]:
    from akrig.fields.catalogue import CATALOGUE

    return CATALOGUE


def _kernels() -> Iterable[str]:
    from akrig.config.settings import KERNELS

    return KERNELS


def _strategies() -> Iterable[str]:
    from akrig.config.settings import STRATEGIES

    return STRATEGIES


def _presets() -> Iterable[str]:
    from akrig.config.presets import PRESETS

    return PRESETS


def _studies() -> Iterable[str]:
    from akrig.study.definition import study_files

    return [*study_files(), "paper"]


def _examples() -> Iterable[str]:
    from akrig.survey.examples import example_missions

    return example_missions()


fields, kernels, strategies = _from(_fields), _from(_kernels), _from(_strategies)
presets, studies, examples = _from(_presets), _from(_studies), _from(_examples)
