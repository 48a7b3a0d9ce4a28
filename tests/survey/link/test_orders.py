"""What an operator asks while the survey runs is done, or refused with a reason; every order is answered once."""

import pytest

from akrig.survey.link.orders import Order, OrderQueue
from tests.survey.link.rig import FRAME, ISLAND, Book, lake
from tests.survey.link.stage import Stage

AREA = lake(ISLAND)


class Office(Stage):
    """With a orders that takes orders."""

    def __init__(self, monkeypatch) -> None:
        super().__init__(monkeypatch, area=AREA)
        self.book = Book()
        self.orders = OrderQueue(self.book, AREA, self.state, self.guard, margin=5.0)

    def order(self, word, place=None, *, seconds: float = 2.0) -> tuple[bool, str] | None:
        """The answer, if there is one by then."""
        name = f"{word} {len(self.book.answers)}"
        self.book.orders.append(Order(name, word, place))
        for _ in range(round(seconds / 0.4)):
            self.run(0.4)
            self.orders.tick(1.0)
        return self.book.answers.get(name)


@pytest.fixture
def office(monkeypatch) -> Office:
    made = Office(monkeypatch)
    made.begin()
    return made


def degrees(x: float, y: float) -> tuple[float, float]:
    import numpy as np

    longitude, latitude = FRAME.to_degrees(np.array([[x, y]]))[0]
    return float(longitude), float(latitude)


def test_hold_is_answered_when_the_boat_holds(office):
    office.obeys = False
    assert office.order("hold") is None
    office.obeys = True
    assert office.order("hold", seconds=5) == (True, "the boat holds its place")
    assert office.mode == "LOITER"
    assert set(office.guard.pauses) == {"operator"}


def test_a_hold_that_is_not_confirmed_says_so(office):
    office.obeys = False
    assert office.order("hold", seconds=20) == (
        False,
        "not done yet, the boat is in GUIDED, armed (The operator holds the boat.)",
    )
    assert set(office.guard.pauses) == {"operator"}  # and is still wanted


def test_resume_goes_on_after_a_hold(office):
    office.order("hold")
    assert office.order("resume") is None  # the mission's thread engages
    assert office.guard.must_engage
    office.guard.note_requested_mode("GUIDED")
    office.mode = "GUIDED"
    for _ in range(5):
        office.run(0.4)
        office.orders.tick(1.0)
    assert office.book.answers["resume 1"] == (True, "it goes on")


def test_resume_without_a_position_counts_as_soon_as_there_is_one(office):
    office.order("hold")
    office.fix = 1
    office.run(1)
    accepted, text = office.order("resume")
    assert accepted
    assert text.startswith("it goes on as soon as it can: The position cannot be trusted (no GPS fix)")
    assert set(office.guard.pauses) == {"gps"}
    assert not office.guard.begin_engaging()
    office.fix = 3
    office.run(5)
    assert office.guard.is_clear
    assert office.guard.must_engage


def test_hold_does_not_take_the_boat_from_a_pilot(office):
    office.mode = "MANUAL"
    office.run(2)
    accepted, text = office.order("hold") or (False, "")
    assert (accepted, "somebody else steers" in text) == (True, True)
    assert office.link.orders == []
    office.mode = "GUIDED"
    office.run(2)
    assert set(office.guard.pauses) == {"operator"}


def test_return_ends_the_survey_and_lifts_what_waits_for_a_person(office):
    office.order("hold")
    assert office.order("return") == (True, "the boat comes home")
    assert office.guard.ending is not None
    assert office.guard.ending.course == "return"
    assert office.guard.pauses == {}


def test_return_without_a_position_says_that_it_must_wait(office):
    office.fix = 1
    office.run(5)
    accepted, text = office.order("return") or (False, "")
    assert accepted
    assert "as soon as it can: The position cannot be trusted" in text


def test_skip_counts(office):
    assert office.order("skip") == (True, "on to the next waypoint")
    assert office.orders.skips == 1


def test_goto_an_allowed_place(office):
    assert office.order("goto", degrees(60.0, 10.0)) == (True, "the boat goes there first")
    assert office.orders.detours == [pytest.approx((60.0, 10.0), abs=1e-3)]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (degrees(150.0, 0.0), "outside the fence"),
        (degrees(30.0, 0.0), "in a keep-out"),
        (degrees(97.0, 0.0), "nearer than 5 m"),
        ((0.0, 0.0), "outside the fence"),
        ((99.3, 0.0), "outside the fence"),
    ],
)
def test_goto_elsewhere_is_refused_with_the_reason(office, place, words):
    accepted, text = office.order("goto", place) or (True, "")
    assert (accepted, words in text) == (False, True)
    assert office.orders.detours == []
