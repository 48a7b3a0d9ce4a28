"""What a report says beside its figures: what happened on the water, and how to have the mission again."""

import shlex

from akrig.journal.record import Record
from akrig.parts import VEHICLES, find
from akrig.plots import page
from akrig.plots.formatting import counted, final_score, percent
from akrig.plots.summary import aimed_order, order_met
from akrig.s44 import NO_CERTIFICATE, ORDERS
from akrig.words import are, clock, joined

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


def standard(record: Record) -> list[str]:
    """What the map is by IHO S-44, in words, and what that is not; nothing for missions that are no surveys."""
    shares = {order: final_score(record, order.column) for order in ORDERS}
    met = {order: share for order, share in shares.items() if share is not None}
    if not met:
        return []
    others = joined([f"{each.label} on {percent(share)}" for each, share in met.items() if each != aimed_order(record)])
    return [
        page.paragraph(f"{' '.join(order_met(record))} That of {others}."),
        page.paragraph(NO_CERTIFICATE),
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


def how_to_repeat(record: Record) -> list[str]:
    """The command, and all settings, should the folder be lost."""
    config = record.path / "config.toml"
    settings = {name: value for name, value in record.settings.items() if name != "about"}
    about = record.settings.get("about", {})
    versions = {name: value for name, value in about.items() if name not in ("quantity", "units", "signature", "log")}
    as_file = [page.code(config.read_text(encoding="utf-8"))] if config.is_file() else []
    return [
        page.paragraph(
            "The run folder is all it takes; without it, save the settings below as config.toml, and name that file."
            if not _is_replay(record)
            else "The run folder is all it takes: it holds the readings, too."
        ),
        page.code(_command(record)),
        page.details("Settings", [page.settings_table(settings)] if settings else []),
        page.details("Settings as a file (config.toml)", as_file),
        page.details("Versions", [page.settings_table(versions)] if versions else []),
    ]


def _is_replay(record: Record) -> bool:
    return find(VEHICLES, str(record.settings.get("vehicle", {}).get("name"))).replays


def _command(record: Record) -> str:
    """What a person types to have the same mission again."""
    survey, config = record.settings.get("survey"), shlex.quote(str(record.path / "config.toml"))
    if _is_replay(record):
        return f"akrig replay {shlex.quote(str(record.path))} --out again"
    if survey is None:
        return f"akrig run {config} --out again"
    return f"akrig survey {config}{' --simulate' if survey.get('simulated') else ''} --out again"
