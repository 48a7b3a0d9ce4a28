"""A person at the page, as far as Chromium can play one."""

import io
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / ".npm" / "axe.min.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@dataclass(frozen=True)
class Shown:
    """What the page says it shows: the moment, the readings so far, and which map."""

    text: str

    @property
    def readings(self) -> int:
        return int(self.text.split()[1])


def shown(page: Page) -> Shown:
    return Shown(page.get_attribute("html", "data-shown") or "")


def slide(page: Page, share: float) -> None:
    """Drags the time slider to a share of the mission."""
    page.evaluate(
        "share => { const s = document.getElementById('time'); s.value = share * s.max;"
        " s.dispatchEvent(new Event('input')); }",
        share,
    )
    page.wait_for_timeout(150)


def settled(page: Page) -> None:
    """What a person did is drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def colours(page: Page, panel: int = 0) -> set[tuple[int, tuple[int, ...]]]:
    """Pixels of a map here and there, so that two pictures can be told apart."""
    data = page.locator(".panel .place canvas").nth(panel).screenshot()
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB").resize((60, 60))).reshape(-1, 3).tolist()
    return {(k, tuple(pixel)) for k, pixel in enumerate(pixels)}


def serious(page: Page) -> list[str]:
    """Findings of axe that are serious or worse, in words."""
    page.evaluate(AXE.read_text() + "; 0")
    found = page.evaluate("axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes.map(n => n.html)]))")
    return [f"{impact}: {name} at {nodes[:3]}" for impact, name, nodes in found if impact in ("serious", "critical")]
