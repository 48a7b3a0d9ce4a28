"""Thousands of bad inputs for every command that reads something: each is one sentence, soon, and changes nothing."""
