"""The page in a browser, in the hands of a surveyor: contours, switches, ruler, profiles, shares, files, a chart."""

import itertools
import json
import math
import re
import struct

import numpy as np
import pytest
from contourpy import contour_generator
from playwright.sync_api import Page, expect

from akrig.config import read_settings
from akrig.config.vehicles import box
from akrig.live.maps import Map, interpolated
from akrig.survey.exports.contours import sensible_interval
from akrig.survey.settings import area_of
from tests.live.browsing import colours, settled
from tests.live.ponds import TARGET, listing, pond_survey
from tests.live.test_background import chart
from tests.survey.pond import LATITUDE, LONGITUDE

SLOW = 60_000  # milliseconds: torch may have to be loaded on a busy machine


@pytest.fixture(scope="module")
def pond(tmp_path_factory):
    return pond_survey(tmp_path_factory.mktemp("tools"))


@pytest.fixture(scope="module")
def area(pond):
    survey = read_settings(pond / "config.toml").survey
    assert survey is not None
    return area_of(survey)


@pytest.fixture(scope="module")
def workspace(pond):
    return box(read_settings(pond / "config.toml").workspace)


@pytest.fixture(scope="module")
def served(pond, serve):
    red = np.zeros((3, 64, 64), np.uint8)
    red[0] = 250
    drawn = chart(pond.parent / "chart.tif", red, origin=(LONGITUDE, LATITUDE), half=1000.0)
    return serve(pond, "--background", str(drawn))


@pytest.fixture(scope="module")
def page(chromium, served):
    """One page for all: each test leaves it as it was."""
    context = chromium.new_context(viewport={"width": 1366, "height": 768}, color_scheme="light")
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda line: troubles.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(served.url)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=2 * SLOW)
    yield page
    context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def layers(page) -> Map:
    """The map on show, as it is sent."""
    data = page.request.get(f"{page.url}map/model").body()
    (size,) = struct.unpack("<I", data[:4])
    about = json.loads(data[4 : 4 + size])
    shape = len(about["layers"]), about["rows"], about["columns"]
    floats = np.frombuffer(data[4 + size :], "<f4").reshape(shape)
    return Map(about["readings"], dict(zip(about["layers"], floats, strict=True)))


def switch(page: Page, mark: str, *, on: bool) -> None:
    page.click(".mapping summary")
    page.locator(f'[data-mark="{mark}"]').set_checked(on)
    page.keyboard.press("Escape")
    expect(page.locator(f'[data-mark="{mark}"]')).to_be_hidden()
    settled(page)


def place(page: Page) -> tuple[float, float]:
    """Metres at the crosshair, as the page says."""
    settled(page)
    words = page.inner_text("#at-place").replace("\u00a0", " ")
    found = re.fullmatch(r"([\d.]+) m (east|west), ([\d.]+) m (north|south)", words)
    assert found is not None, words
    return float(found[1]) * (1 if found[2] == "east" else -1), float(found[3]) * (1 if found[4] == "north" else -1)


def test_contours_are_drawn_and_labelled_and_can_be_switched_off(page: Page):
    panel = page.locator('.panel[data-layer="mean"]')
    expect(panel).to_have_attribute("data-labels", re.compile(r"^[3-9]|\d\d$"))
    drawn = colours(page)
    switch(page, "contours", on=False)
    expect(panel).to_have_attribute("data-labels", "0")
    assert colours(page) != drawn
    switch(page, "contours", on=True)
    expect(panel).not_to_have_attribute("data-labels", "0")


def test_lines_are_those_of_the_contours_file(page: Page, layers: Map):
    for low, high in ((0.2, 27.9), (5, 9.4), (-3, 1200), (1, 1.0001)):
        said = page.evaluate("([a, b]) => import('/page/contours.js').then(m => m.sensibleInterval(a, b))", [low, high])
        assert said == sensible_interval(low, high)
    mean = layers.layers["mean"].astype(np.float64)
    mean[10:14, 20:24] = np.nan
    told = np.where(np.isnan(mean), 1e30, mean).ravel().tolist()
    for level in (6.0, 7.5):
        found = page.evaluate(
            "([v, r, c, level]) => import('/page/contours.js').then(m => "
            "m.isolines(Float32Array.from(v, x => x > 1e29 ? NaN : x), r, c, level))",
            [told, *mean.shape, level],
        )
        expected = contour_generator(z=np.ma.masked_invalid(mean)).lines(level)
        assert len(found) == len(expected)
        assert sum(map(length, found)) == pytest.approx(sum(map(length, expected)), rel=1e-4)


def length(line) -> float:
    return float(np.linalg.norm(np.diff(np.asarray(line), axis=0), axis=1).sum())


def test_track_and_rejected_soundings_can_be_switched(page: Page):
    before = colours(page)
    switch(page, "track", on=False)
    without = colours(page)
    assert without != before
    switch(page, "rejected", on=True)
    assert colours(page) != without
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=SLOW)
    assert not page.locator('[data-mark="track"]').is_checked()  # remembered
    switch(page, "rejected", on=False)
    switch(page, "track", on=True)


def test_scales_have_ticks_at_round_numbers_in_their_place(page: Page, layers: Map):
    ticks = page.locator('.panel[data-layer="std"] .ticks span')
    shown = [float(text) for text in ticks.all_inner_texts()]
    assert 3 <= len(shown) <= 8
    steps = np.diff(shown)
    assert steps == pytest.approx(steps[0])
    top = np.nanpercentile(layers.layers["std"], 99)
    left = [float(style.strip("%")) for style in ticks.evaluate_all("all => all.map(t => t.style.left)")]
    assert left == pytest.approx([100 * value / top for value in shown], abs=0.5)


@pytest.mark.parametrize(("low", "high"), [(259, 950), (259, 1062), (0.2, 27.9), (-0.3, 0.4), (0, 6.4), (1.01, 1.09)])
@pytest.mark.parametrize("width", [90, 110, 150, 240])
def test_a_scale_has_at_least_two_ticks_and_they_do_not_overlap(page: Page, low, high, width):
    boxes = page.evaluate(
        """([low, high, width]) => import('/page/ticks.js').then(({ showTicks }) => {
             const panel = document.querySelector('.panel'), box = document.createElement('span');
             Object.assign(box, { className: 'ticks' }); box.style.width = `${width}px`; panel.append(box);
             showTicks(box, [low, high]);
             const boxes = [...box.children].map(e => e.getBoundingClientRect()).map(r => [r.left, r.right]);
             box.remove(); return boxes; })""",
        [low, high, width],
    )
    assert len(boxes) >= 2
    assert all(right + 2 < left for (_, right), (left, _) in itertools.pairwise(boxes))


def test_a_line_is_measured_and_cut_through_the_map(page: Page, layers: Map, workspace):
    canvas = page.locator(".panel .place canvas").first
    page.click("#measure")
    expect(page.locator("#profile-title")).to_contain_text("where the line begins")
    size = canvas.bounding_box()
    assert size is not None
    ends = []
    for share in ((0.35, 0.6), (0.6, 0.4)):
        canvas.click(position={"x": share[0] * size["width"], "y": share[1] * size["height"]})
        ends.append(place(page))
    (ax, ay), (bx, by) = ends
    bearing = math.degrees(math.atan2(bx - ax, by - ay)) % 360
    title = page.inner_text("#profile-title").replace("\u00a0", " ")
    found = re.search(r"([\d.]+) m, (\d{3})°", title)
    assert found is not None, title
    whole = math.dist(*ends)
    assert float(found[1]) == pytest.approx(whole, abs=0.2)
    assert float(found[2]) == pytest.approx(bearing, abs=1)
    page.locator("#profile canvas").hover(position={"x": 300, "y": 60})
    settled(page)
    words = page.inner_text("#profile-at").replace("\u00a0", " ")
    said = re.search(r"At ([\d.]+) m, predicted ([\d.]+) m ± ([\d.]+) m", words)
    assert said is not None, words
    share = float(said[1]) / whole
    x, y = ax + share * (bx - ax), ay + share * (by - ay)
    (west, south), (width, height) = workspace.lower, workspace.size
    there = interpolated(layers, (x - west) / width, (y - south) / height)
    assert float(said[2]) == pytest.approx(there["mean"], abs=0.05)
    assert float(said[3]) == pytest.approx(there["std"], rel=0.1)
    assert place(page) == pytest.approx((x, y), abs=1.0)  # the crosshair of the maps follows
    page.click("#measure")
    expect(page.locator("#profile")).to_be_hidden()


def test_a_press_on_the_map_never_measures_and_steers_at_once(page: Page, pond):
    before = listing(pond)
    page.click("#measure")
    page.locator(".panel .place canvas").first.click()
    page.keyboard.press("Escape")
    page.click("#measure")
    assert listing(pond) == before


def test_a_profile_along_the_track_has_every_reading(page: Page):
    page.click("#along")
    expect(page.locator("#profile-title")).to_contain_text("along the track")
    expect(page.locator("#profile canvas")).to_have_attribute("data-places", "80")
    words = page.inner_text("#profile-at")
    assert "dots: readings" in words.lower()
    assert "one std" in words
    page.click("#along")
    expect(page.locator("#profile")).to_be_hidden()


def test_the_share_of_the_area_within_a_target(page: Page, layers: Map, area, workspace):
    assert float(page.input_value("#target")) == TARGET
    std = layers.layers["std"]
    rows, columns = std.shape
    (west, south), (width, height) = workspace.lower, workspace.size
    x, y = np.meshgrid(np.linspace(west, west + width, columns), np.linspace(south, south + height, rows))
    inside = area.allows(np.column_stack([x.ravel(), y.ravel()])).reshape(std.shape)
    for target in (TARGET, float(np.median(std[inside])), 2 * float(std.max())):
        page.fill("#target", f"{target:.4f}")
        settled(page)
        said = float(page.get_attribute("#within-share", "data-value") or "nan")
        assert said == pytest.approx(float((std[inside] <= target).mean()), abs=0.02)  # borders may be seen otherwise
    assert page.inner_text("#within-share").replace("\u00a0", " ") == "100 %"
    page.fill("#target", str(TARGET))


def test_the_share_of_the_area_that_meets_an_order_of_survey(page: Page, layers: Map, area, workspace):
    mean, std = layers.layers["mean"], layers.layers["std"]
    rows, columns = std.shape
    (west, south), (width, height) = workspace.lower, workspace.size
    x, y = np.meshgrid(np.linspace(west, west + width, columns), np.linspace(south, south + height, rows))
    inside = area.allows(np.column_stack([x.ravel(), y.ravel()])).reshape(std.shape)
    limits = {"exclusive": (0.15, 0.0075), "special": (0.25, 0.0075), "1b": (0.5, 0.013), "2": (1.0, 0.023)}
    assert page.input_value("#order") == "1b"  # if the survey aims at none
    assert page.locator("#order option").count() == len(limits)
    for name, (a, b) in limits.items():
        page.select_option("#order", name)
        settled(page)
        met = 1.96 * std <= np.sqrt(a**2 + (b * mean) ** 2)
        said = float(page.get_attribute("#order-share", "data-value") or "nan")
        assert said == pytest.approx(float(met[inside].mean()), abs=0.02)  # borders may be seen otherwise
    page.select_option("#order", "1b")
    page.click("#standard summary")
    expect(page.locator("#standard-not")).to_contain_text("no certification")
    page.click("#standard summary")


def test_the_operators_chart_lies_under_the_maps(page: Page):
    reds = sum(pixel == (250, 0, 0) for _, pixel in colours(page))
    assert reds > 200  # around the fence
    switch(page, "background", on=False)
    assert not any(pixel == (250, 0, 0) for _, pixel in colours(page))
    switch(page, "background", on=True)


@pytest.mark.parametrize("name", ["map.tif", "soundings.csv"])
def test_files_can_be_taken_home(page: Page, pond, name):
    before = listing(pond)
    page.click("#downloads summary")
    with page.expect_download(timeout=2 * SLOW) as download:
        page.click(f'[data-file="{name}"]')
    assert download.value.suggested_filename == f"pond-{name}"
    assert download.value.path().stat().st_size > 1000
    page.keyboard.press("Escape")
    expect(page.locator("#download-list")).to_be_hidden()
    assert listing(pond) == before
