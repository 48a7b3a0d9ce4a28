"""What a mission came to, in sentences."""

from collections.abc import Sequence

from akrig.journal.record import Record
from akrig.plots.panel import num_pilot
from akrig.plots.wording import (
    amount,
    area,
    duration,
    field_range,
    final_score,
    kernel_words,
    length,
    percent,
    plural,
    used_distance,
    used_time,
)

_COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}


def headline(records: Sequence[Record]) -> str:
    """What was mapped, and with what."""
    fields = list(dict.fromkeys(record.field_name for record in records))
    kernels = list(dict.fromkeys(kernel_words(record.kernel_name) for record in records))
    if len(fields) > 1:
        return f"{_COUNTS.get(len(records), str(len(records)))} missions over {_listed(fields)}"
    field = fields[0][:1].upper() + fields[0][1:]
    what = f"{field}: {records[0].quantity}" if records[0].quantity else field
    return f"{what} mapped with {_listed(kernels) if len(kernels) <= 3 else f'{len(kernels)} kernels'}"


def notice(record: Record) -> str | None:
    """What a reader must know first: that this is not a whole mission."""
    after = plural(len(record.samples), "reading")
    if record.ended is None:
        return f"This mission has not ended. What follows is how things stood after {after}."
    if record.ended != "budget":
        return f"This mission ended before its budget was spent ({record.ended}), after {after}."
    return None


def summary(record: Record) -> str:
    """A paragraph for someone who has never heard of kriging."""
    if not len(record.samples):
        return "No reading has been recorded yet."
    return " ".join([_survey(record), *_quality(record)])


def comparison(records: Sequence[Record]) -> str:
    """The best and the worst of several missions over one field."""
    survey = f"{_COUNTS.get(len(records), str(len(records)))} missions mapped the same {area(records[0])}."
    scored = [(error, record) for record in records if (error := final_score(record, "rmse")) is not None]
    if len(scored) < 2:
        return f"{survey} Their errors cannot be compared: the truth is not known, or not yet scored."
    (least, best), (most, worst) = min(scored, key=lambda pair: pair[0]), max(scored, key=lambda pair: pair[0])
    units = best.units
    sentences = [
        survey,
        f"The smallest typical error (RMSE), {amount(least, units)}{_share_of_range(best, least)}, is that of "
        f"\u201c{best.title}\u201d after {plural(len(best.samples), 'reading')}; the largest, {amount(most, units)}, "
        f"that of \u201c{worst.title}\u201d after {plural(len(worst.samples), 'reading')}.",
    ]
    covered = [share for record in records if (share := final_score(record, "coverage95")) is not None]
    if covered:
        low, high = percent(min(covered)), percent(max(covered))
        span = f"{low} to {high}" if low != high else low
        sentences.append(f"Of the truth, {span} lies inside the maps' 95 % intervals.")
    return " ".join(sentences)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _survey(record: Record) -> str:
    taken = f"The vehicle took {plural(len(record.samples), 'reading')}"
    if used_distance(record) > 0:
        taken += f" along {length(used_distance(record))}"
    if used_time(record) > 0:
        taken += f" in {duration(used_time(record))}"
    pilot = num_pilot(record)
    if 0 < pilot < len(record.samples):
        taken += f", the first {pilot} of them as a pilot survey"
    kernel, quantity = kernel_words(record.kernel_name), record.quantity or "field"
    return f"{taken}. From these, {kernel} predicts the {quantity} everywhere {_over(record)} {area(record)}."


def _over(record: Record) -> str:
    return "along" if record.workspace.dim == 1 else "in"


def _quality(record: Record) -> list[str]:
    rmse, covered, follows = (final_score(record, name) for name in ("rmse", "coverage95", "correlation"))
    sentences = []
    if rmse is not None:
        error = amount(rmse, record.units)
        sentences.append(f"The typical error (RMSE) is {error}{_share_of_range(record, rmse)}.")
    else:
        sentences.append(_without_truth(record))
    if covered is not None:
        sentences.append(f"Of the truth, {percent(covered)} lies inside the map's 95 % intervals: {_verdict(covered)}.")
    if follows is not None:
        sentences.append(f"{_pointing(follows)} (correlation {follows:.2f}).")
    return sentences


def _share_of_range(record: Record, error: float) -> str:
    reach = field_range(record)
    return "" if reach is None else f", {percent(error / reach)} of the field's range of {amount(reach, record.units)}"


def _without_truth(record: Record) -> str:
    doubt = final_score(record, "uncertainty")
    unknown = "How far off it is cannot be said, since the truth is not known or not yet scored"
    if doubt is None:
        return f"{unknown}."
    return f"{unknown}; the map itself expects a standard deviation of {amount(doubt, record.units)} on average."


def _verdict(covered: float) -> str:
    if covered < 0.93:
        return "the map is surer of itself than it should be"
    return "the map is a little too cautious" if covered > 0.97 else "its uncertainty can be taken at its word"


def _pointing(correlation: float) -> str:
    if correlation >= 0.5:
        return "Errors are larger where the map is unsure"
    how = "shows only in part" if correlation >= 0.2 else "hardly shows"
    return f"Uncertainty {how} where the errors are"
