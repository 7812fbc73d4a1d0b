"""The account that every run keeps of itself: how well the laws held, where the energy went, what it cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.rows.status import Status
from sim.tolerances import ENERGY_STEPS, LAW_LIMIT, WORKS_AGREE


def describe_field(unit: str, meaning: str, kind: str = "f8") -> Any:
    """An entry of the account with its unit and meaning; the only place where these are written."""
    return field(default=0.0 if kind == "f8" else 0, metadata={"unit": unit, "meaning": meaning, "kind": kind})


@dataclass(frozen=True)
class Account:
    """Largest residuals, energy balance, counts and wall times of one run."""

    penetration: float = describe_field("m", "largest depth of a vertex of one body inside another")
    gap_residual: float = describe_field("m", "largest distance of a closed contact from gap 0")
    slip_residual: float = describe_field("m/s", "largest slip velocity of a rolling contact")
    balance_residual: float = describe_field("1", "largest violation of m a = sum of forces, relative to the forces")
    cone_residual: float = describe_field("1", "largest violation of |ft| <= mu fn, relative to the forces")
    energy_start: float = describe_field("J", "kinetic energy at the start")
    energy_end: float = describe_field("J", "kinetic energy at the end")
    work_load: float = describe_field("J", "work done by the applied load (weight included)")
    work_friction: float = describe_field("J", "work done by friction against the slip (never positive)")
    work_impact: float = describe_field("J", "kinetic energy gained at impacts, without the work of obstacles (never "
                                             "positive)")
    work_obstacles: float = describe_field("J", "work done by obstacles that move, at impacts too")
    energy_residual: float = describe_field(
        "1", "|energy_end - energy_start - all work|, relative to the largest of these and of what springs stored "
             "and dampers took"
    )
    time_not_unique: float = describe_field("s", "time during which more than one acceleration was possible")
    n_steps: int = describe_field("1", "integration steps taken", "i8")
    n_rejected: int = describe_field("1", "integration steps tried and refused", "i8")
    n_evaluations: int = describe_field("1", "evaluations of the acceleration", "i8")
    n_events: int = describe_field("1", "events located", "i8")
    n_impacts: int = describe_field("1", "events that were impacts", "i8")
    n_bridges: int = describe_field("1", "instants that were bridged because events piled up", "i8")
    time_bridged: float = describe_field("s", "time that bridges passed over")
    work_bridged: float = describe_field("J", "the part of work_impact that belongs to bridges")
    wall_compile: float = describe_field("s", "wall time spent on compiling or loading machine code")
    wall_solve: float = describe_field("s", "wall time spent on solving")
    wall_output: float = describe_field("s", "wall time spent on writing the log")
    obstacle_work: tuple[float, ...] = ()  # J done by each obstacle that moves, in order; () where nothing is known
    # J of each load that changes (see `Scene.list_loads`): done on the part, stored more than at the start, taken by
    # its dampers; so the frame that holds a gripper has done the sum of the three. () where nothing is known
    load_work: tuple[tuple[float, float, float], ...] = ()

    def find_broken_law(self, size: float, tolerance: float) -> str:
        """The first law that was not kept, with its residual; "" if all were. See `list_limits`."""
        return judge_completed([True], vars(self), size, tolerance).get(0, (None, ""))[1]

    def describe(self) -> list[str]:
        """One line for each entry: name, value, unit, meaning."""
        lines = []
        for entry in ENTRIES:
            value, unit = getattr(self, entry.name), entry.metadata["unit"]
            text = f"{value:.6g}" + ("" if unit == "1" else f" {unit}")
            lines.append(f"{entry.name:<18} {text:<16} {entry.metadata['meaning']}")
        return lines


ENTRIES = tuple(entry for entry in fields(Account) if entry.metadata)
ACCOUNT_FIELDS = tuple((entry.name, entry.metadata["kind"], entry.metadata["unit"], entry.metadata["meaning"])
                       for entry in ENTRIES)  # fmt: skip
WORKS = ("work_load", "work_friction", "work_impact", "work_obstacles")  # as the rows of a log have them
MISSING = {"f8": math.nan, "i8": -1}  # what the file holds where nobody knows the account of its rows
ACCOUNT_DTYPE = np.dtype([(name, kind) for name, kind, _, _ in ACCOUNT_FIELDS])


def list_limits(size: float, tolerance: ArrayLike) -> dict:
    """{name of an entry: how large it may be where the laws of mechanics hold}.

    size [m]: that of the part; tolerance: of the adaptive steps (0: they are fixed, and energy is as exact as they
    are), a number or an array.
    """
    energy: Any
    if isinstance(tolerance, float):
        energy = max(LAW_LIMIT, ENERGY_STEPS * tolerance) if tolerance > 0.0 else math.inf
    else:
        tolerance = np.asarray(tolerance)
        energy = np.where(tolerance > 0.0, np.maximum(LAW_LIMIT, ENERGY_STEPS * tolerance), math.inf)
    return {"penetration": LAW_LIMIT * size, "gap_residual": LAW_LIMIT * size, "balance_residual": LAW_LIMIT,
            "cone_residual": LAW_LIMIT, "energy_residual": energy}


def keeps_laws(entries: dict[str, Any], size: float, tolerance: float) -> bool:
    """Is no entry of the account of one run larger than it may be? See `list_limits`."""
    return all(entries[name] <= limit for name, limit in list_limits(size, tolerance).items())


def judge_completed(finite: Any, entries: Any, size: float, tolerance: ArrayLike) -> dict[int, tuple[Status, str]]:
    """Runs that reached their end time and yet have not ended well: {place: (status, message)}.

    finite (n,): is all that is known of the end finite? entries: {name: (n,) or a number}, those of `list_limits` at
    least; size, tolerance: see there. Of the laws that were not kept the first is named.
    """
    fallen = {place: (Status.NOT_FINITE, "") for place in np.flatnonzero(~np.asarray(finite)).tolist()}
    for name, limit in list_limits(size, tolerance).items():
        if isinstance(entries[name], float) and isinstance(limit, float) and entries[name] <= limit:
            continue
        values, limits = np.broadcast_arrays(np.atleast_1d(entries[name]), limit)
        for place in np.flatnonzero(~(values <= limits)).tolist():
            fallen.setdefault(place, (Status.LAWS_BROKEN, _describe_broken_law(name, values[place], limits[place])))
    return fallen


def _describe_broken_law(name: str, value: float, limit: float) -> str:
    """What is wrong where an entry is larger than it may be."""
    meaning = next(entry.metadata["meaning"] for entry in fields(Account) if entry.name == name)
    return f"{name} is {value:.3g}, more than {limit:.3g}: {meaning}"


def compute_rounding(mass: Any, load: Any, touch: Any) -> Any:
    """Work [J] of a load (..., 6), see `dynamics.motion.mode.Body`, along the touch distance [m] of a run."""
    return mass * np.abs(load).sum(axis=-1) * touch


def measure_exchange(load_work: Any) -> float:
    """Largest energy [J] in an account of loads that change, see `Account.load_work`: the works of springs and dampers
    may cancel."""
    return max((abs(part) for parts in load_work for part in parts), default=0.0)


def compute_energy_residual(start: Any, end: Any, load: Any, friction: Any, impact: Any, pushed: Any,
                            rounding: Any, exchange: Any = 0.0) -> Any:
    """|end - start - all work|, relative to the largest of these and of `exchange`, see `measure_exchange`, and 0 up to
    `rounding`: the work of the load on the way that a closed contact may be off. Numbers or arrays, in J."""
    if type(end) is float:  # the same for one run, in a twentieth of the time
        rest = abs(end - start - load - friction - impact - pushed)
        largest = max(start, end, abs(load), abs(friction), abs(impact), abs(pushed), exchange)
        if math.isnan(rest):  # which `max` may pass over
            return rest
        return 0.0 if rest <= rounding or largest == 0.0 else rest / largest
    terms = (start, end, np.abs(load), np.abs(friction), np.abs(impact), np.abs(pushed), exchange)
    largest = np.maximum.reduce(np.broadcast_arrays(*terms))
    with np.errstate(invalid="ignore", over="ignore"):  # of a run that ended without bounds it is not a number
        rest = np.abs(end - start - load - friction - impact - pushed)
        rest = np.where(rest <= rounding, 0.0, rest)
        return np.divide(rest, largest, out=np.zeros_like(largest), where=largest != 0.0)


def end_account(account: Account, row: np.void, rounding: float) -> Account:
    """The account up to a row of /steps, of a run that broke off somewhat after it: energy and works are those of the
    row. rounding: see `compute_rounding`."""
    works: dict[str, Any] = {name: float(row[name]) for name in WORKS}
    account = replace(account, energy_end=float(row["kinetic"]), **works)
    load, friction, impact, pushed = works.values()
    held = abs(row["spring_energy"]), abs(row["damper_work"]), measure_exchange(account.load_work)
    residual = compute_energy_residual(account.energy_start, account.energy_end, load, friction, impact, pushed,
                                       rounding, float(max(held)))
    by_obstacle = account.obstacle_work
    if not math.isclose(sum(by_obstacle), account.work_obstacles, rel_tol=WORKS_AGREE, abs_tol=rounding):
        by_obstacle = ()  # known at the end of a step only
    return replace(account, energy_residual=float(residual), obstacle_work=by_obstacle)


def pack_account(account: Account | None) -> np.ndarray:
    """The account as one structured value, as log files store it; NaN and -1 everywhere where it is missing."""
    if account is None:
        return np.array(tuple(MISSING[kind] for _, kind, _, _ in ACCOUNT_FIELDS), dtype=ACCOUNT_DTYPE)
    return np.array(tuple(getattr(account, name) for name, _, _, _ in ACCOUNT_FIELDS), dtype=ACCOUNT_DTYPE)


def unpack_account(row: np.void) -> Account | None:
    """The account in a structured value, None where it is missing; entries that this version does not know are left
    out, those that were not there yet are 0."""
    known = {name: kind for name, kind, _, _ in ACCOUNT_FIELDS}
    cast = {"f8": float, "i8": int}
    account = Account(**{name: cast[known[name]](row[name]) for name in row.dtype.names or () if name in known})
    return None if account.n_steps == MISSING["i8"] else account
