"""The run folder and the journal in it: what happened, on disk before it is acted on, and how it reads."""

from akrig.journal.events import Journal, read_journal
from akrig.journal.folder import RunFolder
from akrig.journal.legs import read_legs
from akrig.journal.record import Record, read_record

__all__ = ["Journal", "Record", "RunFolder", "read_journal", "read_legs", "read_record"]
