"""Commands in the documents are commands: every option and choice in them is one that akrig has."""

import re
import shlex
from pathlib import Path

import click
import pytest

from akrig.cli import main

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^ {4}(akrig .*)$", re.MULTILINE)
INLINE = re.compile(r"`(akrig [^`]+)`")


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
