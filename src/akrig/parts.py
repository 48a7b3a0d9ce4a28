"""Every part that comes with akrig, declared once: the word in settings, where it is found, and how people see it.

Nothing is imported to read this, so that `--help` stays fast; what `where` names is imported when it is built. A part
of the user's own, named "module:Name", has the same standing: `find` makes its entry from its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass

OTHER_COLOUR = "#5f666d"


@dataclass(frozen=True)
class Part:
    """One entry.

    Args:
        name: the word in settings.
        where: "module:name" of what makes it.
        label: in tables, legends, reports and on the page.
        sentence: what it is, for help and documents.
        colour: the same in every figure; parts that have none of their own share one.
        mark: of its points in figures; "" to be given one that is free.
    """

    name: str
    where: str
    label: str
    sentence: str
    colour: str = OTHER_COLOUR
    mark: str = ""


def entries(*parts: Part) -> Mapping[str, Part]:
    return {part.name: part for part in parts}


def find(kind: Mapping[str, Part], name: str) -> Part:
    """The entry of a part, by the word in settings; of the user's own "module:Name", one that follows from it."""
    if name in kind:
        return kind[name]
    return Part(name, name, name.partition(":")[2] or name, "Your own.")
