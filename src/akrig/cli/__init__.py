"""The command line. Light commands import nothing heavy: each command imports what it needs when it runs."""

from akrig.cli import boat, demo, export, fields, map, report, run, study, survey, view
from akrig.cli.main import main

for module in (run, map, report, export, view, survey, boat, fields, study, demo):
    for command in module.COMMANDS:
        main.add_command(command)

__all__ = ["main"]
