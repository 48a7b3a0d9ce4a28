"""What the survey needs of this computer: the water level's file, and room on the disk."""

from akrig.survey.preflight.facts import Facts, Finding

ENOUGH = 500_000_000  # bytes


def check_water_level(facts: Facts) -> Finding | None:
    if facts.survey.depth.water_level is None:
        return None
    if facts.level_trouble is not None:
        return Finding("water level", "danger", facts.level_trouble)
    return Finding("water level", "good", "Its file covers the time of the survey.")


def check_disk(facts: Facts) -> Finding | None:
    if facts.room is None:
        return None
    megabytes = facts.room / 1e6
    if facts.room < ENOUGH:
        sentence = f"Only {megabytes:.0f} MB are left where the run is written; when it is full, the survey ends."
        return Finding("disk", "warning", sentence)
    return Finding("disk", "good", f"{megabytes / 1000:.0f} GB are left where the run is written.")
