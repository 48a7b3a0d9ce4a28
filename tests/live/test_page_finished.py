"""The page of a survey that is finished, after eight days: what it says about time, link and scores."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from akrig.journal.events import to_line
from akrig.survey.folders import create_survey
from akrig.survey.settings import load_survey
from akrig.words import clock
from tests.live.browsing import settled, slide

LAKE = Path(__file__).parents[2] / "examples" / "lake.toml"
SLOW = 30_000  # milliseconds
END = 718129.64  # seconds
ERRORS = {END / 2: 3.25, END: 1.75}  # metres, by time


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("finished") / "lake"
    folder = create_survey(load_survey(LAKE, {}, simulate=True), path)
    events: list[dict] = [{"event": "mission", "format": 1, "akrig": "0"}]
    for index, time in enumerate(ERRORS):
        place = [10.0 * index, 5.0]
        events += [
            {"event": "plan", "waypoints": [place]},
            {"event": "sounding", "time": time, "unix": 1.8e9 + time, "position": place, "raw": 9.0, "value": 9.0},
            {"event": "measurement", "time": time, "position": place, "value": 9.0},
            {"event": "epoch", "index": index, "loss": 0.0, "position": place, "heading": 1.0, "readings": index + 1,
             "distance": 100.0, "time": time, "vehicle": {}},
        ]  # fmt: skip
    events.append({"event": "end", "reason": "budget"})
    folder.journal.write_text("".join(to_line(event) for event in events))
    folder.scores.write_text(
        "epoch,samples,distance,time,loss,uncertainty,rmse\n"
        + "".join(f"{k},{k + 1},100,{time!r},0,2.5,{error}\n" for k, (time, error) in enumerate(ERRORS.items()))
    )
    state = {"x": 1.0, "y": 2.0, "heading": 1.0, "speed": 0.0, "mode": "HOLD", "armed": False, "battery": 0.15,
             "voltage": 15.0, "fix": 3, "satellites": 14, "hdop": 0.8, "depth": 9.0, "link": 0.4,
             "waiting": []}  # fmt: skip
    times = [1.0, END / 2, END, END + 80]  # the boat is heard while the map is made
    folder.telemetry.write_text("".join(json.dumps({"time": t, "unix": 1.8e9 + t, **state}) + "\n" for t in times))
    return path


@pytest.fixture(scope="module")
def served(survey, serve):
    return serve(survey)


@pytest.fixture
def page(browser, served) -> Page:
    page = browser(served.url)
    expect(page.locator("#state-text")).to_have_text("Finished", timeout=SLOW)
    return page


def sign(page: Page, name: str):
    return page.locator(".sign", has=page.get_by_text(name, exact=True))


def test_a_finished_survey_says_so_and_alarms_nobody(page: Page):
    expect(sign(page, "Link")).to_contain_text("closed")
    expect(sign(page, "Link")).to_contain_text("the survey is finished")
    for name in ("Boat", "Battery", "Link", "GPS", "Sonar"):
        expect(sign(page, name)).to_have_attribute("data-level", "none")
    slide(page, 0.5)
    expect(sign(page, "Link")).to_contain_text("heard 0.4 s ago")  # as it was then
    expect(sign(page, "Battery")).to_have_attribute("data-level", "alarm")


def test_the_last_scores_are_shown_however_long_it_took(page: Page):
    expect(page.locator("#numbers")).to_contain_text("1.75")
    slide(page, 0.6)
    expect(page.locator("#numbers")).to_contain_text("3.25")


def test_long_times_leave_room_for_what_stands_beside_them(page: Page):
    for width in (360, 390, 601, 820, 861, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        settled(page)
        boxes = page.evaluate(
            """() => [...document.querySelectorAll('footer > *')].filter(e => e.checkVisibility()).map(e => {
                 const r = document.createRange(); r.selectNodeContents(e);
                 const [inner, outer] = [r.getBoundingClientRect(), e.getBoundingClientRect()];
                 return [e.id, Math.min(inner.left || outer.left, outer.left), outer.top,
                         Math.max(inner.right, outer.right), outer.bottom]; })"""
        )
        assert boxes
        for k, (name, left, top, right, bottom) in enumerate(boxes):
            assert 0 <= left < right <= width, (width, name)
            for other, left2, top2, right2, bottom2 in boxes[k + 1 :]:
                apart = right + 6 <= left2 or right2 + 6 <= left or bottom <= top2 or bottom2 <= top
                assert apart, (width, name, other)


def test_long_times_stay_in_their_card(page: Page):
    edges = (
        "e => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect().right; }"
    )
    for width in (360, 820, 1024, 1180, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        settled(page)
        card = page.locator("section:has(> #numbers)").bounding_box()
        assert card is not None
        rights = [item.evaluate(edges) for item in page.locator("#numbers dd").all()]
        assert max(rights) <= card["x"] + card["width"] - 10, width


def test_a_window_without_room_for_a_map_is_no_error(page: Page):
    for width, height in ((601, 800), (1000, 200), (1440, 120), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)


def test_long_times_are_told_in_days_everywhere(page: Page):
    said = clock(END).replace(" ", "\u00a0")
    assert said == "8\u00a0d\u00a007:28:49"
    expect(page.locator("#numbers")).to_contain_text(said)
    expect(page.locator("#clock")).to_contain_text(said)
    expect(page.locator("#log li time").first).to_have_text(said)
