"""From results to tables, figures and a page."""

import importlib

from akrig.study.definition import Study
from akrig.study.store import StudyFolder


def write_report(study: Study, folder: StudyFolder) -> list[str]:
    """Of all that is there, whatever this call computed; lines for the terminal."""
    if study.report == "none":
        return []
    results = folder.load(study.specifications())
    if not len(results):
        return [f"No run of {study.name} is finished: there is nothing to report."]
    if ":" in study.report:
        from akrig.config.names import import_part

        return list(import_part(study.report)(study, results, folder.path) or [])
    return importlib.import_module(f"akrig.study.reports.{study.report}").write(study, results, folder.path)
