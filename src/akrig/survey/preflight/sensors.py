"""What the boat knows of itself: position, sonar, battery."""

import math

import numpy as np

from akrig.survey.link.watches import MOST_OF_IT
from akrig.survey.preflight.facts import Facts, Finding, set_parameter
from akrig.survey.preflight.failsafe import judge_action
from akrig.survey.start import outside_words

GOOD_HDOP = 2.0
DOWNWARDS = 25  # RNGFND1_ORIENT
A_FULL_CELL, A_LOW_CELL = 4.25, 3.5  # volts, lithium-ion


def check_position(facts: Facts) -> Finding:
    name = "position"
    seen = "" if facts.satellites is None else f", {facts.satellites} satellites"
    if facts.gps_trouble is not None or facts.place is None:
        why = facts.gps_trouble or "no position was sent"
        return Finding(name, "warning", f"The boat has no position it can trust ({why}{seen}).")
    if facts.hdop is not None and facts.hdop > GOOD_HDOP:
        return Finding(name, "warning", f"The position is coarse (HDOP {facts.hdop:.1f}{seen}); wait for a better one.")
    how = "" if facts.hdop is None else f" (HDOP {facts.hdop:.1f}{seen})"
    return Finding(name, "good", f"The position can be trusted{how}.")


def check_place(facts: Facts) -> Finding:
    name = "place"
    if facts.place is None:
        return Finding(name, "note", "Not known yet whether the boat is in the area.")
    clearance = float(facts.area.clearance(np.array([facts.place]))[0])
    if clearance < 0:
        sentence = outside_words(facts.area, facts.place, -clearance)
        return Finding(name, "danger", f"{sentence}: bring it inside, or check the polygon.")
    margin = facts.survey.safety.margin
    if clearance < margin:
        sentence = f"The boat is {clearance:.1f} m from a border, nearer than safety.margin ({margin:g} m)."
        return Finding(name, "warning", f"{sentence} It leaves by the nearest way.")
    return Finding(name, "good", f"The boat is in {facts.area.called}, {clearance:.0f} m from the nearest border.")


def check_sonar(facts: Facts) -> Finding:
    name, sounding = "sonar", facts.sounding
    if sounding is None:
        sentence = f"No sounding came: the survey would come home after {facts.survey.safety.silence:g} s."
        return Finding(name, "warning", sentence)
    if sounding.reason is not None:
        return Finding(name, "warning", f"It is heard, but its soundings are refused: {sounding.reason}.")
    return Finding(name, "good", f"The water is {sounding.depth:.2f} m deep here.")


def check_rangefinder(facts: Facts) -> Finding | None:
    """Only where nothing usable comes: the sonar may speak for itself."""
    if facts.rangefinder is None or facts.sounding is not None:
        return None
    name, look = "RNGFND1_TYPE", facts.parameters.get("RNGFND1_ORIENT", DOWNWARDS)
    if facts.rangefinder == 0:
        sentence = "The autopilot has no sonar. Ping: 23, NMEA: 17, MAVLink: 10; then restart the boat."
        return Finding(name, "warning", sentence, "0", (set_parameter(name, 23), set_parameter("RNGFND1_ORIENT", 25)))
    if look != DOWNWARDS:
        name, sentence = "RNGFND1_ORIENT", "The sonar does not look down: its distances are no depths."
        return Finding(name, "warning", sentence, f"{look:g}", (set_parameter(name, DOWNWARDS),))
    return None


def check_range(facts: Facts) -> Finding | None:
    found = facts.named("RNGFND1_MAX", "RNGFND1_MAX_CM")
    if not facts.rangefinder or found is None:
        return None
    name, value = found
    unit = 1.0 if name == "RNGFND1_MAX" else 100.0
    deepest = facts.survey.depth.deepest
    if value / unit >= deepest:
        return Finding(name, "good", f"The sonar may see down to {value / unit:g} m.", f"{value:g}")
    sentence = f"What is deeper than {value / unit:g} m is refused; depth.deepest is {deepest:g} m."
    remedy = (set_parameter(name, deepest * unit), f"or, in the mission file: depth.deepest = {value / unit:g}")
    return Finding(name, "warning", sentence, f"{value:g}", remedy)


def check_battery(facts: Facts) -> Finding:
    name, limit = "battery", facts.survey.safety.battery
    said = [f"{facts.battery:.0%}"] if facts.battery is not None else []
    said += [f"{facts.voltage:.1f} V"] if facts.voltage else []
    has, low = " and ".join(said), facts.low_voltage
    if not said:
        return Finding(name, "warning", "The boat tells nothing of its battery: akrig cannot bring it home in time.")
    if low is not None and facts.voltage and facts.voltage < low:
        doubt = "; both cannot be right" if facts.battery is not None and facts.battery > MOST_OF_IT else ""
        return Finding(name, "danger", f"{has}{doubt}: below {low:g} V the survey comes home at once.")
    if facts.battery is not None and facts.battery < limit:
        return Finding(name, "danger", f"{has}: below {limit:.0%} (safety.battery) the survey comes home at once.")
    if facts.battery is None:
        return Finding(name, "note", f"{has}; the boat does not tell what share is left.")
    return Finding(name, "good", f"{has}.")


def check_battery_monitor(facts: Facts) -> Finding | None:
    name = "BATT_MONITOR"
    if facts.parameters.get(name) != 0:
        return None
    sentence = "The boat does not measure its battery. 4: volts and amperes; 3: volts only; then restart the boat."
    return Finding(name, "warning", sentence, "0", (set_parameter(name, 4),))


def check_low_voltage(facts: Facts) -> Finding | None:
    name = "BATT_LOW_VOLT"
    limit = facts.parameters.get(name)
    if limit is None or facts.parameters.get("BATT_MONITOR") == 0:
        return None
    if limit > 0:
        return Finding(name, "good", f"Below {limit:g} V, the boat acts by itself.", f"{limit:g}")
    if facts.low_voltage is not None:
        return Finding(name, "note", f"Only akrig acts on low voltage, below {facts.low_voltage:g} V.", "0")
    sentence = "Nothing acts on low voltage; and a percentage counts from full at every start, however empty it is."
    if not facts.voltage:
        return Finding(name, "warning", sentence, "0")
    cells = math.ceil(facts.voltage / A_FULL_CELL)
    return Finding(
        name, "warning", f"{sentence} For {cells} lithium-ion cells:", "0", (set_parameter(name, A_LOW_CELL * cells),)
    )


def check_battery_action(facts: Facts) -> Finding | None:
    if not facts.parameters.get("BATT_LOW_VOLT"):
        return None
    return judge_action(facts, "BATT_FS_LOW_ACT", when="At low voltage", nothing="note")
