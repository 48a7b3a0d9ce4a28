"""What the documents say is so: commands and their options, Python, links, and how the code is laid out."""

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from akrig.cli import main

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^ {4}(akrig .*)$", re.MULTILINE)
INLINE = re.compile(r"`(akrig [^`]+)`")
PYTHON = re.compile(r"(?:^<!-- not run: ([^\n]+) -->\n)?^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(document: Path) -> list[str]:
    """Beginning with akrig, without what follows in the shell: comments, pipes, further commands."""
    text = document.read_text()
    blocks = [block for language, block in BLOCK.findall(text) if language == "sh"]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    text = BLOCK.sub("", text)
    lines += INDENTED.findall(text) + [" ".join(found.split()) for found in INLINE.findall(text)]
    found = (re.search(r"(?:^|[\s/])akrig (.*)", line.split(" #")[0]) for line in lines if not line.startswith("#"))
    return [re.split(r" [|&>;]+ ?|   ", match[1])[0].strip() for match in found if match]


CASES = [(document.name, command) for document in DOCUMENTS for command in dict.fromkeys(commands(document))]


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the first words name, by way of its groups, and what is left for it."""
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            break
        command, words = found, words[1:]
    return command, words


def test_the_documents_show_commands():
    assert len(CASES) > 30


@pytest.mark.parametrize(("document", "line"), CASES)
def test_documented_command_has_its_options(document, line):
    command, words = command_of(shlex.split(line))
    names = {name: option for option in command.params for name in (*option.opts, *option.secondary_opts)}
    names |= dict.fromkeys(("-h", "--help", "--version"))
    assert command is not main or not words or words[0].startswith("-"), f"{words[0]} is not a command"
    for word in words:
        if word.startswith("-") and word != "-":
            assert word.partition("=")[0] in names, f"{command.name} has no {word}"


WITH_PYTHON = [document for document in DOCUMENTS if PYTHON.search(document.read_text())]


@pytest.mark.parametrize("document", WITH_PYTHON, ids=lambda path: path.name)
def test_documented_python_runs(document, tmp_path, monkeypatch):
    """All blocks of a document together, but for those that say why they are not run."""
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall(document.read_text())
    assert len(blocks) == document.read_text().count("```python")
    exec("\n".join(code for reason, code in blocks if not reason), {})
    for _, code in blocks:
        compile(code, document.name, "exec")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
        assert link.startswith("https://") or (document.parent / link).exists(), link


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_lines_are_wrapped(document):
    long = [line for line in document.read_text().splitlines() if len(line) > 120 and not line.startswith("|")]
    assert not [line for line in long if "](" not in line and "http" not in line]


CONCEPTS = (ROOT / "docs" / "concepts.md").read_text()
SOURCES = ROOT / "src" / "akrig"


def test_concepts_draw_the_house_as_it_is():
    tree, layers = re.findall(r"^```text\n(.*?)^```$", CONCEPTS, re.DOTALL | re.MULTILINE)
    rooms = {path.name for path in SOURCES.iterdir() if (path / "__init__.py").exists()}
    files = {path.name for path in SOURCES.glob("*.py")} - {"__init__.py", "__main__.py"}
    drawn = set(re.findall(r"(?:^| )(\w+(?:/|\.py))(?= |$)", tree, re.MULTILINE))
    doors = {path.name for path in (SOURCES / "survey").iterdir() if (path / "__init__.py").exists()}
    assert drawn == {f"{name}/" for name in rooms | doors} | files
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert layers.splitlines() == [layer.replace("akrig.", "") for layer in contracts[0]["layers"]]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_modules_that_are_named_are_there(document):
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", document.read_text())
    places = (SOURCES, ROOT, ROOT / "examples")
    shown = {f"{name}.py" for name in re.findall(r"^```python\n# (\w+)\.py$", document.read_text(), re.MULTILINE)}
    lost = [name for name in named if name not in shown and not any((place / name).exists() for place in places)]
    assert not lost
