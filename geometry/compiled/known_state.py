"""The name of the folder of compiled code, remembered, so that a start need neither import numba nor follow imports.

The name is a hash of the kernel sources and of what numba says of the machine (`code_folder.State`). What both follow
from can be had sooner: all our sources, the versions, the processor, and the settings in the environment. A file beside
the folders, named by a hash of these, holds the name and the list of kernel sources.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import sys
from pathlib import Path

import numpy

from geometry.compiled.kernel import SETTINGS_FILE
from geometry.compiled.shared_files import read_sealed, write_sealed

SUFFIX = ".known"
KEPT = 20


def compute_mark(contents: dict[str, bytes]) -> str | None:
    """A hash of what the name of the folder follows from; None where more than that counts: settings that a program or
    a file has made. contents: of our sources, by name."""
    if "numba" in sys.modules or os.path.exists(SETTINGS_FILE):
        return None
    import llvmlite.binding

    digest = hashlib.sha256()
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    versions = [_read_version(name) for name in ("numba", "llvmlite")]
    digest.update(repr((platform.python_implementation(), sys.version, platform.machine(), numpy.__version__, versions,
                        llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten(),
                        settings)).encode())
    for name, content in sorted(contents.items()):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:24]


def _read_version(package: str) -> bytes:
    """The file that says which version of a package is installed. Raises OSError."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise OSError(f"no {package}")
    return spec.origin.encode() + Path(spec.origin).with_name("_version.py").read_bytes()


def recall(base: Path, mark: str) -> tuple[str, list[str]] | None:
    """(name of the folder, kernel sources) that `remember` wrote, None if there is nothing."""
    content = read_sealed(base / f"{mark}{SUFFIX}")
    return None if content is None else tuple(json.loads(content))


def remember(base: Path, mark: str, name: str, sources: list[str]) -> None:
    """Write them; keeps the newest KEPT files."""
    with contextlib.suppress(OSError):
        write_sealed(base / f"{mark}{SUFFIX}", json.dumps((name, sources)).encode())
        files = sorted(base.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[KEPT:]:
            path.unlink(missing_ok=True)
