"""The page in a browser: a survey with the simulated boat, watched and steered while it runs."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.live.browsing import AXE, serious, shown

ROOT = Path(__file__).parents[2]
SLOW = 60_000  # milliseconds


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A simulated survey under way."""
    path = tmp_path_factory.mktemp("survey") / "lake"
    command = [sys.executable, "-m", "akrig", "survey", str(ROOT / "examples" / "lake.toml"), "--simulate"]
    options = ["--no-report", "--set", "simulation.speedup=8", "--out", str(path)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (path / "telemetry.jsonl").exists() and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.2)
    assert (path / "telemetry.jsonl").exists()
    yield path
    process.terminate()
    process.wait(30)


@pytest.fixture(scope="module")
def served(survey, serve):
    """For a tablet on the same network: steering needs the key."""
    return serve(survey, "--host", "0.0.0.0")


@pytest.fixture
def page(browser, served) -> Page:
    page = browser(f"http://127.0.0.1:{served.port}/")
    expect(page.locator("#state-text")).to_have_text(re.compile("Running|waits"), timeout=SLOW)
    return page


def unlock(page: Page, key: str) -> None:
    page.fill("#key", key)
    page.press("#key", "Enter")


def answered(page: Page, word: str, *, state: str) -> str:
    """What the boat said to the latest order, once it has."""
    latest = page.locator("#orders li").first
    expect(latest).to_have_attribute("data-word", word, timeout=SLOW)
    expect(latest).to_have_attribute("data-state", state, timeout=SLOW)
    return latest.inner_text()


def test_watching_needs_no_key_but_steering_does(page: Page, served, browser):
    expect(page.locator(".sign")).to_have_count(5, timeout=SLOW)
    expect(page.locator("#controls")).to_be_hidden()
    expect(page.locator("#lock")).to_be_visible()
    answer = page.request.post(f"{page.url}order", data={"word": "hold"}, headers={"Origin": page.url.rstrip("/")})
    assert answer.status == 401
    share = browser(f"http://127.0.0.1:{served.port}/view")
    expect(share.locator(".sign")).to_have_count(5, timeout=SLOW)
    expect(share.locator("#lock")).to_be_hidden()
    expect(share.locator("#controls")).to_be_hidden()
    unlock(page, served.key)
    expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
    assert served.key not in page.url
    page.reload()
    expect(page.locator("#controls")).to_be_visible(timeout=SLOW)  # the session outlives a reload


def test_a_page_from_elsewhere_gets_nothing_done(chromium, served, survey):
    context = chromium.new_context()
    context.route("http://127.0.0.1:9/", lambda route: route.fulfill(body="<p>evil</p>", content_type="text/html"))
    page = context.new_page()
    page.goto("http://127.0.0.1:9/")
    address = f"127.0.0.1:{served.port}"
    order = (
        "fetch(a, {method: 'POST', mode: 'no-cors', body: JSON.stringify({word: 'hold'})}).then(r => r.type, String)"
    )
    assert page.evaluate(f"a => {order}", f"http://{address}/order") in ("opaque", "TypeError: Failed to fetch")
    listen = (
        "new Promise(r => { const w = new WebSocket(a); w.onmessage = () => r('told'); w.onclose = () => r('no'); })"
    )
    assert page.evaluate(f"a => {listen}", f"ws://{address}/feed") == "no"
    context.close()
    assert not list((survey / "orders").glob("*.order.json"))


@pytest.mark.skipif(not AXE.exists(), reason=f"{AXE} is missing: `make test` fetches it with npm")
def test_steering_is_accessible(page: Page, served):
    assert serious(page) == []
    unlock(page, served.key)
    expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
    for width, height in ((390, 844), (768, 1024), (1366, 768)):
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
            assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_boat_answers_every_order(page: Page, served, browser):
    unlock(page, served.key)
    expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
    page.click('[data-order="hold"]')
    assert "the boat holds its place" in answered(page, "hold", state="accepted")
    expect(page.locator("#state-text")).to_have_text("The boat waits", timeout=SLOW)
    before = shown(page).readings
    page.click('[data-order="resume"]')
    assert "goes on" in answered(page, "resume", state="accepted")
    page.click('[data-order="skip"]')
    assert "next waypoint" in answered(page, "skip", state="accepted")
    canvas = page.locator(".panel .place canvas").first
    page.click('[data-order="goto"]')
    canvas.click(position={"x": 12, "y": 12})
    assert "outside the fence" in answered(page, "goto", state="refused")
    page.click('[data-order="goto"]')
    canvas.click()
    assert "goes there first" in answered(page, "goto", state="accepted")
    other = browser(page.url)
    expect(other.locator("#log")).to_contain_text("Go there next: the boat goes there first.", timeout=SLOW)
    page.reload()
    assert "goes there first" in answered(page, "goto", state="accepted")
    assert shown(page).readings >= before
    page.click('[data-order="return"]')
    page.click('#sure button[value="no"]')
    page.click('[data-order="return"]')
    page.click('#sure button[value="yes"]')
    assert "comes home" in answered(page, "return", state="accepted")
    for order in ("Hold", "Go on", "Skip this waypoint", "Return home"):
        expect(page.locator("#log")).to_contain_text(f"{order}: ", timeout=SLOW)
