"""Missions, studies and surveys as a person watches them in a terminal."""
