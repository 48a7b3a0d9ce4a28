"""What can be wrong with a drawn area."""

from akrig.errors import AkrigError


class InvalidArea(AkrigError, ValueError):
    """A fence, a keep-out or a home that no boat can be sent into, or a file that holds none."""
