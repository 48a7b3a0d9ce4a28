"""Missions in run folders: begun, killed, resumed, ended."""

from akrig.runs.run import MissionProgress, MissionWatcher, create_run, run_mission

__all__ = ["MissionProgress", "MissionWatcher", "create_run", "run_mission"]
