"""The mission page: a run folder as a local web page, while a mission runs and after it. It only reads the folder.

Orders to a boat go through the folder too, so that no client of the page can ever hold a mission up.
"""
