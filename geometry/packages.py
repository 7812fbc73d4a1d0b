"""What holds the packages together: one version, and the old names of modules that have moved."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

__version__ = "0.2.0"


class _OldName(ModuleType):
    """A module that has moved; it loads from its new place on first use."""

    def __init__(self, name: str, home: str):
        super().__init__(name, f"Moved to `{home}`.")
        self._home = home

    def __getattr__(self, name: str):
        if name.startswith("__"):  # what the import system and debuggers ask for must not load anything
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(import_module(self._home), name)

    def __dir__(self) -> list[str]:
        return dir(import_module(self._home))


def keep_old_names(homes: dict[str, str]) -> None:
    """Let modules be imported by the names that they had: {old name: new name}."""
    for old, home in homes.items():
        sys.modules[old] = _OldName(old, home)
