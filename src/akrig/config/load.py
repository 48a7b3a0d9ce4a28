"""From TOML and options to settings, with everything that is wrong said at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from akrig.config.names import is_code
from akrig.config.own_parts import KINDS
from akrig.config.presets import PRESETS
from akrig.config.settings import Settings, by_name
from akrig.config.trust import SIGNATURE, signature
from akrig.config.validation import validated
from akrig.errors import ConfigError
from akrig.files import read_toml


def load_settings(file: Path | None = None, options: Mapping[str, Any] | None = None) -> Settings:
    """A preset, then a file, then options, which are nested like the file; the later wins."""
    from_file = read_toml(file) if file else {}
    from_file.pop("about", None)  # of a run folder's config.toml
    from_options = dict(options or {})
    preset = from_options.get("preset", from_file.get("preset", "default"))
    layers = [PRESETS.get(preset, {}) if isinstance(preset, str) else {}, from_file, from_options]
    content: dict[str, Any] = {"preset": preset}
    for layer in layers:
        content = merged(content, layer)
    return validated(Settings, content, source=str(file) if file else "The settings")


def read_settings(file: Path) -> Settings:
    """Of a run folder: resolved, so that presets of a newer akrig change nothing."""
    content = read_toml(file)
    content.pop("about", None)
    settings = validated(Settings, content, source=str(file))
    problems = [f"{name} is missing, which akrig writes down for every run; restore a copy" for name in _gaps(settings)]
    if problems:
        raise ConfigError(str(file), problems)
    return settings


def _gaps(settings: Settings) -> list[str]:
    """What is always there when settings are resolved."""
    vehicle = settings.vehicle
    needed: dict[str, Any] = {"workspace": settings.workspace}
    if settings.survey is None:
        wanted = ("log",) if vehicle.part.replays else ("name", "spacing")
        needed |= {f"vehicle.{name}": getattr(vehicle, name) for name in wanted}
    return [name for name, value in needed.items() if value is None]


def to_toml(settings: Settings, *, about: Mapping[str, str]) -> str:
    """Everything needed to repeat the run; `about` it a reader may want to know more."""
    content = settings.model_dump(exclude_none=True)
    signed = signature(content)
    return tomli_w.dumps({**content, "about": {**about, **({} if signed is None else {SIGNATURE: signed})}})


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Settings over settings, section by section; options of a part of one's own are not for akrig's."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        if key in KINDS:
            value, under = by_name(value), _without_options(by_name(under), by_name(value))
        if key == "budget":  # budgets do not add up: the later one replaces
            under = None
        result[key] = merged(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return result


def _without_options(below: Any, above: Any) -> Any:
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return below
    was, becomes = (str(section.get("name", "")) for section in (below, above))
    leaves = is_code(was) and becomes != "" and not is_code(becomes)
    return {key: value for key, value in below.items() if key != "options"} if leaves else below
