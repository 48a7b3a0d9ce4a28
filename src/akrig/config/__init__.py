"""Settings of a mission: a preset, then a TOML file, then options; the later wins.

What builds a mission brings torch, and is loaded when first used: a boat reads its settings without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from akrig.config.load import load_settings, read_settings, to_toml
from akrig.config.resolve import resolve
from akrig.config.settings import Settings
from akrig.config.vehicles import build_field

if TYPE_CHECKING:
    from akrig.config.build import Parts, build_mission

__all__ = ["Parts", "Settings", "build_field", "build_mission", "load_settings", "read_settings", "resolve", "to_toml"]


def __getattr__(name: str) -> object:
    if name not in ("Parts", "build_mission"):
        raise AttributeError(f"module 'akrig.config' has no attribute {name!r}")
    return getattr(import_module("akrig.config.build"), name)
