"""The page on a phone, a small tablet and a laptop: nothing overlaps or is cut, maps are large."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.live.browsing import AXE, colours, serious
from tests.live.ponds import pond_survey

SIZES = {
    "small phone": (360, 740),
    "phone": (390, 844),
    "tablet": (768, 1024),
    "tablet held sideways": (1024, 768),
    "laptop": (1366, 768),
}
SLOW = 120_000  # milliseconds


@pytest.fixture(scope="module")
def page(chromium, serve, tmp_path_factory):
    served = serve(pond_survey(tmp_path_factory.mktemp("sizes")))
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(served.url)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=SLOW)
    yield page
    context.close()


def at(page: Page, size: str) -> Page:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    count = 1 if width <= 600 else 2
    expect(page.locator(".panel")).to_have_count(count)
    return page


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen(page: Page, size):
    at(page, size)
    page.click("#along")
    width = SIZES[size][0]
    beyond = page.evaluate(
        "() => [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('.hidden') &&"
        " e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '#' + e.id + '.' + e.className)"
    )
    scrolled = page.evaluate("document.documentElement.scrollWidth")
    page.click("#along")
    assert (beyond, scrolled) == ([], width)


@pytest.mark.parametrize("size", SIZES)
def test_signs_of_the_boat_do_not_overprint(page: Page, size):
    at(page, size)
    overlaps = page.evaluate(
        """() => {
          const parts = [...document.querySelectorAll('.sign span, .sign b')].filter(e => e.checkVisibility());
          const boxes = parts.map(e => { const r = document.createRange(); r.selectNodeContents(e);
                                         return [e.textContent, r.getBoundingClientRect()]; });
          return boxes.flatMap(([a, p], k) => boxes.slice(k + 1).filter(([, q]) =>
            p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 3 && q.top < p.bottom - 3)
            .map(([b]) => [a, b]));
        }"""
    )
    assert overlaps == []
    assert page.locator(".sign b:visible").count() == 5


@pytest.mark.parametrize("size", SIZES)
def test_maps_are_large(page: Page, size):
    at(page, size)
    width, height = SIZES[size]
    for canvas in page.locator(".panel .place canvas").all():
        box = canvas.bounding_box()
        assert box is not None
        assert box["height"] >= 240
        if width < 860:
            assert box["width"] > 0.9 * width
            assert box["height"] < 0.75 * height  # there is something to scroll by


def test_a_phone_shows_one_map_at_a_time(page: Page):
    at(page, "phone")
    page.tap('#layers [data-layer="std"]')
    expect(page.locator(".panel")).to_have_attribute("data-layer", "std")
    assert page.locator('#layers [aria-pressed="true"]').count() == 1
    page.tap('#layers [data-layer="mean"]')
    expect(page.locator(".panel")).to_have_attribute("data-layer", "mean")


def test_fingers_point_scroll_and_zoom(page: Page):
    at(page, "phone")
    canvas = page.locator(".panel .place canvas")
    canvas.scroll_into_view_if_needed()
    canvas.tap()
    expect(page.locator("#at-place")).not_to_have_text("Point at a map")
    expect(canvas).to_have_css("touch-action", "pan-y")  # one finger scrolls the page
    before = colours(page)
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    for kind, apart in (("touchStart", 40), ("touchMove", 70), ("touchMove", 110)):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(canvas).to_have_css("touch-action", "none")  # and now moves the map
    assert colours(page) != before
    page.tap("#zoom-fit")
    expect(canvas).to_have_css("touch-action", "pan-y")


@pytest.mark.parametrize("size", SIZES)
def test_fingers_find_the_buttons(page: Page, size):
    """At least 40 pixels high where there are fingers; 34 for a mouse."""
    at(page, size)
    least = 40 if SIZES[size][0] <= 860 else 34
    boxes = page.evaluate(
        "() => [...document.querySelectorAll('button, summary, select')].filter(e => e.checkVisibility())"
        ".map(e => [e.id || e.textContent, e.getBoundingClientRect().height])"
    )
    assert [box for box in boxes if box[1] < least] == []


@pytest.mark.skipif(not AXE.exists(), reason=f"{AXE} is missing: `make test` fetches it with npm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "tablet", "laptop"])
def test_it_is_accessible_at_every_size(page: Page, size, scheme):
    at(page, size)
    page.emulate_media(color_scheme=scheme)
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    page.click("#along")
    page.click(".mapping summary")
    expect(page.locator("#switches")).to_be_visible()
    found = serious(page)
    page.keyboard.press("Escape")
    page.click("#downloads summary")
    found += serious(page)
    page.keyboard.press("Escape")
    page.click("#along")
    assert found == []
