"""Missions in run folders: begun, killed, resumed, ended."""

from akrig.runs.run import News, Watcher, carry_out, create_run

__all__ = ["News", "Watcher", "carry_out", "create_run"]
