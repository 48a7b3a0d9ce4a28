"""From results to tables, figures and a page."""

import importlib
from collections.abc import Collection, Mapping

from akrig.study.definition import Study
from akrig.study.store import StudyFolder


def write_report(study: Study, folder: StudyFolder, *, only: Mapping[str, Collection[str]] | None = None) -> list[str]:
    """Of what is there; lines for the terminal."""
    if study.report == "none":
        return []
    results = folder.load(study.specifications(only))
    if not len(results):
        return [f"No run of {study.name} is finished: there is nothing to report."]
    if ":" in study.report:
        from akrig.config.names import import_part

        return list(import_part(study.report)(study, results, folder.path) or [])
    return importlib.import_module(f"akrig.study.reports.{study.report}").write(study, results, folder.path)
