"""What a boat does by itself, by the numbers that FS_ACTION, BATT_FS_LOW_ACT and FENCE_ACTION share."""

from akrig.survey.preflight.facts import Facts
from akrig.survey.preflight.finding import Finding, Standing, set_parameter

NOTHING, STRAIGHT_HOME, MOTORS_OFF, LOITER = 0, 1, 2, 6
WORDS = {
    STRAIGHT_HOME: "goes straight home (RTL), through keep-outs and over land",
    MOTORS_OFF: "stops its motors and drifts (Hold)",
    3: "goes home along its own track or, if it cannot, straight through keep-outs and over land",
    4: "goes home along its own track or, if it cannot, stops its motors and drifts",
    5: "disarms and drifts",
}


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
