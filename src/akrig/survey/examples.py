"""Missions to try akrig with, that come with it."""

from pathlib import Path

from akrig.config.names import nearest
from akrig.errors import ConfigError

FOLDERS = (Path(__file__).parent / "missions", Path(__file__).parents[3] / "examples")  # installed; in the repository


def example_missions() -> dict[str, Path]:
    """Mission files by name; the area that each names lies beside it."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    return {area.stem: area.with_suffix(".toml") for area in sorted(folder.glob("*.geojson"))} if folder else {}


def example_mission(name: str) -> Path:
    """`ConfigError` if there is none of that name."""
    known = example_missions()
    if name not in known:
        raise ConfigError("--example", [f"no example is called {name!r}; {nearest(name, list(known))}"])
    return known[name]
