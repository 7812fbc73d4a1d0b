"""A sweep in a page: its axes, the outcome of each cell, and the runs of some cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.log.trajectory import Trajectory
from sim.scene.schema import OUTCOMES
from sim.show.axis_words import name_key
from sim.show.page.page_columns import PageColumns
from sim.show.palette import OUTCOME_COLOURS, pick_word_colours
from sim.show.replay.frames import ReplayError
from sim.sweep.axes import WORDS, SweepAxis, describe_value
from sim.sweep.plan import Plan
from sim.sweep.sweep_result import Sweep

MOST_CELLS = 200_000  # of the map of a page: more than that are no cells that one can click
NOT_RUN = 255


def describe_sweep(sweep: Sweep, runs: dict[int, int], columns: PageColumns) -> dict[str, Any]:
    """The map; runs: the place of the run of a cell among those of the page. Raises ReplayError."""
    plan = sweep.plan
    if len(plan) > MOST_CELLS:
        raise ReplayError(f"a page shows at most {MOST_CELLS} cells, and this sweep has {len(plan)}; "
                          "`stiction plot` makes a picture of it")
    cells = np.arange(len(plan))
    words, codes = encode_outcomes(sweep)
    outcome, time = np.full(len(plan), NOT_RUN), np.full(len(plan), np.nan)
    chosen, run = np.zeros(len(plan)), np.full(len(plan), -1)
    outcome[sweep.table["cell"]] = codes
    time[sweep.table["cell"]] = sweep.table["end_time"]
    chosen[sweep.table["cell"]] = sweep.table["time_not_unique"] > 0.0
    for cell, place in runs.items():
        run[cell] = place
    return {
        "dimensions": describe_dimensions(plan, cells, columns),
        "words": words, "colours": pick_word_colours(words, OUTCOME_COLOURS),
        "outcome": columns.add(outcome, "u1"), "endTime": columns.add(time), "chosen": columns.add(chosen, "u1"),
        "run": columns.add(run, "i4"), "file": "" if sweep.path is None else str(sweep.path.name),
    }


def encode_outcomes(sweep: Sweep) -> tuple[list[str], np.ndarray]:
    """The outcomes that occur, goals first, and the place (n,) of that of each row among them."""
    order = [*sweep.record.outcomes[len(OUTCOMES):], *OUTCOMES]
    found = sweep.outcome
    words = sorted(set(map(str, found)), key=order.index)
    places = {word: place for place, word in enumerate(words)}
    return words, np.array([places[str(word)] for word in found], dtype=np.int64)


def describe_dimensions(plan: Plan, cells: np.ndarray, columns: PageColumns) -> list[dict[str, Any]]:
    """What tells cells apart: {name, meaning, unit, words, values or null, place}; of random ones
    {name, meaning, unit, random, at}.

    meaning: what varies, in words; words: of each value as it is shown; ask: as a command is told it. place: of each
    cell among the values. Axes that go together are one.
    """
    places, samples = plan.locate(cells)
    table = plan.tabulate(cells)
    found = []
    for column, axis in enumerate(plan.axes):
        if axis.leader:
            continue
        together = [axis, *(other for other in plan.axes if other.leader == axis.name)]
        entry: dict[str, Any] = {"name": " & ".join(one.name for one in together), "unit": axis.shown_unit,
                                 "meaning": " & ".join(map(name_meaning, together))}
        if axis.is_random:
            entry |= {"random": True, "at": columns.add(table[:, column])}
        else:
            entry |= {"words": [", ".join(describe_value(one, one.values[k]) for one in together)
                                for k in range(len(axis))],
                      "ask": [",".join(f"{one.name}={ask_value(one, one.values[k])}" for one in together)
                              for k in range(len(axis))],
                      "values": None if axis.kind == WORDS else axis.values.tolist(),
                      "place": columns.add(places[:, column], "i4")}
        found.append(entry)
    if plan.has_random:
        n = plan.samples or 0
        found.append({"name": "sample", "meaning": "sample", "unit": "", "words": [str(k) for k in range(n)],
                      "ask": [f"sample={k}" for k in range(n)], "values": list(range(n)),
                      "place": columns.add(samples, "i4")})
    return found


def name_meaning(axis: SweepAxis) -> str:
    """What an axis varies, in words."""
    return f"factor of {name_key(axis.key)}" if axis.is_factor else name_key(axis.key)


def ask_value(axis: SweepAxis, value: float) -> str:
    """A value as `--cell` takes it."""
    return axis.words[int(value)] if axis.kind == WORDS else repr(float(value) + 0.0)


def choose_cells(logged: Sequence[int], most: int) -> list[int]:
    """At most so many of the cells that have logs, spread evenly."""
    if len(logged) <= most:
        return list(logged)
    return [logged[round(i * (len(logged) - 1) / (most - 1))] for i in range(most)]


def check_runs(runs: dict[int, Trajectory]) -> None:
    """A run that is shown has rows. Raises ReplayError."""
    for cell, trajectory in runs.items():
        if not len(trajectory):
            raise ReplayError(f"the run of cell {cell} has no rows")
