"""One page that leads to the reports of several studies."""

from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment

from akrig.files import write_text
from akrig.study.definition import Study
from akrig.study.store import StudyFolder
from akrig.words import plural

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="generator" content="akrig">
<title>akrig: the paper's studies</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:3rem auto;padding:0 1rem}
dt{font-weight:600;margin-top:1rem}dd{margin:0}</style>
<h1>The paper's studies</h1><dl>
{%- for study, stored, has_report in items %}
<dt>{% if has_report %}<a href="{{ study.name }}/report.html">{{ study.title }}</a>
{%- else %}{{ study.title }}{% endif %}</dt><dd>{{ study.about }} {{ stored }}.</dd>
{%- endfor %}
</dl></html>
"""


def write_overview(studies: Iterable[Study], root: Path) -> Path:
    """Each study lies in a folder of its name."""
    items = []
    for study in studies:
        folder = StudyFolder(root / study.name)
        stored = sum(folder.is_stored(name) for name in {s.name for s in study.specifications()})
        items.append((study, f"{stored} of {plural(study.num_runs, 'run')}", folder.report.exists()))
    path = root / "index.html"
    write_text(path, Environment(autoescape=True).from_string(_PAGE).render(items=items))
    return path
