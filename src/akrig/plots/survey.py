"""What a survey's report says beside the map: what happened on the water, and what became of the soundings."""

from akrig.journal.record import Record
from akrig.plots import page
from akrig.plots.formatting import counted, percent
from akrig.words import are, clock

MOST = 200  # notices; a survey with more has a story that no page should tell


def happenings(record: Record) -> list[str]:
    """Nothing for missions that are no surveys."""
    if "survey" not in record.settings:
        return []
    rows = [(clock(event.get("time", 0.0)), _words(event)) for event in record.notices[:MOST]]
    left_out = len(record.notices) - len(rows)
    return [
        page.paragraph(_soundings(record)),
        page.events_table(rows) if rows else "",
        page.paragraph(f"{counted(left_out, 'more notice')} {are(left_out)} in the journal.") if left_out else "",
    ]


def _soundings(record: Record) -> str:
    heard = record.soundings.total()
    if not heard:
        return "No sounding was heard."
    rejected = {reason: count for reason, count in record.soundings.items() if reason != "accepted"}
    share = percent(1 - sum(rejected.values()) / heard)
    reasons = "; ".join(f"{reason} ({count})" for reason, count in sorted(rejected.items(), key=lambda pair: -pair[1]))
    used = f"the model was given {len(record.samples)} of them, the others lie close by"
    heard_of = f"{counted(heard, 'sounding')} {'was' if heard == 1 else 'were'} heard and {share} accepted"
    return f"{heard_of}; {used}." + (f" Rejected: {reasons}." if rejected else "")


def _words(event: dict) -> str:
    if event["event"] == "command":
        return f"Order: {event['command']}. {'Done' if event['accepted'] else 'Refused'}: {event['answer']}."
    return event["message"]
