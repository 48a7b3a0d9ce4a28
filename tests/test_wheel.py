"""What is published, installed away from the source tree, has all that its commands need."""

import os
import re
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import pytest

import akrig

ROOT = Path(__file__).parent.parent
SOURCES = Path(akrig.__file__).parent
# Without this process's way to the source tree and its data.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "AKRIG_DATA")}


def call(*command, cwd: Path) -> str:
    words = [str(word) for word in command]
    result = subprocess.run(words, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, f"{words}: {result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Made from the source distribution, as `pip install` makes it for whoever takes that."""
    folder = tmp_path_factory.mktemp("wheel")
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    call(*hatchling, "-t", "sdist", cwd=ROOT)
    (archive,) = folder.glob("*.tar.gz")
    call("tar", "-xzf", archive, cwd=folder)
    call(*hatchling, "-t", "wheel", cwd=folder / archive.name.removesuffix(".tar.gz"))
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def bin(wheel, tmp_path_factory) -> Path:
    """Of an environment that shares the dependencies of this one, and has the wheel for its akrig."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    call(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    packages = Path(call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    paths = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "dependencies.pth").write_text("\n".join(paths) + "\n")
    keep_compiled_loops(packages / "akrig")
    return folder / "bin"


def keep_compiled_loops(installed: Path) -> None:
    """Numba's, which are keyed by the content of their sources: compiling them again takes half a minute."""
    for path in [*SOURCES.rglob("__pycache__/*.nbi"), *SOURCES.rglob("__pycache__/*.nbc")]:
        target = installed / path.relative_to(SOURCES)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    ours = {f"akrig/{path.relative_to(SOURCES)}" for path in SOURCES.rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    assert ours <= names
    assert {f"akrig/study/definitions/{path.name}" for path in (ROOT / "studies").glob("*.toml")} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "benchmarks"))]


def test_akrig_is_the_installed_one(bin, tmp_path):
    found = Path(call(bin / "python", "-c", "import akrig; print(akrig.__file__)", cwd=tmp_path).strip())
    assert found.is_relative_to(bin.parent)


def test_installed_akrig_makes_a_demo_and_a_study(bin, tmp_path):
    call(bin / "akrig", "demo", "--out", "demo", "--budget", "100", cwd=tmp_path)
    assert (tmp_path / "demo" / "report.html").exists()

    only = "field=ridges,strategy=random,kernel=rbf"
    study = ["study", "benchmark-offline", "--seeds", "0-0", "--only", only, "--workers", "1", "--out", "results"]
    call(bin / "akrig", *study, cwd=tmp_path)
    assert (tmp_path / "results" / "report.html").exists()


def test_installed_akrig_surveys_its_lake_and_shows_it(bin, tmp_path):
    short = ["--set", "simulation.speedup=60", "--set", "pilot.num_lines=2", "--set", "budget.readings=60"]
    call(bin / "akrig", "survey", "--example", "lake", "--simulate", *short, "--out", "survey", cwd=tmp_path)
    assert (tmp_path / "survey" / "report.html").exists()
    assert (tmp_path / "survey" / "results" / "map.tif").exists()

    command = [bin / "akrig", "view", "survey", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as page:
        try:
            assert page.stderr is not None
            url = next(found[0] for line in page.stderr if (found := re.search(r"http://[^\s]+/", line)))
            html = fetched(url)
            files = set(re.findall(r'(?:src|href)="([^":#]+\.(?:js|css))"', html))
            assert len(files) >= 2
            assert all(fetched(urljoin(url, file)) for file in files)
        finally:
            page.terminate()


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()
