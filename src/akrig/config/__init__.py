"""Settings of a mission: a preset, then a TOML file, then options; the later wins."""

from akrig.config.build import Parts, build_mission
from akrig.config.load import load_settings, read_settings, to_toml
from akrig.config.resolve import resolve
from akrig.config.settings import Settings
from akrig.config.vehicles import build_field

__all__ = ["Parts", "Settings", "build_field", "build_mission", "load_settings", "read_settings", "resolve", "to_toml"]
