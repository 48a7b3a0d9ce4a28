"""The fence on board: a second one beside akrig's own, which may help or hinder."""

import numpy as np

from akrig.survey.preflight.facts import Facts, Finding, set_parameter
from akrig.survey.preflight.failsafe import judge_action

CIRCLE, POLYGON = 2, 4  # bits of FENCE_TYPE
USE_FENCE = 1  # a bit of AVOID_ENABLE


def is_on(facts: Facts) -> bool:
    return facts.parameters.get("FENCE_ENABLE", 0) != 0


def check_fence_enabled(facts: Facts) -> Finding | None:
    name = "FENCE_ENABLE"
    enabled = facts.parameters.get(name)
    if enabled is None:
        return None
    if not enabled:
        return Finding(name, "note", "No fence on board: only akrig watches the border.", "0")
    if int(facts.parameters.get("FENCE_TYPE", POLYGON)) & POLYGON and facts.parameters.get("FENCE_TOTAL") == 0:
        return Finding(name, "warning", "The fence on board has no polygon yet; upload it.", f"{enabled:g}")
    return Finding(name, "good", "There is a second fence, on board.", f"{enabled:g}")


def check_circle(facts: Facts) -> Finding | None:
    """ArduPilot's own choice is a polygon and a circle about its home."""
    kind, radius = facts.parameters.get("FENCE_TYPE"), facts.parameters.get("FENCE_RADIUS")
    if not is_on(facts) or kind is None or radius is None or facts.place is None or not int(kind) & CIRCLE:
        return None
    furthest = float(np.hypot(*(facts.area.fence - np.array(facts.place)).T).max())
    if furthest < radius:
        return None
    sentence = f"A circle of {radius:g} m about the boat's home counts, too, but the area reaches {furthest:.0f} m."
    return Finding("FENCE_TYPE", "warning", sentence, f"{kind:g}", (set_parameter("FENCE_TYPE", POLYGON),))


def check_fence_action(facts: Facts) -> Finding | None:
    if not is_on(facts):
        return None
    return judge_action(facts, "FENCE_ACTION", when="Beyond the fence on board", nothing="note")


def check_avoidance(facts: Facts) -> Finding | None:
    name = "AVOID_ENABLE"
    enabled = facts.parameters.get(name)
    if not is_on(facts) or enabled is None:
        return None
    if not int(enabled) & USE_FENCE:
        return Finding(name, "good", "The boat does not steer by the fence on board.", f"{enabled:g}")
    sentence = "Near the fence on board, the boat steers against akrig: it goes to and fro, and may be pushed outside."
    return Finding(name, "warning", sentence, f"{enabled:g}", (set_parameter(name, int(enabled) & ~USE_FENCE),))


def check_fence_margin(facts: Facts) -> Finding | None:
    name = "FENCE_MARGIN"
    margin, ours = facts.parameters.get(name), facts.survey.safety.margin
    avoids = int(facts.parameters.get("AVOID_ENABLE", 0)) & USE_FENCE
    if not is_on(facts) or not avoids or margin is None or margin < ours:
        return None
    sentence = f"The boat keeps {margin:g} m from the fence on board, but akrig plans up to {ours:g} m (safety.margin)."
    return Finding(name, "warning", sentence, f"{margin:g}", (set_parameter(name, max(1, ours // 2)),))
