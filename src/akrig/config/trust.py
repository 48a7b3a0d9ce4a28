"""Which settings this user made on this computer: a signature over the code that they name.

It is keyed by a secret in the user's own folder for state, so that nobody else can make one. What the settings say
besides is data, and needs no signature.
"""

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from akrig.config.own_parts import own_code

SIGNATURE = "signature"  # in `[about]` of a run folder's config.toml
_BYTES = 32


def signature(settings: Mapping[str, Any]) -> str | None:
    """Of nested settings; `None` if they name no code, or this user cannot keep a secret."""
    code, key = own_code(settings), None
    if code:
        with suppress(OSError, RuntimeError):
            key = _key(_state_folder() / "akrig" / "key")
    if key is None:
        return None
    sections = {part: settings.get(part) for part in code}
    options = {part: each.get("options", {}) if isinstance(each, Mapping) else {} for part, each in sections.items()}
    signed = [[part, name, options[part], _place(name)] for part, name in sorted(code.items())]
    return hmac.digest(key, json.dumps(signed, sort_keys=True, default=str).encode(), "sha256").hex()


def is_ours(settings: Mapping[str, Any], given: object) -> bool:
    """May the code that nested settings name be run without asking: is there none, or was it signed here?"""
    if not own_code(settings):
        return True
    expected = signature(settings)
    return expected is not None and isinstance(given, str) and hmac.compare_digest(expected.encode(), given.encode())


def _place(name: str) -> str:
    """The current folder, if the module lies there: another one of that name, elsewhere, is other code."""
    top, here = name.partition(":")[0].partition(".")[0], Path.cwd()
    return str(here) if (here / f"{top}.py").exists() or (here / top).exists() else ""


def _state_folder() -> Path:
    """`$XDG_STATE_HOME`, else under the home folder; `RuntimeError` for a user who has none."""
    given = os.environ.get("XDG_STATE_HOME")
    return Path(given) if given else Path.home() / ".local" / "state"


def _key(path: Path) -> bytes | None:
    """The secret, made when first needed; of several who make one at once, the first."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = path.with_name(f"key.{secrets.token_hex(8)}.part")
        with suppress(FileExistsError):
            try:
                with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(secrets.token_bytes(_BYTES))
                os.link(beside, path)
            finally:
                beside.unlink(missing_ok=True)
    key = path.read_bytes()
    return key if len(key) == _BYTES else None
