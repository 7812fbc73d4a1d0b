"""What holds the packages together: one version, the names that each offers, the old names of modules that moved."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pkgutil import get_data
from types import ModuleType

import lazy_loader

__version__ = "0.2.0"


class _Package(ModuleType):
    """A package in which no module hides what the package offers under the same name (sweep, check_log)."""

    def __setattr__(self, name, value):
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def offer_names(package: str):
    """(__getattr__, __dir__, __all__) of a package: the names in its `__init__.pyi`, which load on first use.

    The file is read by the package's own loader: an install may be an archive.
    """
    names: dict[str, list[str]] = {}
    for node in ast.parse(get_data(package, "__init__.pyi") or b"").body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names.setdefault(node.module, []).extend(alias.name for alias in node.names)
    offered = lazy_loader.attach(package, submod_attrs=names)
    sys.modules[package].__class__ = _Package
    return offered


class _OldNames(MetaPathFinder, Loader):
    """Finds modules by the names that they had: each is the module of today, and loads when it is asked for."""

    def __init__(self):
        self.homes: dict[str, str] = {}

    def find_spec(self, name, path=None, target=None):
        home = find_spec(self.homes[name]) if name in self.homes else None
        return ModuleSpec(name, self, origin=home.origin) if home else None

    def exec_module(self, module):
        sys.modules[module.__name__] = import_module(self.homes[module.__name__])

    def get_code(self, name):
        """What `python -m` runs."""
        home = self.homes[name]
        return find_spec(home).loader.get_code(home)


_OLD_NAMES = _OldNames()
sys.meta_path.append(_OLD_NAMES)


def keep_old_names(package: str, homes: dict[str, str]) -> None:
    """Let modules of a package be imported by the names that they had.

    homes: {"wrench modes": "cones.*"} for modules of these names that have moved to `package.cones`; "" for those whose
    names the package itself offers now.
    """
    for words, home in homes.items():
        for word in words.split():
            _OLD_NAMES.homes[f"{package}.{word}"] = f"{package}.{home.replace('*', word)}".rstrip(".")
