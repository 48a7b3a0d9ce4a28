"""What a surveyor takes home, from the model and the run folder; each file beside and renamed, from what is on disk."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from akrig.config import Settings, read_settings
from akrig.config.build import build_model
from akrig.config.load import merged
from akrig.config.survey import SurveySettings
from akrig.config.validation import validated
from akrig.config.vehicles import box
from akrig.errors import ConfigError, RunFolderError
from akrig.files import sync_folder
from akrig.format_parts import EXPORTS, ExportPart
from akrig.journal.events import read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.record import recorded_epochs
from akrig.protocols import Model
from akrig.runs.checkpoints import Checkpoints
from akrig.survey.exports.data import SurveyData

USUAL = tuple(part for part in EXPORTS.values() if part.is_usual)


def write_results(folder: RunFolder, settings: Settings, model: Model) -> list[Path]:
    """The usual ones, at the end of a survey."""
    folder.results.mkdir(exist_ok=True)
    return write_exports(SurveyData(settings, folder=folder, model=model), USUAL, folder.results)


def write_exports(data: SurveyData, parts: Iterable[ExportPart], out: Path) -> list[Path]:
    paths = []
    for part in parts:
        path = out / part.file
        part.maker(path, data)
        paths.append(path)
    return paths


def write_together(data: SurveyData, parts: Iterable[ExportPart], out: Path) -> list[Path]:
    """All of them, or none: what cannot be made leaves nothing behind."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        made = write_exports(data, parts, Path(folder))
        out.mkdir(exist_ok=True)
        paths = [path.replace(out / path.name) for path in made]
    sync_folder(out)
    return paths


def survey_data(path: Path, parts: Iterable[ExportPart], options: Mapping[str, Any] | None = None) -> SurveyData:
    """Of a run folder, with its newest model if one of the exports needs it.

    Args:
        options: settings of the survey that are other than in its folder.
    """
    folder = RunFolder.open(path)
    settings = read_settings(folder.config)
    if settings.survey is None:
        raise RunFolderError(f"{path} is no survey with a boat; exports are made of those.")
    if options:
        survey = validated(
            SurveySettings, merged(settings.survey.model_dump(exclude_none=True), options), source="--set"
        )
        settings = settings.model_copy(update={"survey": survey})
    needs_model = any("model" in part.needs for part in parts)
    return SurveyData(settings, folder=folder, model=_newest_model(folder, settings) if needs_model else None)


def _newest_model(folder: RunFolder, settings: Settings) -> Model | None:
    """`None` before the first epoch has ended."""
    epochs = recorded_epochs(read_journal(folder.journal).events)
    workspace = box(settings.workspace)
    if not epochs or workspace is None:
        return None
    model = build_model(settings, workspace=workspace)
    saved = Checkpoints(folder, model, every=math.inf).load_newest(before=len(epochs), tell=_refuse)
    if saved < 0:
        raise RunFolderError(f"{folder.path} has no saved model; `akrig resume {folder.path}` makes it again.")
    for recorded in epochs:
        if recorded.index > saved and len(recorded.epoch.samples):
            model.observe(recorded.epoch.samples)
    return model


def _refuse(sentence: str) -> None:
    raise ConfigError("checkpoint", [sentence])
