"""Names of users as names of files: readable, and harmless on every system."""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

OUTPUTS = Path("outputs")  # where logs and tables land if nothing else is said
MOST_BYTES = 100  # of a name; file systems allow 255, and endings and marks of unfinished files come on top
_FORBIDDEN = '<>:"/\\|?*'  # on one system or another
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)  # devices of Windows


def make_file_name(name: str) -> str:
    """The name of a file, without ending, for the name of a scene: what could lead out of a folder, or is forbidden
    somewhere, becomes "_"; letters of all languages stay where the file system takes them."""
    encoding = sys.getfilesystemencoding()  # ASCII where the system says so (LANG=C)
    name = name.encode(encoding, "replace").decode(encoding)  # with "?", which is not allowed either
    safe = "".join("_" if character in _FORBIDDEN or (unicodedata.category(character)[0] in "CZ" and character != " ")
                   else character for character in name)
    safe = safe.encode()[:MOST_BYTES].decode("utf-8", "ignore").strip(". ")
    if not safe:
        return "scene"
    return f"_{safe}" if _RESERVED.fullmatch(safe) else safe


def choose_output(name: str, mark: str = "") -> Path:
    """Where the log of a scene goes if nothing else is said: outputs/NAME.h5, with a mark behind the name."""
    return OUTPUTS / f"{make_file_name(name)}{mark}.h5"
