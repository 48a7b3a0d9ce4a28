"""What is checked before the first run begins: settings, fields, and what the folder holds already."""

import tempfile
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import Any

import tomli_w

from akrig import __version__
from akrig.config.names import flattened, is_code
from akrig.config.own_parts import own_code
from akrig.errors import AkrigError, ConfigError, StudyFolderError
from akrig.fields.catalogue import CATALOGUE, is_available
from akrig.files import read_toml
from akrig.study.definition import Study
from akrig.study.parts import KINDS
from akrig.study.reporting import report_function
from akrig.study.specification import FORMAT, Specification
from akrig.study.store import FinishedRun, StudyFolder


def check_settings(study: Study, specifications: Iterable[Specification]) -> None:
    """Of every family once; all that is wrong is said at once."""
    families = list({specification.family: specification for specification in specifications}.values())
    _check_fields(families)
    check = resolve_name(KINDS[study.kind].check)
    problems: dict[str, None] = {}
    if is_code(study.report):
        try:
            report_function(study.report)
        except ValueError as error:
            problems[f"report: {error}"] = None
    for specification in families:
        try:
            check(specification.settings)
        except ConfigError as error:
            source = str(error).partition(":")[0]
            prefix = "" if len(error.problems) > 1 or " " in source else f"{source}: "
            problems.update(dict.fromkeys(f"{prefix}{problem}" for problem in error.problems))
        except (AkrigError, ValueError) as error:
            problems[f"{specification.title}: {error}"] = None
    if problems:
        raise ConfigError(f"Study {study.name}", list(problems))


def named_code(study: Study) -> dict[str, str]:
    """Part -> "module:Name", and several of them with commas; nothing is imported."""
    found: dict[str, dict[str, None]] = {}
    for specification in study.specifications():
        for part, name in own_code(specification.settings).items():
            found.setdefault(part, {})[name] = None
    if is_code(study.report):
        found["report"] = {study.report: None}
    return {part: ", ".join(names) for part, names in found.items()}


def _check_fields(families: list[Specification]) -> None:
    wanted = dict.fromkeys(_field_name(specification.settings) for specification in families)
    entries = [CATALOGUE[name] for name in wanted if name in CATALOGUE]
    absent = [entry.name for entry in entries if entry.kind == "data" and not is_available(entry)]
    if absent:
        names, are = (f"The fields {', '.join(absent)}", "are") if len(absent) > 1 else (f"The field {absent[0]}", "is")
        raise ConfigError(
            "study",
            [
                f"{names} {are} not on this machine; set AKRIG_DATA to the folder with fields/{absent[0]}.npy, fetch "
                f"with `akrig fields --fetch {absent[0]}`, or run `akrig study benchmark-offline`, which needs none."
            ],
        )


def _field_name(settings: dict[str, Any]) -> str:
    field = settings.get("field", {})
    if isinstance(field, dict):
        return "" if field.get("download") else str(field.get("name", ""))
    return str(field)


def open_folder(study: Study, folder: StudyFolder, tell: Callable[[str], None]) -> dict[str, FinishedRun]:
    """What is stored already and whole, by name; refuses results that are not this study's.

    Args:
        study: with all its values: what was left out of one call is no change.
    """
    if folder.is_foreign:
        raise StudyFolderError(f"{folder.path} holds other things, and no study; choose another folder with --out.")
    folder.create()
    _check_writable(folder)
    _check_definition(folder)
    found = {name: folder.done(name) for name in folder.stored()}
    whole = {name: done for name, done in found.items() if done is not None}
    for done in whole.values():
        if done.content["format"] != FORMAT:
            raise _other_format(folder, done.content["format"])
    _check_families(study, folder, whole)
    _check_presets(folder, whole)
    for name in found.keys() - whole.keys():
        if folder.discard(name):
            tell(f"{folder.run(name)} is damaged: it is not what was stored there. This run is computed again.")
    folder.sweep_all()
    others = {done.content["akrig"] for done in whole.values()} - {__version__}
    if others:
        tell(
            f"Some results in {folder.path} were computed by akrig {', '.join(sorted(others))}; this is {__version__}."
        )
    folder.define(tomli_w.dumps({"format": FORMAT, "name": study.name, **study.source}))
    return whole


def _check_writable(folder: StudyFolder) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder.scratch) as probe:
            probe.write(b"akrig")
    except OSError as error:
        raise StudyFolderError(
            f"{folder.path} is not writable ({error.strerror}); choose another folder with --out, or make room."
        ) from error


def _check_definition(folder: StudyFolder) -> None:
    if not folder.definition.exists():
        return
    try:
        written = read_toml(folder.definition).get("format")
    except ConfigError:
        raise StudyFolderError(
            f"{folder.definition} is damaged; delete it if the results beside it are this study's."
        ) from None
    if written != FORMAT:
        raise _other_format(folder, written)


def _other_format(folder: StudyFolder, written: Any) -> StudyFolderError:
    return StudyFolderError(
        f"{folder.path} holds results in format {written}, this akrig ({__version__}) reads format {FORMAT}; "
        "use the akrig that wrote them, or another folder with --out."
    )


def _check_families(study: Study, folder: StudyFolder, whole: dict[str, FinishedRun]) -> None:
    specifications = study.specifications()
    known = {specification.family for specification in specifications}
    strange = [done for done in whole.values() if done.family not in known]
    if strange:
        results = "a result that is" if len(strange) == 1 else f"{len(strange)} results that are"
        raise StudyFolderError(
            f"{folder.path} holds {results} not of study {study.name} as it is now "
            f"({_why(strange[0], specifications)}); take another folder with --out, or change the study back."
        )


def _check_presets(folder: StudyFolder, whole: dict[str, FinishedRun]) -> None:
    """A preset is a word in the settings: what it stood for when a run was computed is in the run's own folder."""
    from akrig.config import load_settings, read_settings

    for done in {done.family: done for done in whole.values() if done.content["kind"] == "mission"}.values():
        config = folder.run(done.name) / "config.toml"
        if not config.exists():
            continue
        then = flattened(read_settings(config).model_dump(exclude_none=True))
        now = flattened(load_settings(None, done.content["settings"]).model_dump(exclude_none=True))
        changes = _changes(then, now, among=now)
        if changes:
            raise StudyFolderError(
                f"{folder.path} holds results of other settings: preset {now['preset']!r} has changed since "
                f"({changes}); take another folder with --out."
            )


def _why(strange: FinishedRun, specifications: list[Specification]) -> str:
    """How a stored run differs from the one that has its labels now."""
    labels = dict(strange.content["labels"])
    labels.pop("seed", None)
    title = ", ".join(f"{axis}={label}" for axis, label in labels.items()) or strange.name
    for specification in specifications:
        if {axis: label for axis, label in specification.labels.items() if axis != "seed"} == labels:
            then, now = flattened(strange.content["settings"]), flattened(specification.settings)
            changes = _changes(then, now, among=[key for key in {**then, **now} if key != "seed"])
            if changes:
                return f"{title}: {changes}"
    return f"for instance {title}"


def _changes(then: dict[str, Any], now: dict[str, Any], *, among: Iterable[str]) -> str:
    """The first few."""
    changed = [key for key in among if then.get(key) != now.get(key)]
    return "; ".join(f"{key} was {then.get(key, 'not set')}, is {now.get(key, 'not set')}" for key in changed[:3])
