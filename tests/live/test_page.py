"""The page in a browser: a finished simulated mission, looked at, replayed and read."""

import json
import re
import struct

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from akrig.journal.record import read_record
from tests.live.browsing import AXE, colours, serious, shown, slide
from tests.live.models import load_model

SLOW = 30_000  # milliseconds: torch may have to be loaded on a busy machine


@pytest.fixture(scope="module")
def served(run, serve):
    return serve(run)


@pytest.fixture
def page(browser, served):
    page = browser(served.url)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=SLOW)
    return page


def test_maps_appear_and_change_and_the_slider_replays(page: Page, run):
    record = read_record(run)
    assert page.locator(".panel").count() == 4
    finished = colours(page)
    assert len({pixel for _, pixel in finished}) > 50  # a map, not one flat colour
    slide(page, 0.0)
    expect(page.locator("#numbers")).to_contain_text("Readings0")
    slide(page, 0.5)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"map-\d+$"), timeout=SLOW)
    middle = shown(page)
    times = [m.time for epoch in record.epochs for m in epoch.measurements]
    half = max(times[-1], record.epochs[-1].used.time) / 2
    assert middle.readings == pytest.approx(sum(time <= half for time in times), abs=1)
    assert colours(page) != finished
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    expect(page.locator("html")).not_to_have_attribute("data-shown", middle.text)
    page.click("#now")
    expect(page.locator("#numbers")).to_contain_text(f"Readings{len(record.samples)}")
    expect(page.locator("#log li").first).to_contain_text("the mission is over")


def test_the_readout_is_the_models_prediction(page: Page, run):
    model = load_model(run)
    canvas = page.locator(".panel .place canvas").first
    with page.expect_response(lambda answer: "/at?" in answer.url, timeout=SLOW) as answer:
        canvas.hover()
    x, y = (float(re.search(rf"{name}=([-\d.]+)", answer.value.url).group(1)) for name in "xy")  # pyright: ignore
    expect(page.locator("#at-source")).to_contain_text("the model after", timeout=SLOW)
    expected = model.predict(np.array([[x, y]]))
    assert float(page.get_attribute("#at-value", "data-value") or "nan") == pytest.approx(expected.mean[0], rel=1e-6)
    assert float(page.get_attribute("#at-std", "data-value") or "nan") == pytest.approx(expected.std[0], rel=1e-6)
    said = page.inner_text("#at-value").replace("\u2212", "-").replace("\u202f", "").split()[0]
    assert float(said) == pytest.approx(expected.mean[0], rel=1e-3, abs=1e-3)
    assert "north" in page.inner_text("#at-place") or "south" in page.inner_text("#at-place")


def test_a_past_moment_is_read_from_its_map(page: Page, run):
    slide(page, 0.6)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"map-\d+$"), timeout=SLOW)
    page.locator(".panel .place canvas").first.hover()
    expect(page.locator("#at-source")).to_contain_text("the map after", timeout=SLOW)
    assert page.get_attribute("#at-value", "data-value")


def test_all_maps_move_together_and_layers_can_be_chosen(page: Page):
    before = [colours(page, k) for k in range(2)]
    page.locator(".panel .place canvas").first.hover(position={"x": 60, "y": 60})
    page.mouse.wheel(0, -600)
    page.wait_for_timeout(200)
    assert all(colours(page, k) != before[k] for k in range(2))
    page.click("#zoom-fit")
    page.click('[data-layer="lengthscale"]')
    assert page.locator(".panel").count() == 5
    expect(page.locator('.panel[data-layer="lengthscale"] .note')).to_be_hidden(timeout=SLOW)
    for layer in ("truth", "error", "std", "lengthscale"):
        page.click(f'#layers [data-layer="{layer}"]')
    assert page.locator(".panel").count() == 1
    page.click('#layers [data-layer="mean"]')
    assert page.locator(".panel").count() == 1  # one map stays


def test_everything_can_be_done_from_the_keyboard(page: Page):
    canvas = page.locator(".panel .place canvas").first
    canvas.focus()
    for key in ("ArrowLeft", "ArrowUp", "+", "Shift+ArrowLeft", "-", "0"):
        page.keyboard.press(key)
    expect(page.locator("#at-place")).not_to_have_text("Point at a map")
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.dataset.layer || ''"))
    assert {"theme", "play", "time", "speed", "now", "zoom-in", "log", "mean"} <= reached
    page.locator("#time").focus()
    page.keyboard.press("Home")
    expect(page.locator("#numbers")).to_contain_text("Readings0")


def test_reload_loses_nothing_and_two_browsers_agree(page: Page, browser, served):
    before = page.inner_text("#numbers"), page.inner_text("#log")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=SLOW)
    assert (page.inner_text("#numbers"), page.inner_text("#log")) == before
    other = browser(served.url)
    expect(other.locator("html")).to_have_attribute("data-shown", page.get_attribute("html", "data-shown"))
    assert (other.inner_text("#numbers"), other.inner_text("#log")) == before


def test_a_mission_without_a_boat_has_nothing_to_steer(page: Page):
    expect(page.locator("#controls")).to_be_hidden()
    expect(page.locator("#lock")).to_be_hidden()


@pytest.mark.skipif(not AXE.exists(), reason=f"{AXE} is missing: `make test` fetches it with npm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, served, scheme):
    page = browser(served.url, scheme=scheme)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=SLOW)
    assert serious(page) == []


def test_the_scale_of_a_map_names_its_units(page: Page):
    data = page.request.get(f"{page.url}map/model").body()
    (size,) = struct.unpack("<I", data[:4])
    assert "mean" in json.loads(data[4 : 4 + size])["layers"]
    scales = page.locator(".panel .scale").all_inner_texts()
    assert all(re.search(r"\d", scale) for scale in scales)
