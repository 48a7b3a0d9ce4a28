"""The page of a mission that is planned to its end: the route, and what is expected of it."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from akrig.config import load_settings
from akrig.runs import create_run, run_mission
from tests.live.browsing import AXE, colours, serious, settled, slide
from tests.live.conftest import SMALL

SLOW = 120_000  # milliseconds
OPTIONS = {"num_cells": 60, "effort": 20}
CHOSEN = {"strategy": {"name": "route", "options": OPTIONS}, "pilot": {"name": "none"}, "budget": 120}


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    folder = create_run(load_settings(None, {**SMALL, **CHOSEN}), tmp_path_factory.mktemp("route") / "run")
    run_mission(folder)
    return folder


@pytest.fixture(scope="module")
def served(planned, serve):
    return serve(planned.path)


@pytest.fixture(params=["light", "dark"])
def page(browser, served, request) -> Page:
    page = opened(browser, served, scheme=request.param)
    slide(page, 0.4)
    return page


def opened(browser, served, scheme="light") -> Page:
    """With the map by the model, so that no process is just beginning when the page's is ended."""
    page = browser(served.url, scheme=scheme)
    expect(page.locator("html")).to_have_attribute("data-shown", re.compile(r"model-\d+$"), timeout=SLOW)
    return page


def test_the_sentence_is_that_of_the_journal(page: Page, planned):
    events = [json.loads(line) for line in planned.journal.read_text().splitlines()]
    errors = {f"{event['foresight']['route']['error']:.3g}" for event in events if event.get("foresight")}
    told = page.locator("#numbers .route dd")
    expect(told).to_contain_text("expected error")
    found = re.search(r"expected error ([\d.]+)", told.inner_text())
    assert found is not None
    assert any(np.isclose(float(found.group(1)), float(error), rtol=1e-2) for error in errors)


def test_before_the_first_reading_it_is_a_share(page: Page):
    slide(page, 0.0)
    expect(page.locator("#numbers .route dd")).to_contain_text("% of what is not known")


def test_route_and_lawnmower_can_be_switched(page: Page):
    page.locator(".mapping summary").click()
    for mark in ("route", "lawnmower"):
        pictures = []
        for on in (True, False):
            page.locator(f'[data-mark="{mark}"]').set_checked(on)
            settled(page)
            pictures.append(colours(page))
        assert pictures[0] != pictures[1]


@pytest.mark.skipif(not AXE.exists(), reason="axe is not here")
def test_it_is_accessible(page: Page):
    assert serious(page) == []


def test_at_the_end_nothing_is_planned(page: Page):
    slide(page, 1.0)
    expect(page.locator("#numbers .route")).to_have_count(0)


def test_other_missions_offer_nothing_of_it(browser, run, serve):
    page = opened(browser, serve(run))
    expect(page.locator('[data-mark="track"]')).to_have_count(1)
    expect(page.locator('[data-mark="route"]')).to_have_count(0)
    slide(page, 0.5)
    expect(page.locator("#numbers .route")).to_have_count(0)
