"""A scene whose numbers are changed from a page: what may be asked, and what results, by the code of any run."""

from __future__ import annotations

import math
import pickle
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from geometry.errors import StictionError
from sim.scene import toml_text
from sim.scene.build import build_scene
from sim.scene.scene import Scene
from sim.scene.scene_errors import SceneError
from sim.scene.toml_edit import rewrite_toml
from sim.show.live.live_numbers import Number, list_numbers


class RequestError(StictionError, ValueError):
    """What the page asks cannot be: an unknown number, or a value that is no finite number. Never a scene that is
    merely impossible, which is a SceneError."""


class LiveScene:
    """A scene as it was opened, and the same with other values of some of its numbers."""

    def __init__(self, scene: Scene, command: Sequence[str] = ()):
        """command: the words that opened it, which what was changed is added to."""
        self.scene, self._command = scene, command
        self.numbers: dict[str, Number] = list_numbers(scene)
        self._where = scene.source or scene.name
        self._tables = pickle.dumps(toml_text.read_toml(scene.text))

    def check_values(self, values: Any) -> dict[str, float]:
        """The values of a request by path, in the order of the numbers. Raises RequestError."""
        if not isinstance(values, Mapping):
            raise RequestError("values must be an object of paths and numbers")
        for path, value in values.items():
            number = self.numbers.get(path)
            if number is None:
                raise RequestError(f"{path!r:.80} is no number of this scene that can be set")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise RequestError(f"{path}: the value must be a number")
            try:
                finite = math.isfinite(value)
            except OverflowError:  # a whole number of more than 308 digits
                finite = False
            if not finite:
                raise RequestError(f"{path}: the value must be finite")
            if number.is_whole and value != int(value):
                raise RequestError(f"{path}: the value must be a whole number")
        return {path: float(values[path]) for path in self.numbers if path in values}

    def make_overrides(self, values: Mapping[str, float]) -> dict[str, float | int | str]:
        """Checked values as `load_scene` takes them."""
        return {path: self.numbers[path].make_override(value) for path, value in values.items()}

    def build(self, values: Mapping[str, float], with_text: bool = False) -> Scene:
        """The scene with checked values, to the last bit that of its text with these overrides; without its text, which
        takes longer than all else, unless that is asked for. Raises SceneError."""
        if not values:
            return self.scene
        data = pickle.loads(self._tables)  # the fastest deep copy
        for path, value in self.make_overrides(values).items():
            try:
                toml_text.apply_override(data, path, value)
            except toml_text.PathError as error:
                raise SceneError(f"{path}: {error}") from None
        text = rewrite_toml(self.scene.text, data) if with_text else ""
        return build_scene(data, text, self._where, self.scene.source)

    def describe(self) -> tuple[str, str | None, Sequence[str]]:
        """Text, file and command: all that another process needs to have the same."""
        return self.scene.text, self.scene.source, self._command

    def tell(self, error: StictionError) -> str:
        """What is wrong with a scene, without the file, which is the one that the page shows."""
        return str(error).replace(f"{self._where}: ", "")

    def write_command(self, values: Mapping[str, float]) -> str:
        """The command line that opens the scene with checked values."""
        words = [*self._command]
        for path, value in self.make_overrides(values).items():
            words += ["--set", f"{path}={value}"]
        return shlex.join(words)
