"""One clock for all."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from akrig.clock import clock

WORDS = Path(__file__).parents[1] / "src" / "akrig" / "live" / "page" / "words.js"
SECONDS = [0, 0.99, 59.999, 60, 605, 3599, 3600, 3661, 86399, 86400, 90061.5, 718129.6, 1e8, -3]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0:00"), (725, "12:05"), (3723, "1:02:03"), (86399.9, "23:59:59"), (718129, "8 d 07:28:49"), (-1, "0:00")],
)
def test_times_are_said_as_on_a_clock_and_long_ones_in_days(seconds, said):
    assert clock(seconds) == said


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this machine")
def test_the_page_says_the_same(tmp_path):
    (tmp_path / "words.mjs").write_text(WORDS.read_text())
    script = f"import('./words.mjs').then(w => console.log(JSON.stringify({SECONDS}.map(w.clock))))"
    done = subprocess.run(["node", "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [said.replace("\u00a0", " ") for said in json.loads(done.stdout)] == [clock(seconds) for seconds in SECONDS]
