"""What the boat does when akrig is lost: the parameters of its failsafe, as ArduPilot's Rover acts on them."""

from akrig.survey.preflight.facts import Facts, Finding, Standing, set_parameter

# What a boat does by itself, by the numbers that FS_ACTION, BATT_FS_LOW_ACT and FENCE_ACTION share.
NOTHING, STRAIGHT_HOME, MOTORS_OFF, LOITER = 0, 1, 2, 6
WORDS = {
    STRAIGHT_HOME: "goes straight home (RTL), through keep-outs and over land",
    MOTORS_OFF: "stops its motors and drifts (Hold)",
    3: "goes home along its own track or, if it cannot, straight through keep-outs and over land",
    4: "goes home along its own track or, if it cannot, stops its motors and drifts",
    5: "disarms and drifts",
}
DEFAULT_TIMEOUT = 5.0  # of FS_GCS_TIMEOUT, where the firmware has no such parameter
QUICKEST, SLOWEST = 4.0, 20.0  # seconds of silence after which a boat should act
LOST = "If the link breaks or akrig stops"


def best_action(facts: Facts) -> int:
    """To keep the place, where the firmware can; else straight home, where that is clear; else motors off."""
    return LOITER if facts.knows_loiter else STRAIGHT_HOME if facts.has_straight_ways else MOTORS_OFF


def judge_action(facts: Facts, name: str, *, when: str, nothing: Standing) -> Finding | None:
    """Args:
    when: it happens, the beginning of a sentence.
    nothing: how it stands with a boat that does nothing then.
    """
    action = facts.parameters.get(name)
    if action is None:
        return None
    does, standing = _course(facts, int(action), nothing)
    best = best_action(facts)
    # Motors off is better than to drive on, but nothing to be advised where akrig or its failsafe acts as well.
    is_better = action != best and (best != MOTORS_OFF or standing == "danger")
    remedy = (set_parameter(name, best),) if is_better and standing in ("warning", "danger") else ()
    return Finding(name, standing, f"{when}, the boat {does}.", f"{action:g}", remedy)


def _course(facts: Facts, action: int, nothing: Standing) -> tuple[str, Standing]:
    if action == LOITER and facts.knows_loiter:
        return "keeps its place (Loiter)", "good"
    if action == LOITER:
        does = f"does nothing: only since 4.7 does Rover know Loiter here, and this is {facts.firmware}"
        return does, "danger" if nothing == "danger" else "warning"
    if action == STRAIGHT_HOME and facts.has_straight_ways:
        return "goes straight home (RTL)", "good"
    return (WORDS[action], "warning") if action in WORDS else ("does nothing by itself", nothing)


def check_failsafe_enabled(facts: Facts) -> Finding | None:
    name = "FS_GCS_ENABLE"
    enabled = facts.parameters.get(name)
    if enabled is None:
        return Finding(name, "warning", f"Not known. {LOST}, the boat may drive on.") if facts.is_ardupilot else None
    if enabled == 0:
        sentence = f"{LOST}, the boat drives on to its waypoint, and nothing watches over it."
        return Finding(name, "danger", sentence, "0", (set_parameter(name, 1),))
    return Finding(name, "good", "The boat notices when akrig falls silent.", f"{enabled:g}")


def check_failsafe_action(facts: Facts) -> Finding | None:
    return judge_action(facts, "FS_ACTION", when=LOST, nothing="danger")


def check_timeout(facts: Facts) -> Finding | None:
    name = "FS_TIMEOUT"
    last = facts.parameters.get(name)
    if last is None:
        return None
    first = facts.parameters.get("FS_GCS_TIMEOUT", DEFAULT_TIMEOUT)
    whole, value, remedy = first + last, f"{last:g}", (set_parameter("FS_GCS_TIMEOUT", 5), set_parameter(name, 5))
    sentence = f"The boat acts after {whole:g} s of silence (FS_GCS_TIMEOUT {first:g} + FS_TIMEOUT {last:g})"
    if whole > SLOWEST:
        return Finding(name, "warning", f"{sentence}: it drives on until then.", value, remedy)
    if whole < QUICKEST:
        return Finding(name, "warning", f"{sentence}: any short gap stops the survey.", value, remedy)
    return Finding(name, "good", f"{sentence}.", value)


def check_station(facts: Facts) -> Finding | None:
    """Whose heartbeat the boat waits for."""
    found = facts.named("MAV_GCS_SYSID", "SYSID_MYGCS")
    if found is None:
        return None
    name, awaited = found
    if facts.station in awaited_stations(facts):
        return Finding(name, "good", "The boat waits for akrig's heartbeat.", f"{awaited:g}")
    sentence = f"The boat waits for ground station {awaited:g}, not for akrig ({facts.station}): it would not notice "
    remedy = (set_parameter(name, facts.station), f"or, in the mission file: link.id = {awaited:g}")
    return Finding(name, "danger", f"{sentence}that akrig is lost.", f"{awaited:g}", remedy)


def awaited_stations(facts: Facts) -> range:
    """Ids of the ground stations whose heartbeat counts for the boat: one, or since 4.8 perhaps several."""
    first = facts.named("MAV_GCS_SYSID", "SYSID_MYGCS")
    lowest = facts.station if first is None else int(first[1])
    return range(lowest, max(lowest, int(facts.parameters.get("MAV_GCS_SYSID_HI", 0))) + 1)


def check_stations(facts: Facts) -> Finding:
    name = "ground stations"
    masks = [station for station in facts.stations if station in awaited_stations(facts)]
    others = ", ".join(map(str, sorted(facts.stations)))
    if masks:
        sentence = (
            f"Ground station {masks[0]} is on the line and counts as akrig does: while it is heard, the boat does not "
            "notice that akrig has stopped. Give it another id."
        )
        return Finding(name, "warning", sentence)
    if others:
        return Finding(name, "note", f"Also on the line: {others}. It may take over at any time.")
    return Finding(name, "good", "No other was heard.")
