"""What can be wrong with a field, or with getting one."""

from akrig.errors import AkrigError


class InvalidField(AkrigError, ValueError):
    """A raster that cannot be mapped, or a file that cannot be read as one."""


class OutsideField(AkrigError, ValueError):
    """A place where the field is not defined."""


class UnknownField(AkrigError, KeyError):
    """A name that is not in the catalogue, or whose data are not on this machine."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the sentence in quotes


class DownloadFailed(AkrigError, OSError):
    """A field could not be fetched; nothing was left behind."""
