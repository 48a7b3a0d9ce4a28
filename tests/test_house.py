"""The tree reads as the architecture: a name means one thing, and a test sits where its code sits."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE, TESTS, BENCHMARKS = ROOT / "src" / "akrig", ROOT / "tests", ROOT / "benchmarks"
NOT_OF_ONE_ROOM = {"ardupilot", "benchmarks", "fuzz"}  # folders of tests


def modules(root: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(root.rglob("*.py")):
        yield path.relative_to(root), ast.parse(path.read_text(encoding="utf-8"))


def test_no_public_class_name_is_used_twice():
    places = defaultdict(list)
    for path, tree in modules(SOURCE):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("root", [SOURCE, BENCHMARKS], ids=lambda root: root.name)
def test_three_modules_with_one_prefix_are_a_package(root):
    prefixes = Counter((path.parent, path.stem.partition("_")[0]) for path, _ in modules(root) if path.stem[0] != "_")
    assert [f"{folder}/{prefix}_*" for (folder, prefix), count in prefixes.items() if count > 2] == []


@pytest.mark.parametrize("root", [SOURCE, BENCHMARKS], ids=lambda root: root.name)
def test_every_module_says_what_it_is(root):
    assert [str(path) for path, tree in modules(root) if tree.body and ast.get_docstring(tree) is None] == []


def test_tests_sit_where_the_code_sits():
    folders = {path.parent for path, _ in modules(TESTS) if path.parts[0] not in NOT_OF_ONE_ROOM}
    assert sorted(str(folder) for folder in folders if not (SOURCE / folder).is_dir()) == []
