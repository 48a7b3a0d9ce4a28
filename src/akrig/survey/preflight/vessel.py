"""What the boat is, and whether it is ready: firmware, frame, arming, the way it drives."""

from akrig.survey.preflight.facts import Facts, Finding, set_parameter

OLDEST = (4, 5, 0)
BOAT = 2  # FRAME_CLASS
ON_THE_WATER = ("surface boat", "ground rover", "generic")
ALL = 1  # a bit of ARMING_CHECK
FASTER = 1.5  # times the survey's speed


def check_firmware(facts: Facts) -> Finding:
    name = "firmware"
    if facts.is_ardupilot and facts.vehicle not in (None, *ON_THE_WATER):
        sentence = f"This is no boat ({facts.vehicle}): akrig's orders would mean other things to it."
        return Finding(name, "danger", sentence)
    if not facts.is_ardupilot:
        sentence = "This is no ArduPilot: akrig cannot tell what it does when the link is lost; try that first."
        return Finding(name, "note", sentence)
    if not facts.parameters:
        sentence = "The boat told none of its parameters: what it does when the link is lost is not known."
        return Finding(name, "warning", sentence)
    if facts.version is None:
        return Finding(name, "note", "The boat did not tell its version.")
    if facts.version < OLDEST:
        return Finding(
            name,
            "warning",
            f"{facts.firmware.capitalize()} is older than what akrig was tried with; take 4.7 or newer.",
        )
    if not facts.knows_loiter:
        sentence = f"{facts.firmware}; only since 4.7 can it keep its place when the link is lost."
        return Finding(name, "note", sentence)
    return Finding(name, "good", f"{facts.firmware}.")


def check_frame(facts: Facts) -> Finding | None:
    name = "FRAME_CLASS"
    frame = facts.parameters.get(name)
    if frame is None:
        return None
    if frame == BOAT:
        return Finding(name, "good", "A boat: it keeps its place when it has arrived.", f"{frame:g}")
    sentence = "Not set up as a boat: when it has arrived, it stops its motors and drifts."
    return Finding(name, "warning", sentence, f"{frame:g}", (set_parameter(name, BOAT),))


def check_arming(facts: Facts) -> Finding:
    name = "arming"
    if facts.armed and facts.mode != "GUIDED":
        sentence = f"The boat is armed, in {facts.mode}: `akrig survey` takes it from whoever steers."
        return Finding(name, "warning", sentence)
    if facts.armed:
        return Finding(name, "good", f"The boat is armed, in {facts.mode}.")
    if facts.objections:
        return Finding(name, "warning", f"It cannot be armed yet: {'; '.join(facts.objections)}.")
    if facts.can_be_armed is False:
        return Finding(name, "warning", "It cannot be armed yet, and does not say why.")
    if facts.can_be_armed is None:
        return Finding(name, "note", f"Disarmed, in {facts.mode}; it does not say whether it can be armed.")
    return Finding(name, "good", f"Disarmed, in {facts.mode}; it can be armed.")


def check_arming_checks(facts: Facts) -> Finding | None:
    found = facts.named("ARMING_SKIPCHK", "ARMING_CHECK")
    if found is None:
        return None
    name, value = found
    complete, wanted = (value == 0, 0) if name == "ARMING_SKIPCHK" else (bool(int(value) & ALL), ALL)
    if complete:
        return Finding(name, "good", "The boat checks everything before it arms.", f"{value:g}")
    sentence = "The boat leaves out checks before it arms: it may start with a compass or GPS that is not ready."
    return Finding(name, "warning", sentence, f"{value:g}", (set_parameter(name, wanted),))


def check_waypoint_radius(facts: Facts) -> Finding | None:
    name = "WP_RADIUS"
    radius, ours = facts.parameters.get(name), facts.survey.safety.goal_radius
    if radius is None:
        return None
    if radius <= ours:
        return Finding(name, "good", "Not larger than safety.goal_radius.", f"{radius:g}")
    sentence = f"The boat may stop {radius:g} m from a waypoint, before it counts as reached (safety.goal_radius)."
    return Finding(name, "warning", sentence, f"{radius:g}", (set_parameter(name, ours),))


def check_speed(facts: Facts) -> Finding | None:
    name = "WP_SPEED"
    speed = facts.parameters.get(name)
    if speed is None:
        return None
    if speed <= FASTER * facts.speed:
        return Finding(name, "good", f"The survey asks for {facts.speed:g} m/s.", f"{speed:g}")
    sentence = f"On its own ways the boat goes {speed:g} m/s; the survey asks for {facts.speed:g} m/s (vehicle.speed)."
    return Finding(name, "warning", sentence, f"{speed:g}", (set_parameter(name, facts.speed),))
