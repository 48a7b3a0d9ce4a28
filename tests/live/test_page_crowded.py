"""The page in a browser while a crowd without the key takes up all there is."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.live.operating import attacked, free_port, running_survey

SLOW = 60_000  # milliseconds
RELOADS = 10


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    with running_survey(tmp_path_factory.mktemp("crowded") / "lake") as folder:
        yield folder


@pytest.fixture(scope="module")
def served(survey, serve):
    return serve(survey.path, "--ask-key")


@pytest.fixture
def patient(chromium):
    """Opens pages that may be refused something, which a browser notes as an error."""
    contexts = []

    def begin(url: str) -> Page:
        contexts.append(chromium.new_context())
        page = contexts[-1].new_page()
        page.goto(url)
        return page

    yield begin
    for context in contexts:
        context.close()


def give_order(page: Page) -> None:
    page.click('[data-order="hold"]')
    expect(page.locator("#orders li").first).to_have_attribute("data-state", "accepted", timeout=SLOW)


def be_crowded_out(page: Page) -> None:
    """Who came before the crowd has a place: leaves it to them, and comes again."""
    for _ in range(RELOADS):
        try:
            return expect(page.locator("#banner")).to_contain_text("Too many people watch", timeout=SLOW / RELOADS)
        except AssertionError:
            page.reload()
    raise AssertionError("There was always a place for one more.")


def test_the_key_opens_the_page_when_all_places_are_taken(patient, served):
    with attacked(served.port, "watcher"):
        page = patient(f"http://127.0.0.1:{served.port}/")
        be_crowded_out(page)
        page.fill("#key", served.key)
        page.press("#key", "Enter")
        expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
        expect(page.locator("#banner")).to_be_hidden(timeout=SLOW)
        give_order(page)


def test_under_a_flood_the_key_can_be_entered_and_orders_get_through(patient, served):
    with attacked(served.port, "flood", "flood_anew", "watcher"):
        page = patient(f"http://127.0.0.1:{served.port}/")
        expect(page.locator("#lock")).to_be_visible(timeout=SLOW)
        page.fill("#key", served.key)
        page.press("#key", "Enter")
        expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
        for _ in range(3):
            give_order(page)


def test_an_address_with_the_key_steers_at_once_and_forgets_it(browser, served):
    page = browser(f"http://127.0.0.1:{served.port}/#{served.key}")
    expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
    expect(page).to_have_url(re.compile(rf":{served.port}/$"))
    assert served.key not in page.evaluate("JSON.stringify(history.state) + location.href + document.body.innerText")
    give_order(page)


def test_when_akrig_was_started_anew_the_page_asks_for_the_new_key(patient, survey, serve):
    port = free_port()
    first = serve(survey.path, "--ask-key", "--port", str(port))
    page = patient(f"{first.url}#{first.key}")
    give_order(page)
    first.process.terminate()
    first.process.wait(60)
    second = serve(survey.path, "--ask-key", "--port", str(port))
    expect(page.locator("#lock")).to_be_visible(timeout=SLOW)
    page.fill("#key", second.key)
    page.press("#key", "Enter")
    expect(page.locator("#controls")).to_be_visible(timeout=SLOW)
    give_order(page)
