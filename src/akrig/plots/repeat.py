"""How a mission is had again: the last part of its report."""

import shlex

from akrig.journal.record import Record
from akrig.parts import VEHICLES, find
from akrig.plots import page


def how_to_repeat(record: Record) -> list[str]:
    """The command, and all settings, should the folder be lost."""
    config = record.path / "config.toml"
    settings = {name: value for name, value in record.settings.items() if name != "about"}
    about = record.settings.get("about", {})
    versions = {name: value for name, value in about.items() if name not in ("quantity", "units", "signature", "log")}
    as_file = [page.code(config.read_text(encoding="utf-8"))] if config.is_file() else []
    return [
        page.paragraph(
            "The run folder is all it takes; without it, save the settings below as config.toml, and name that file."
            if not _is_replay(record)
            else "The run folder is all it takes: it holds the readings, too."
        ),
        page.code(_command(record)),
        page.details("Settings", [page.settings_table(settings)] if settings else []),
        page.details("Settings as a file (config.toml)", as_file),
        page.details("Versions", [page.settings_table(versions)] if versions else []),
    ]


def _is_replay(record: Record) -> bool:
    return find(VEHICLES, str(record.settings.get("vehicle", {}).get("name"))).replays


def _command(record: Record) -> str:
    """What a person types to have the same mission again."""
    survey, config = record.settings.get("survey"), shlex.quote(str(record.path / "config.toml"))
    if _is_replay(record):
        return f"akrig replay {shlex.quote(str(record.path))} --out again"
    if survey is None:
        return f"akrig run {config} --out again"
    return f"akrig survey {config}{' --simulate' if survey.get('simulated') else ''} --out again"
