"""The model that a run folder keeps: what the page's numbers are held against."""

from pathlib import Path

from akrig.config import read_settings
from akrig.config.build import build_model
from akrig.config.vehicles import box
from akrig.gp import GPRegression
from akrig.journal.folder import RunFolder


def load_model(run: Path) -> GPRegression:
    """As it was at the newest checkpoint."""
    folder = RunFolder(run)
    settings = read_settings(folder.config)
    workspace = box(settings.workspace)
    assert workspace is not None
    model = build_model(settings, workspace=workspace)
    model.load(folder.list_checkpoints()[0][1])
    return model
