"""One page that leads to the reports of several studies."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from akrig.files import write_text
from akrig.study.definition import Study
from akrig.study.store import StudyFolder
from akrig.words import plural


def write_overview(studies: Iterable[Study], root: Path) -> Path:
    """Each study lies in a folder of its name."""
    items = []
    for study in studies:
        folder = StudyFolder(root / study.name)
        stored = sum(folder.is_stored(name) for name in {s.name for s in study.specifications()})
        title = escape(study.title)
        linked = f'<a href="{study.name}/report.html">{title}</a>' if folder.report.exists() else title
        items.append(f"<dt>{linked}</dt><dd>{escape(study.about)} {stored} of {plural(study.num_runs, 'run')}.</dd>")
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="generator" content="akrig">'
        "<title>akrig: the paper's studies</title>"
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:3rem auto;padding:0 1rem}"
        "dt{font-weight:600;margin-top:1rem}dd{margin:0}</style>"
        f"<h1>The paper's studies</h1><dl>{''.join(items)}</dl></html>\n"
    )
    path = root / "index.html"
    write_text(path, page)
    return path
