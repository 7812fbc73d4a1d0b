"""What a picture of curves shows: which columns share a panel, in which units, and how values jump at events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.log.columns.run_columns import UNBOUNDED, ColumnError, RunColumn, get_all_columns, get_columns
from sim.log.columns.run_rows import Jumps, find_jumps
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.rows.records import EVENT_KINDS
from sim.show.palette import BRANCH_COLOURS, pick_branch_style
from sim.show.replay.view import LENGTH_UNITS, TIME_UNITS, choose_unit

DEFAULT_NAMES = ("y", "contact.fn", "energy")
TIME = "time"
MOST_PANELS = 12  # below each other
FLAT = 1e-9  # of the largest value: curves that vary less are drawn as the straight lines that they are
SAME_LINE = 0.004  # of the range: curves nearer than this are one line in a picture
MOSTLY = 0.5  # share of the points of a curve that must lie on another one to count as hidden
POSE = ("x", "y", "theta")  # columns that are known between the rows
FINE = 1.0 / 400.0  # of the range of times: between rows that are farther apart poses have points of their own
TRUNK = "#8A857C"  # branches of a tree up to their split
DEGREES = 180.0 / np.pi
ENERGY_UNITS = ((0.1, 1.0, "J"), (1e-4, 1e3, "mJ"), (1e-7, 1e6, "µJ"), (0.0, 1e9, "nJ"))
FORCE_UNITS = ((1e4, 1e-3, "kN"), (1e-2, 1.0, "N"), (1e-5, 1e3, "mN"), (0.0, 1e6, "µN"))
FASTER_UNITS = {1: "/s", 2: "/s²"}
# Events that a picture leaves out unless they are asked for: they are no change of the motion, or too many.
QUIET_EVENTS = ("start", "sample", "uniqueness")
ALL_EVENTS, NO_EVENTS = "all", "none"


@dataclass(frozen=True, eq=False)
class DrawnRun:
    """One motion of a picture."""

    label: str  # "" of a part of a tree that has no entry in the legend
    trajectory: Trajectory
    jumps: Jumps
    colour: str
    line: str | tuple


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """A column of a run, with two points where it jumps; NaN where there is nothing to draw."""

    run: int
    column: RunColumn
    x: np.ndarray  # (m,) in the unit of the panel
    y: np.ndarray  # (m,)
    unbounded: np.ndarray  # (k,) x of the rows that have no bound
    not_unique: np.ndarray  # (m,) bool: was more than one acceleration possible from there on?


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """Curves that share an axis."""

    family: str
    unit: str  # as it is shown, "" for none
    curves: list[DrawnCurve]
    words: tuple[str, ...] = ()  # of the whole numbers 0, 1, ...


@dataclass(frozen=True, eq=False)
class CurveView:
    """All that a picture of curves shows."""

    runs: list[DrawnRun]
    panels: list[CurvePanel]
    x: str
    x_family: str
    x_unit: str
    bands: np.ndarray  # (k, 2) in the unit of x: when the motion was not unique; only of one log over time
    events: list[tuple[float, str]] = field(default_factory=list)  # (x, word), in their order; only over time
    notes: list[str] = field(default_factory=list)


def choose_curve_view(sources: Mapping[str, Trajectory | Tree], names: Sequence[str] = (), x: str = TIME,
                      events: Sequence[str] | None = None) -> CurveView:
    """The picture of runs. names: of columns, DEFAULT_NAMES if none; events: their words, "all" or "none"; of a single
    run most are marked if nothing is said. Raises ColumnError."""
    runs = list_runs(sources)
    notes: list[str] = []
    wanted = pick_columns(runs, list(names) or list(DEFAULT_NAMES), notes)
    across = [_get_x(run.trajectory, x) for run in runs]
    factor, x_unit = find_unit(across)
    panels = _make_panels(runs, wanted, across, factor, notes)
    bands = np.zeros((0, 2))
    if x == TIME and len(sources) == 1:  # of several runs nobody could tell whose band it is
        bands = factor * next(iter(sources.values())).not_unique
    marks = choose_events(sources, events, x, notes)
    return CurveView(runs, panels, x, across[0].family, x_unit, bands,
                     [(factor * time, word) for time, word in marks], notes)


def list_runs(sources: Mapping[str, Trajectory | Tree]) -> list[DrawnRun]:
    """One for each log, and for each branch of a tree. Raises ColumnError where one has no rows."""
    found: list[DrawnRun] = []
    for label, source in sources.items():
        prefix = f"{label}: " if len(sources) > 1 else ""
        pieces = [(label, source, False)] if isinstance(source, Trajectory) else [
            (f"{prefix}branch {branch.number}", branch.rows, bool(branch.children)) for branch in source.branches
            if branch.rows is not None]
        if not any(len(rows) for _, rows, _ in pieces):
            raise ColumnError(f"{label}: the log has no rows, there is nothing to draw")
        for name, rows, splits in pieces:
            if len(rows):
                colour, line = pick_branch_style(sum(run.label != "" for run in found))
                found.append(DrawnRun("" if splits else name, rows, find_jumps(rows), TRUNK if splits else colour,
                                 "-" if splits else line))
    return found


def pick_columns(runs: Sequence[DrawnRun], names: Sequence[str], notes: list[str]) -> list[tuple[int, RunColumn]]:
    """(number of the run, column), in the order of the names; a run that lacks one is left out there, if another one
    has it. Raises ColumnError."""
    found: dict[tuple[int, str], RunColumn] = {}
    for name in names:
        refused: list[ColumnError] = []
        for number, run in enumerate(runs):
            try:
                found.update(((number, column.name), column) for column in get_columns(run.trajectory, name))
            except ColumnError as error:
                refused.append(error)
        if len(refused) == len(runs):
            raise refused[0]
        if refused:
            notes.append(f"{len(refused)} of {len(runs)} runs have no {name}")
    return [(number, column) for (number, _), column in found.items()]


def split_names(trajectory: Trajectory, words: Sequence[str]) -> list[str]:
    """Names of columns from texts with commas between them; names of obstacles may hold commas too. Raises nothing: a
    name that there is none of comes back as it is."""
    names: list[str] = []
    for text in words:
        parts = text.split(",")
        while parts:
            n = next((n for n in range(len(parts), 1, -1) if _is_name(trajectory, ",".join(parts[:n]).strip())), 1)
            names.append(",".join(parts[:n]).strip())
            del parts[:n]
    return [name for name in names if name]


def _is_name(trajectory: Trajectory, name: str) -> bool:
    try:
        get_columns(trajectory, name)
    except ColumnError:
        return False
    return True


def _get_x(trajectory: Trajectory, name: str) -> RunColumn:
    columns = get_all_columns(trajectory, [name])
    if len(columns) > 1:
        raise ColumnError(f"x = {name!r}: {len(columns)} columns; say which: "
                          f"{', '.join(column.name for column in columns)}")
    return columns[0]


def find_unit(columns: Sequence[RunColumn]) -> tuple[float, str]:
    """Factor and name of the unit in which columns of one unit read well."""
    unit = columns[0].unit
    finite = [column.values[np.isfinite(column.values)] for column in columns]
    largest = max((float(np.abs(values).max()) for values in finite if len(values)), default=0.0)
    scales = {"m": LENGTH_UNITS, "m/s": LENGTH_UNITS, "m/s^2": LENGTH_UNITS, "s": TIME_UNITS, "J": ENERGY_UNITS,
              "N": FORCE_UNITS}.get(unit)
    if unit == "rad":
        return DEGREES, "°"
    if scales is None or largest == 0.0:
        return 1.0, unit.replace("^2", "²").replace("1", "") if unit != "1" else ""
    factor, name = choose_unit(largest, scales)
    return factor, name + FASTER_UNITS.get(("m", "m/s", "m/s^2").index(unit) if scales is LENGTH_UNITS else 0, "")


def _make_panels(runs: Sequence[DrawnRun], wanted: Sequence[tuple[int, RunColumn]], across: Sequence[RunColumn],
                 factor: float, notes: list[str]) -> list[CurvePanel]:
    """Columns of one family and unit share a panel, in the order in which they were asked for."""
    groups: dict[tuple[str, str], list[tuple[int, RunColumn]]] = {}
    for number, column in wanted:
        groups.setdefault((column.family, column.unit), []).append((number, column))
    if len(groups) > MOST_PANELS:
        raise ColumnError(f"these columns need {len(groups)} panels; at most {MOST_PANELS} stand below each other")
    panels, endless = [], False
    for (family, _), members in groups.items():
        own, unit = find_unit([column for _, column in members])
        curves = [_trace(number, runs[number], across[number], column, factor, own) for number, column in members]
        endless = endless or any(len(curve.unbounded) for curve in curves)
        panels.append(CurvePanel(family, unit, curves, members[0][1].words))
    if endless:
        notes.append(f"gaps with triangles: forces are {UNBOUNDED}")
    return panels


def _trace(number: int, run: DrawnRun, across: RunColumn, column: RunColumn, factor: float, own: float) -> DrawnCurve:
    """A curve with the values just before and from each event on."""
    rows = run.trajectory
    x, y = (np.insert(each.values.astype(float), run.jumps.places, each.find_before(rows, run.jumps))
            for each in (across, column))
    kind = rows.steps["set_kind"]
    several = np.insert(kind > 1, run.jumps.places, np.where(run.jumps.places > 0, kind[run.jumps.places - 1] > 1, 0))
    several = several.astype(bool)
    if across.name == TIME and column.name in POSE:
        x, y, several = _refine(rows, x, y, several, POSE.index(column.name))
    endless = np.isinf(y)
    with np.errstate(invalid="ignore"):
        y = np.where(np.isfinite(y), own * y, np.nan)
        x = np.where(np.isfinite(x), factor * x, np.nan)
    return DrawnCurve(number, column, x, y, x[endless], several)


def _refine(rows: Trajectory, time: np.ndarray, value: np.ndarray, several: np.ndarray,
            which: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same coordinate of the pose with points of the exact motion between rows that are far apart."""
    gaps = np.diff(time)
    n_between = np.maximum(np.ceil(gaps / (FINE * float(np.ptp(time)) or 1.0)).astype(int) - 1, 0)
    owner = np.repeat(np.arange(len(gaps)), n_between)
    if len(owner) == 0:
        return time, value, several
    number = np.arange(len(owner)) - np.repeat(np.cumsum(n_between) - n_between, n_between) + 1
    added = time[owner] + gaps[owner] * number / (n_between[owner] + 1)
    return (np.insert(time, owner + 1, added), np.insert(value, owner + 1, rows.pieces.evaluate(added)[:, which]),
            np.insert(several, owner + 1, several[owner]))


def choose_events(sources: Mapping[str, Trajectory | Tree], words: Sequence[str] | None, x: str,
                  notes: list[str]) -> list[tuple[float, str]]:
    """(time [s], word) of the events that are marked. Raises ColumnError for a word that there is none of."""
    asked = list(words or [])
    for word in asked:
        if word not in (*EVENT_KINDS, ALL_EVENTS, NO_EVENTS):
            raise ColumnError(f"events = {word!r}: valid: {ALL_EVENTS}, {NO_EVENTS}, {', '.join(EVENT_KINDS)}")
    single = len(sources) == 1 and all(isinstance(source, Trajectory) for source in sources.values())
    if NO_EVENTS in asked or (not asked and (x != TIME or not single)):
        return []
    if x != TIME:
        notes.append(f"events are marked over time, not over {x}")
        return []
    kinds = [kind for kind in EVENT_KINDS if kind in asked or ALL_EVENTS in asked
             or (not asked and kind not in QUIET_EVENTS)]
    found: dict[tuple[float, str], None] = {}
    for source in sources.values():
        pieces = [source] if isinstance(source, Trajectory) else [b.rows for b in source.branches if b.rows]
        for rows in pieces:
            found |= {(float(time), str(kind)): None for time, kind in zip(
                rows.events["time"], rows.events["kind"], strict=True) if kind in kinds}
    return sorted(found, key=lambda event: event[0])


def hides(earlier: DrawnCurve, later: DrawnCurve, x: str) -> bool:
    """Does a curve lie on another one, so that it would not be seen?"""
    y, other = earlier.y, later.y
    if x == TIME and (len(earlier.x) != len(later.x) or not np.array_equal(earlier.x, later.x)):
        y = np.interp(later.x, earlier.x, earlier.y)
    if len(y) != len(other):
        return False
    both = np.isfinite(y) & np.isfinite(other)
    if not both.any():
        return False
    room = SAME_LINE * max(float(np.ptp(other[both])), float(np.ptp(y[both])), abs(float(other[both].max())))
    return float(np.mean(np.abs(y - other)[both] <= room)) > MOSTLY


def pick_column_colour(index: int) -> str:
    """The colour of the column of this index in a panel of one run."""
    return BRANCH_COLOURS[index % len(BRANCH_COLOURS)]
