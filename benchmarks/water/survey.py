"""One survey with the faults of its seed, and what the autopilot's own truth says of it."""

import shutil
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from benchmarks.water.faults import Fault, carry_out, drawn_faults
from benchmarks.water.soundings import kept_soundings, summary
from benchmarks.water.voyage import OutOfTime, Voyage
from tests.ardupilot.autopilot import HULLS
from tests.ardupilot.trial import A_LASTING_HOLD, AT_HOME, DRIFT, trial

SPEEDUP = 3.0
DISTANCE = 400.0
MOST_ROUNDS = 2  # of `akrig resume` after a survey that ended early in a hold
STRONGEST_BACKGROUND = 0.15  # metres per second, towards anywhere: what is adrift moves

Row = dict[str, Any]


def surveyed(seed: int, out: Path) -> Row:
    """Everything about one survey; its folder stays in `out`."""
    rng = default_rng([14, seed])
    hull, faults = HULLS[seed % len(HULLS)], drawn_faults(seed, rng, distance=DISTANCE)
    background = float(rng.uniform(0, STRONGEST_BACKGROUND)), float(rng.uniform(0, 360))
    folder = out / f"survey-{seed:02d}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begin = time.monotonic()
    row: Row = {"seed": seed, "hull": hull, "faults": [str(fault) for fault in faults], "background": background[0]}
    try:
        with trial(folder, hull=hull, speedup=SPEEDUP, distance=DISTANCE) as found:
            voyage = Voyage(found, background=background)
            try:
                row |= _sailed(voyage, faults)
            finally:
                voyage.kill()
                found.boat.truth.write(folder / "truth.jsonl")
    except Exception:  # one survey that cannot even be watched must not end the others
        row |= {"ended": "the benchmark itself failed", "error": traceback.format_exc()}
    return {**row, "seconds": time.monotonic() - begin}


def _sailed(voyage: Voyage, faults: list[Fault]) -> Row:
    found, done = voyage.trial, []
    in_time = True
    voyage.flow(*voyage.background)
    voyage.begin()
    try:
        for fault in faults:
            if not voyage.carry_on(metres=fault.metres):
                break
            done.append(str(fault))
            carry_out(fault, voyage)
        voyage.carry_on()
        for _ in range(MOST_ROUNDS):
            if not (found.ended or "").startswith("holds"):
                break
            voyage.resume()  # whatever it was, it has been seen to
            voyage.carry_on()
    except OutOfTime:
        in_time = False
    finally:
        voyage.boat.line.restore()
        voyage.kill()
    return {"done": done, "in_time": in_time, **_judged(voyage)}


def _judged(voyage: Voyage) -> Row:
    found, truth = voyage.trial, voyage.boat.truth
    clearance, away = _nearest(voyage), truth.distance_to(found.home)
    begin, place = truth.now, truth.latest.place
    voyage.boat.hurry(A_LASTING_HOLD)
    return {
        "ended": found.ended or "did not end",
        "clearance": clearance,
        "from_home": away,
        "at_home": away < AT_HOME,
        "drift": float(np.hypot(*np.subtract(truth.latest.place, place))),
        "holds": truth.distance_to(place) < DRIFT,
        "clearance_afterwards": float(truth.clearances(begin).min()),
        "soundings": summary(kept_soundings(voyage)),
        "grew": voyage.grew,
        "resumes": voyage.resumes,
        "helps": voyage.helps,
        "traceback": "Traceback" in found.terminal,
        "notices": found.notices,
    }


def _nearest(voyage: Voyage) -> float:
    """Metres to the nearest border, by the truth, while akrig had the boat."""
    truth, nearest, begin = voyage.boat.truth, np.inf, 0
    for taken, back in [*voyage.others, (truth.now, None)]:
        nearest = min(nearest, float(truth.clearances(begin, taken).min()) if taken > begin else np.inf)
        begin = truth.now if back is None else back
    return float(nearest)


def is_well(row: Row) -> bool:
    """Never outside, not adrift at the end, nothing lost, every `resume` worked."""
    if "error" in row:
        return False
    return (
        row["in_time"]
        and row["clearance"] > 0
        and row["clearance_afterwards"] > 0
        and row["holds"]
        and row["soundings"]["lost"] <= 0
        and row["grew"]
        and not any(row["resumes"])
        and not row["traceback"]
    )
