"""What a mission came to, in sentences."""

from collections.abc import Sequence

import numpy as np

from akrig.journal.record import Record
from akrig.parts import REFERENCE
from akrig.plots.formatting import (
    amount,
    area,
    counted,
    duration,
    field_range,
    final_score,
    learner_words,
    length,
    percent,
    used_distance,
    used_time,
)
from akrig.plots.panel import num_pilot
from akrig.s44 import BY_NAME, EDITION, USUAL_ORDER, SurveyOrder
from akrig.words import capital, joined, span

TOO_FEW_FORETOLD = 0.88  # of readings: fewer, and a map's uncertainty must not be relied on
TIE = 0.02  # of a number: two that differ by less are told apart by nothing but chance
TIE_OF_CORRELATIONS = 0.03
ONE_EACH = "This is one mission each, and chance moves such numbers: a study with many seeds tells more."
GOOD_ENDS = ("budget", "target")
_PLACES = {1: "line", 2: "area"}
_COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}


def headline(records: Sequence[Record]) -> str:
    """What was mapped, and with what."""
    fields = list(dict.fromkeys(record.field_name for record in records))
    kernels = list(dict.fromkeys(learner_words(record) for record in records))
    if len(fields) > 1:
        return f"{_COUNTS.get(len(records), str(len(records)))} missions over {joined(fields)}"
    field = fields[0] if "." in fields[0] else capital(fields[0])  # a file's name stays as it is
    what = f"{field}: {records[0].quantity}" if records[0].quantity else field
    return f"{what} mapped with {joined(kernels) if len(kernels) <= 3 else f'{len(kernels)} kernels'}"


def warning(record: Record) -> str | None:
    """What a reader must know first: that this is not a whole mission."""
    after = counted(len(record.samples), "reading")
    if record.ended is None:
        return f"This mission has not ended. What follows is how things stood after {after}."
    if record.ended not in GOOD_ENDS:
        return f"This mission ended before its budget was spent ({record.ended}), after {after}."
    return None


def summary(record: Record) -> str:
    """A paragraph for someone who has never heard of kriging."""
    if not len(record.samples):
        return "No reading has been recorded yet."
    return " ".join([_survey(record), *_quality(record)])


def comparison(records: Sequence[Record]) -> str:
    """What several missions over one field say about each other; a tie is called one."""
    place = f"{_PLACES.get(records[0].workspace.dim, 'volume')} of {area(records[0])}"
    survey = f"{_COUNTS.get(len(records), str(len(records)))} missions mapped the same {place}."
    scored = [(error, record) for record in records if (error := final_score(record, "rmse")) is not None]
    if len(scored) < 2:
        return f"{survey} Their errors cannot be compared: the truth is not known, or not yet scored."
    if len(records) == 2 and learner_words(records[0]) != learner_words(records[1]):
        return " ".join([survey, *_duel(*sorted(records, key=lambda record: record.kernel_name != REFERENCE))])
    return " ".join([survey, _errors(scored), *_covered(records)])


def _duel(ours: Record, other: Record) -> list[str]:
    """What the first does better, then where they are alike, then what it does worse."""
    name, rival = learner_words(ours), learner_words(other)
    compared = [words for words in (_distances(ours, other), _correlations(ours, other), _rmses(ours, other)) if words]
    better, alike, worse = ([words for standing, words in compared if standing == sign] for sign in (1, 0, -1))
    begin = f"Compared with {rival}, {name}"
    sentences = [f"{begin} {joined(better)}."] if better else []
    sentences += alike
    if worse:
        sentences.append(f"{f'But {name}' if better else begin} {joined(worse)}.")
    return [*sentences, *_covered([ours, other]), ONE_EACH]


def _standing(ours: float, other: float, *, goal: str, tie: float) -> int:
    """1 if ours is better by more than `tie`, -1 if it is worse by more, else 0."""
    gain = (other - ours) if goal == "low" else (ours - other)
    return 0 if abs(gain) <= tie else (1 if gain > 0 else -1)


def _distances(ours: Record, other: Record) -> tuple[int, str] | None:
    """For as many readings; of missions with other budgets nothing is said, and a replay has not travelled."""
    if any(record.settings.get("vehicle", {}).get("name") == "replay" for record in (ours, other)):
        same = np.array_equal(ours.samples.X, other.samples.X)
        return (0, "Both learnt from the same readings.") if same else None
    near, far = used_distance(ours), used_distance(other)
    if min(near, far) <= 0 or abs(len(ours.samples) - len(other.samples)) > TIE * len(other.samples):
        return None
    standing = _standing(near, far, goal="low", tie=TIE * far)
    if standing == 0:
        return 0, f"Both travelled about as far ({length(near)} and {length(far)})."
    word = "less" if standing > 0 else "farther"
    share = percent(abs(near - far) / far)
    readings = counted(len(ours.samples), "reading")
    return standing, f"travelled {share} {word} for its {readings} ({length(near)} against {length(far)})"


def _correlations(ours: Record, other: Record) -> tuple[int, str] | None:
    mine, theirs = (final_score(record, "correlation") for record in (ours, other))
    if mine is None or theirs is None:
        return None
    standing = _standing(mine, theirs, goal="high", tie=TIE_OF_CORRELATIONS)
    if standing == 0:
        return 0, f"Uncertainty follows the error alike in both (correlation {mine:.2f} and {theirs:.2f})."
    word = "knows better" if standing > 0 else "knows less well"
    return standing, f"{word} where it is wrong (correlation of error and uncertainty {mine:.2f} against {theirs:.2f})"


def _rmses(ours: Record, other: Record) -> tuple[int, str] | None:
    mine, theirs = (final_score(record, "rmse") for record in (ours, other))
    if mine is None or theirs is None:
        return None
    shown = [amount(value, record.units) for value, record in ((mine, ours), (theirs, other))]
    standing = _standing(mine, theirs, goal="low", tie=TIE * min(mine, theirs))
    if standing == 0:
        return 0, f"In typical error (RMSE) they tie: {shown[0]} and {shown[1]}{_share_of_range(ours, mine)}."
    word = "smaller" if standing > 0 else "larger"
    return standing, f"has the {word} typical error (RMSE {shown[0]} against {shown[1]})"


def _errors(scored: Sequence[tuple[float, Record]]) -> str:
    (least, best), (most, worst) = min(scored, key=lambda pair: pair[0]), max(scored, key=lambda pair: pair[0])
    units = best.units
    if most - least <= TIE * least:
        return f"In typical error (RMSE) they tie: {span(amount(least, units), amount(most, units))}."
    return (
        f"The smallest typical error (RMSE), {amount(least, units)}{_share_of_range(best, least)}, is that of "
        f"\u201c{best.title}\u201d after {counted(len(best.samples), 'reading')}; the largest, {amount(most, units)}, "
        f"that of \u201c{worst.title}\u201d after {counted(len(worst.samples), 'reading')}."
    )


def _covered(records: Sequence[Record]) -> list[str]:
    shares = [share for record in records if (share := final_score(record, "coverage95")) is not None]
    if not shares:
        return []
    inside = span(percent(min(shares)), percent(max(shares)))
    return [f"Of the truth, {inside} lies inside the maps' 95 % intervals."]


def _survey(record: Record) -> str:
    vehicle, sensor, own_pilot = (record.own_label(part) for part in ("vehicle", "sensor", "pilot"))
    taken = f"The vehicle {vehicle} took" if vehicle else "The vehicle took"
    taken += f" {counted(len(record.samples), 'reading')}{f' with the sensor {sensor}' if sensor else ''}"
    if used_distance(record) > 0:
        taken += f" along {length(used_distance(record))}"
    if used_time(record) > 0:
        taken += f" in {duration(used_time(record))}"
    pilot = num_pilot(record)
    if record.is_all_pilot:
        taken += ", all of them as a pilot survey: the budget left nothing to plan"
    elif 0 < pilot < len(record.samples):
        taken += f", the first {pilot} of them as a pilot survey{f' ({own_pilot})' if own_pilot else ''}"
    learner, quantity = learner_words(record), record.quantity or "field"
    over = {1: "along", 2: "in an area of"}.get(record.workspace.dim, "in a volume of")
    return f"{taken}. From these, {learner} predicts the {quantity} everywhere {over} {area(record)}."


def _quality(record: Record) -> list[str]:
    rmse, covered, follows = (final_score(record, name) for name in ("rmse", "coverage95", "correlation"))
    sentences = []
    if rmse is not None:
        error = amount(rmse, record.units)
        sentences.append(f"The typical error (RMSE) is {error}{_share_of_range(record, rmse)}.")
    else:
        sentences += [_without_truth(record), *_foretold(record)]
    if covered is not None:
        sentences.append(f"Of the truth, {percent(covered)} lies inside the map's 95 % intervals: {_verdict(covered)}.")
    if follows is not None:
        sentences.append(f"{_pointing(follows)} (correlation {follows:.2f}).")
    return [*sentences, *order_met(record)]


def aimed_order(record: Record) -> SurveyOrder:
    """The order of survey that a report speaks of first: what was aimed at, if anything was."""
    aim = record.settings.get("survey", {}).get("target", {}).get("order")
    return BY_NAME.get(aim, BY_NAME[USUAL_ORDER])


def order_met(record: Record) -> list[str]:
    """Nothing for maps that are not of depths."""
    order = aimed_order(record)
    share = final_score(record, order.column)
    if share is None:
        return []
    return [f"The vertical uncertainty of {order.label} ({EDITION}) is met on {percent(share)} of the area."]


def _share_of_range(record: Record, error: float) -> str:
    reach = field_range(record)
    return "" if reach is None else f", {percent(error / reach)} of the field's range of {amount(reach, record.units)}"


def _without_truth(record: Record) -> str:
    doubt = final_score(record, "uncertainty")
    unknown = "How far off it is cannot be said, since the truth is not known or not yet scored"
    if doubt is None:
        return f"{unknown}."
    return f"{unknown}; the map itself expects a standard deviation of {amount(doubt, record.units)} on average."


def _foretold(record: Record) -> list[str]:
    """How far a map can be trusted whose truth nobody knows: by readings that it did not know yet."""
    share = final_score(record, "foretold")
    if share is None:
        return []
    told = (
        f"Of the latest readings, {percent(share)} lay inside the 95 % interval that the map gave before it knew them"
    )
    if share < TOO_FEW_FORETOLD:
        return [
            f"{told}: it is surer of itself than it should be. Do not rely on its uncertainty; survey closer lines."
        ]
    return [f"{told}: its uncertainty can be relied on."]


def _verdict(covered: float) -> str:
    covered = round(covered, 2)  # as it is shown: of one number there is one verdict
    if covered < 0.93:
        return "the map is surer of itself than it should be"
    return "the map is a little too cautious" if covered > 0.97 else "its uncertainty can be taken at its word"


def _pointing(correlation: float) -> str:
    if correlation >= 0.5:
        return "Errors are larger where the map is unsure"
    how = "shows only in part" if correlation >= 0.2 else "hardly shows"
    return f"Uncertainty {how} where the errors are"
