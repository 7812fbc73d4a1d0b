"""What a sweep returns: the table, and the way from a cell back to its scene and its trajectory."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.files.partial_file import PartialFile
from sim.log.columns.html_summary import build_summary
from sim.rows.status import Status
from sim.scene.scene import Scene
from sim.sweep.axes import WORDS, SweepAxis, SweepError, describe_value
from sim.sweep.cells import Study
from sim.sweep.sweep_file import SweepRecord, read_sweep_file
from sim.sweep.table import DERIVED, MERGED, NOT_STARTED, ROW_FIELDS, SIDES, TEXT_FIELDS, Teller, describe_status

if TYPE_CHECKING:
    import pandas
    import xarray

    from sim.log.trajectory import Trajectory


class Sweep:
    """The table of a sweep, in the order of its cells; `sweep["end_time"]` is a column, see `sim.sweep.table`."""

    def __init__(self, record: SweepRecord, table: np.ndarray, texts: list[str], status: Status, n_reused: int = 0,
                 path: Path | None = None):
        self.path = path  # of its file, if it has one
        self.record = record
        self.plan = record.plan
        self.table = table
        self.texts = texts
        self.status = status
        self.n_reused = n_reused  # rows that were there already, of a sweep that was resumed

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, name: str) -> np.ndarray:
        """(n,) a column: words for outcome, status, modes and message, numbers for the rest. Raises SweepError."""
        names = self.table.dtype.names or ()
        if name in DERIVED:
            teller = self.make_teller(name, self.record.outcomes)
            return np.array([teller.tell(row) for row in self.table.tolist()], dtype=object)
        if name not in names:
            raise SweepError(f"there is no column {name!r}; valid: {', '.join((*names, *DERIVED))}")
        values = self.table[name]
        if name in TEXT_FIELDS:
            return np.array(self.texts, dtype=object)[values]
        if name == "outcome":
            return np.array(self.record.outcomes)[values]
        if name == "status":
            return np.array([describe_status(code) for code in values])
        for axis in self.plan.axes:
            if axis.name == name and axis.kind == WORDS:
                return np.array(axis.words)[values.astype(int)]
        return values

    @cached_property
    def alike(self) -> dict[str, str]:
        """Outcomes that the symmetry of the part makes the same as another one: that one. Of the part of the first cell
        that could be run."""
        from sim.instant.lying import find_alike

        ran = np.flatnonzero(self.table["status"] != NOT_STARTED)
        return find_alike(self.build_scene(int(self.table["cell"][ran[0]]))) if len(ran) else {}

    def make_teller(self, of: str, outcomes: Sequence[str]) -> Teller:
        """Tells the word of a side from rows; outcomes: the words of their codes. Raises SweepError."""
        if of not in SIDES:
            raise SweepError(f"of = {of!r}: valid: {', '.join(SIDES)}")
        return Teller(of, self.table.dtype.names or (), outcomes, self.alike if of in MERGED else {})

    def get_grid(self, name: str) -> np.ndarray:
        """A column with one dimension an axis (axes that go together have one), and of random axes one more for the
        samples; where a cell has not run, NaN, or "" among words. Raises SweepError."""
        column = self[name]
        is_number = column.dtype.kind in "fi"
        shape = self.plan.shape + ((self.plan.samples or 0,) if self.plan.has_random else ())
        grid: np.ndarray = np.full(shape, np.nan if is_number else "", np.dtype("f8" if is_number else "O"))
        places, samples = self.plan.locate(self.table["cell"])
        places = places[:, [not axis.leader for axis in self.plan.axes]]
        grid[(*places.T, samples) if self.plan.has_random else tuple(places.T)] = column
        return grid

    @property
    def outcome(self) -> np.ndarray:
        """(n,) the outcome of each cell in words."""
        return self["outcome"]

    def count(self, column: str = "outcome") -> dict[str, int]:
        """How many cells have each outcome, those that occur; or each word of another column, the most frequent first.
        """
        if column != "outcome":
            return dict(Counter(map(str, self[column])).most_common())
        counts = np.bincount(self.table["outcome"], minlength=len(self.record.outcomes))
        return {word: int(n) for word, n in zip(self.record.outcomes, counts, strict=True) if n}

    def build_scene(self, cell: int) -> Scene:
        """The scene of a cell, with its full text. Raises SceneError, SweepError."""
        study = Study(self.record.text, self.record.source or None, self.plan.axes)
        return study.build_scene(self.plan.get_values(cell))

    def read_log(self, cell: int) -> Trajectory | None:
        """The run of a cell with its rows, if the sweep has logged it. Raises SceneError, SweepError."""
        return None if self.path is None else read_cell_log(self.path, self.record, cell, self.build_scene(cell))[0]

    def list_logged(self) -> list[int]:
        """The cells whose runs the sweep has logged, rising."""
        from sim.sweep.log_store import list_logged

        if self.path is None:
            return []
        alone = self.path.with_name(f"{self.path.stem}.logs").glob("cell_*.h5")  # of former versions
        numbers = [path.stem.removeprefix("cell_") for path in alone]
        return sorted({*list_logged(self.path, self.record), *(int(number) for number in numbers if number.isdigit())})

    def write_csv(self, path: str | Path, merge: bool = False) -> Path:
        """Write the table as CSV, numbers with all their digits, words as words; it appears when it is complete. merge:
        rest poses that the part's symmetry makes alike are one outcome."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        names = self.table.dtype.names or ()
        with PartialFile(path) as partial:
            with partial.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                columns = ["merged_outcome" if merge and name == "outcome" else name for name in names]
                writer.writerows(zip(*(self[name].tolist() for name in columns), strict=True))
            partial.publish()
        return path

    def to_frame(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame. Raises SweepError where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise SweepError("a frame needs pandas: pip install pandas, or 'stiction[notebook]'") from None
        return pandas.DataFrame({name: self[name] for name in self.table.dtype.names or ()})

    def to_xarray(self) -> xarray.Dataset:
        """The table as an xarray Dataset: a dimension for each axis, `sample` for random values, and a variable for
        each column, words as words; units and meanings are attributes. Cells that have not run are NaN or "".

        Axes that go together share the dimension of the first. Of a sweep that took some combinations at random the
        only dimension is `cell`. Raises SweepError where xarray is not installed.
        """
        try:
            import xarray
        except ImportError:
            raise SweepError("a data set needs xarray: pip install xarray, or 'stiction[notebook]'") from None
        leaders = [axis for axis in self.plan.axes if not axis.leader]
        is_grid = self.plan.has_random or len(self.plan) == math.prod(self.plan.shape)
        dims = [axis.name for axis in leaders if not axis.is_random] + ["sample"] * self.plan.has_random
        kept = tuple(0 if axis.is_random else slice(None) for axis in leaders)  # random axes have one place in the grid
        own = {axis.name for axis in self.plan.axes}
        coordinates = ({axis.name: self._get_coordinate(axis) for axis in self.plan.axes} if is_grid else
                       {axis.name: ("cell", self[axis.name], _describe_axis(axis)) for axis in self.plan.axes})
        variables = {}
        for name, _, unit, meaning in ROW_FIELDS:
            if name in own or name not in (self.table.dtype.names or ()):
                continue
            words = name in (*TEXT_FIELDS, "outcome", "status")
            about = {"long_name": f"{name} in words" if words else meaning} | (
                {} if words or unit == "1" else {"units": unit})
            variables[name] = ((dims, self.get_grid(name)[kept], about) if is_grid else
                               ("cell", self[name].astype(object) if words else self[name], about))
        return xarray.Dataset(variables, coordinates, {"status": self.status.name, "scene": self.record.source or ""})

    def _get_coordinate(self, axis: SweepAxis) -> tuple:
        """(dimension, values, attributes) of an axis of a grid."""
        if axis.is_random:
            n = self.plan.samples or 0
            values = self.plan.get_table(np.arange(n))[:, self.plan.axes.index(axis)]
            return "sample", values, _describe_axis(axis)
        values = np.array(axis.words, dtype=object)[axis.values.astype(int)] if axis.kind == WORDS else axis.values
        return axis.leader or axis.name, values, _describe_axis(axis)

    def _repr_html_(self) -> str:
        """What a notebook shows: the axes, how many cells have run, and their outcomes."""
        lines = [("cells", f"{len(self)} of {len(self.plan)}, {self.status}")]
        lines += [(axis.name, f"{len(axis)} values, {describe_value(axis, axis.values[0])} to "
                   f"{describe_value(axis, axis.values[-1])}" if not axis.is_random else
                   f"{axis.kind}{tuple(axis.values.tolist())} {axis.unit}") for axis in self.plan.axes]
        lines += [(word, str(n)) for word, n in self.count().items()]
        return build_summary("Sweep", lines)

    def __repr__(self) -> str:
        return f"<Sweep: {len(self)} of {len(self.plan)} cells, {self.status}, {self.count()}>"


def _describe_axis(axis: SweepAxis) -> dict[str, str]:
    return {"long_name": axis.key} | ({"units": axis.shown_unit} if axis.shown_unit else {})


def read_sweep(path: str | Path) -> Sweep:
    """The sweep of a file, also of one that is being written or was killed. Raises SweepError."""
    return Sweep(*read_sweep_file(path), path=Path(path))


def read_cell_log(output: Path, record: SweepRecord, cell: int, scene: Scene) -> tuple[Trajectory | None, Path | None,
                                                                                       str]:
    """The log that a sweep has left of a cell, None if there is none; the file that has it; and a note, "" for none."""
    from sim.log.reading import TrajectoryFileError, read_trajectory
    from sim.sweep.log_store import find_log

    trajectory, path, note = find_log(output, record, cell, scene)
    path = path or get_log_path(output, cell)
    if trajectory is not None or note or not path.exists():
        return trajectory, path, note
    try:
        trajectory = read_trajectory(path)
    except TrajectoryFileError as error:
        return None, path, f"its log cannot be used: {error}"
    if trajectory.record.text != scene.text:
        return None, path, f"{path} is the log of another scene, left by another sweep"
    return trajectory, path, ""


def get_log_path(output: Path, cell: int) -> Path:
    """Where former versions left the log of a cell: in the folder of the logs, a file for each."""
    return output.with_name(f"{output.stem}.logs") / f"cell_{cell:07d}.h5"
