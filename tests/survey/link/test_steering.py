"""Arriving, and getting on."""

from akrig.survey.link.steering import Leg


def leg(radius: float = 2.0) -> Leg:
    return Leg((100.0, 0.0), radius, patience=60.0)


def test_arrives_within_its_radius():
    assert not leg().has_arrived((97.9, 0.0), 0)
    assert leg().has_arrived((98.1, 0.0), 0)


def test_believes_the_boat_if_it_is_nearly_there():
    made = leg(radius=0.5)
    assert not made.has_arrived((97.0, 0.0), 7)  # an earlier arrival
    assert made.has_arrived((97.0, 0.0), 8)  # Rover has a radius of its own, 2 m
    made = leg()
    made.has_arrived((0.0, 0.0), 7)
    assert not made.has_arrived((50.0, 0.0), 8)  # that was another target


def test_is_stuck_when_it_does_not_come_nearer():
    made = leg()
    for second in range(50):
        made.has_arrived((float(second), 0.0), 0)
        assert not made.is_stuck(second)
    for second in range(50, 109):
        made.has_arrived((49.5, 0.0), 0)
        assert not made.is_stuck(second)
    assert made.is_stuck(111)


def test_waiting_is_not_being_stuck():
    made = leg()
    made.has_arrived((0.0, 0.0), 0)
    made.is_stuck(0)
    made.wait()
    assert not made.is_stuck(1000)
    assert made.is_stuck(1061)
