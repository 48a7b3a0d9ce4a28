"""The line in docs/start.md, in a real bash, completes what a person types."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "start.md"
BASH = shutil.which("bash")


@pytest.fixture
def complete(tmp_path):
    """What bash offers for a line whose last word is being typed."""
    if BASH is None:
        pytest.skip("there is no bash on this machine")
    command = tmp_path / "akrig"
    command.write_text(f'#!{sys.executable}\nfrom akrig.cli import main\nmain(prog_name="akrig")\n')
    command.chmod(0o755)
    line = re.search(r'^eval "\$\(_AKRIG_COMPLETE=bash_source akrig\)"$', DOCS.read_text(), re.M)
    assert line is not None

    def ask(typed: str) -> list[str]:
        words = typed.split(" ")
        script = f"""
            {line.group()}
            function=$(complete -p akrig | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            COMP_WORDS=({" ".join(f"'{word}'" for word in words)})
            COMP_CWORD={len(words) - 1}
            "$function" akrig
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run([BASH, "--norc", "-c", script], env=env, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return ask


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("akrig res", ["resume"]),
        ("akrig survey --exa", ["--example"]),
        ("akrig survey --example l", ["lake"]),
        ("akrig run --field jack", ["jacksboro"]),
        ("akrig run --kernel at", ["attentive"]),
        ("akrig study benchmark-o", ["benchmark-offline"]),
    ],
)
def test_bash_completes(complete, typed, offered):
    assert complete(typed) == offered
