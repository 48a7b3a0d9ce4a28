"""What can happen to a page that is right."""

from akrig.errors import AkrigError


class PageError(AkrigError, OSError):
    """The page cannot be served: its port is taken, or what serves it is not installed."""
