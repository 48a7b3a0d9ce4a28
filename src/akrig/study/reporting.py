"""From results to tables, figures and a page."""

import inspect
from collections.abc import Callable
from typing import Any

from akrig.parts import find
from akrig.study.definition import Study
from akrig.study.parts import NO_REPORT, REPORTS
from akrig.study.store import StudyFolder


def report_study(study: Study, folder: StudyFolder) -> list[str]:
    """Of all that is there, whatever this call computed; lines for the terminal."""
    if study.report == NO_REPORT:
        return []
    results = folder.load(study.specifications())
    if not len(results):
        return [f"No run of {study.name} is finished: there is nothing to report."]
    write = report_function(find(REPORTS, study.report).where)
    return list(write(study, results, folder.path) or [])


def report_function(name: str) -> Callable[..., Any]:
    """The function that "module:name" stands for; `ValueError` if it is none that could be called as one."""
    from akrig.config.own_parts import import_name

    found = import_name(name)
    if not inspect.isfunction(found):
        raise ValueError(f"{name!r} is no report: it is not a function.")
    try:
        inspect.signature(found).bind("study", "results", "folder")
    except TypeError:
        raise ValueError(f"{name!r} is no report: it is not called as write(study, results, folder).") from None
    return found
