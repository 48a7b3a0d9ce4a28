"""This paper: its studies' reports, its published numbers, and ours beside them.

A report is a function `write(study, results, folder)`, as a user's own is, and `akrig.study` knows it by its name only.
The studies themselves are TOML files in the repository's `studies/`.
"""
