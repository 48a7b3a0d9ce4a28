"""What goes wrong in a survey on the water, drawn at random and done to it; each is over, or lasts, when it returns."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from benchmarks.water.voyage import Voyage

PILOT_MODES = ("MANUAL", "RTL", "LOITER", "HOLD")
LOW_VOLTS, LOW_PERCENT = 10.4, 15.0
NEAR = 3.0  # metres to a border, or outside: a pilot would see to it
HOMEWARD = 120.0  # boat seconds for a pilot to bring the boat back


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Args:
        metres: when the boat has gone so far.
        numbers: what it was drawn with, as `carry_out` understands it.
    """

    kind: str
    metres: float
    numbers: dict[str, Any]

    def __str__(self) -> str:
        details = ", ".join(
            f"{value:.3g}" if isinstance(value, float) else str(value) for value in self.numbers.values()
        )
        return f"{self.kind} ({details})" if details else self.kind


def carry_out(fault: Fault, voyage: Voyage) -> None:
    FAULTS[fault.kind].do(voyage, **fault.numbers)


def drawn_faults(seed: int, rng: Generator, *, distance: float) -> list[Fault]:
    """One to three, in the order they come, none twice in one survey; seed by seed, every kind has its turn."""
    kinds = list(FAULTS)
    turn = kinds[seed % len(kinds)]
    others = rng.choice([kind for kind in kinds if kind != turn], size=rng.integers(0, 3), replace=False)
    drawn = rng.permutation([turn, *others])
    metres = sorted(rng.uniform(0.03, 0.75, size=len(drawn)) * distance)
    return [Fault(str(kind), float(at), FAULTS[str(kind)].draw(rng)) for kind, at in zip(drawn, metres, strict=True)]


# -- the line ------------------------------------------------------------------------------------------------------


def _stall(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.line.stalled = True
    _wait_and_restore(voyage, seconds)


def _close(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.line.cut()
    _wait_and_restore(voyage, seconds)


def _lose_up(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.line.loses_up = True
    _wait_and_restore(voyage, seconds)


def _lose_down(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.line.loses_down = True
    _wait_and_restore(voyage, seconds)


def _wait_and_restore(voyage: Voyage, seconds: float) -> None:
    voyage.boat.let_pass(seconds)
    voyage.boat.line.restore()


# -- akrig itself --------------------------------------------------------------------------------------------------


def _kill(voyage: Voyage, *, seconds: float) -> None:
    voyage.end_with(signal.SIGKILL)
    voyage.boat.let_pass(seconds)
    voyage.resume()


def _interrupt(voyage: Voyage, *, seconds: float) -> None:
    voyage.end_with(signal.SIGINT)
    voyage.boat.let_pass(seconds)
    voyage.resume()


def _fall_asleep(voyage: Voyage, *, seconds: float) -> None:
    """As a computer whose lid is closed."""
    with voyage.asleep():
        voyage.boat.let_pass(seconds)


# -- people --------------------------------------------------------------------------------------------------------


def _take(voyage: Voyage, *, mode: str, seconds: float, back: str) -> None:
    with voyage.in_other_hands():
        voyage.boat.pilot.change_mode(mode)
        voyage.boat.let_pass(seconds)
    if back == "GUIDED":
        voyage.boat.pilot.change_mode("GUIDED")
    else:
        voyage.tell_resume()


def _disarm(voyage: Voyage, *, seconds: float) -> None:
    with voyage.in_other_hands():
        voyage.boat.pilot.disarm()
        voyage.boat.let_pass(seconds)
    voyage.tell_resume()


# -- the boat and the water ----------------------------------------------------------------------------------------


def _lose_gps(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.pilot.set(SIM_GPS1_ENABLE=0)
    voyage.boat.let_pass(seconds)
    voyage.boat.pilot.set(SIM_GPS1_ENABLE=1)


def _flow(voyage: Voyage, *, speed: float, towards: float, seconds: float) -> None:
    with voyage.current(speed, towards):
        voyage.boat.let_pass(seconds)


def _sweep_away(voyage: Voyage, *, speed: float, towards: float, seconds: float) -> None:
    """A current beyond the boat's power; if it is outside afterwards, a pilot brings it back."""
    with voyage.in_other_hands():
        with voyage.current(speed, towards):
            voyage.boat.let_pass(seconds)
        voyage.boat.let_pass(10)
        is_away = voyage.boat.truth.clearances(-1).min() < NEAR
        if is_away:
            voyage.boat.pilot.change_mode("RTL")
            voyage.await_home(HOMEWARD)
    if is_away:
        voyage.tell_resume()


def _lower_volts(voyage: Voyage, *, own_failsafe: int) -> None:
    voyage.boat.pilot.set(BATT_FS_LOW_ACT=own_failsafe, SIM_BATT_VOLTAGE=LOW_VOLTS)


def _empty_battery(voyage: Voyage) -> None:
    voyage.boat.pilot.empty_battery_to(LOW_PERCENT)


def _restart(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.switch_off()
    voyage.pause(seconds)
    voyage.boat.switch_on()
    voyage.boat.await_ready()
    voyage.tell_resume()


def _silence_sonar(voyage: Voyage, *, seconds: float) -> None:
    voyage.boat.sonar.is_silent = True
    voyage.boat.let_pass(seconds)
    voyage.boat.sonar.is_silent = False


@dataclass(frozen=True)
class Kind:
    """Args:
    do: makes it go wrong.
    draw: with what.
    """

    do: Callable[..., None]
    draw: Callable[[Generator], dict[str, Any]]


def _lasting(shortest: float, longest: float) -> Callable[[Generator], dict[str, Any]]:
    """Boat seconds."""
    return lambda rng: {"seconds": float(rng.uniform(shortest, longest))}


def _currents(slowest: float, fastest: float, *, seconds: tuple[float, float]) -> Callable[[Generator], dict[str, Any]]:
    return lambda rng: {
        "speed": float(rng.uniform(slowest, fastest)),
        "towards": float(rng.uniform(0, 360)),
        "seconds": float(rng.uniform(*seconds)),
    }


FAULTS: dict[str, Kind] = {
    "link stalled": Kind(_stall, _lasting(4, 60)),
    "link closed": Kind(_close, _lasting(4, 60)),
    "link lost upwards": Kind(_lose_up, _lasting(4, 45)),
    "link lost downwards": Kind(_lose_down, _lasting(4, 45)),
    "kill -9": Kind(_kill, _lasting(0, 60)),
    "Ctrl-C": Kind(_interrupt, _lasting(0, 60)),
    "asleep": Kind(_fall_asleep, _lasting(4, 60)),
    "pilot": Kind(
        _take,
        lambda rng: {
            "mode": str(rng.choice(PILOT_MODES)),
            "seconds": float(rng.uniform(4, 20)),
            "back": str(rng.choice(["GUIDED", "resume"])),
        },
    ),
    "disarmed": Kind(_disarm, _lasting(4, 20)),
    "GPS off": Kind(_lose_gps, _lasting(6, 20)),
    "current": Kind(_flow, _currents(0.3, 1.0, seconds=(30, 90))),
    "current beyond its power": Kind(_sweep_away, _currents(8, 12, seconds=(5, 10))),
    "low volts": Kind(_lower_volts, lambda rng: {"own_failsafe": int(rng.choice([0, 2]))}),
    "low per cent": Kind(_empty_battery, lambda rng: {}),
    "boat restarted": Kind(_restart, _lasting(3, 30)),
    "sonar off": Kind(_silence_sonar, _lasting(5, 25)),
}
