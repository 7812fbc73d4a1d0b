"""What a run returns: arrays, contacts of a step, intervals of ambiguity, the account."""

import math

import h5py
import numpy as np
import pytest

from sim.log.trajectory import MemorySink, Trajectory
from sim.rows.account import ACCOUNT_DTYPE, Account, judge_completed, pack_account, unpack_account
from sim.rows.records import (
    CONTACT_DTYPE,
    CONTACT_TYPES,
    EVENT_DTYPE,
    EVENT_KINDS,
    EVENT_WORDS,
    IMPACT_CLASSES,
    SET_KINDS,
    STEP_DTYPE,
    number_events,
    word_events,
)
from sim.rows.status import Status
from sim.run.simulation import simulate
from tests.sim.synthetic import GRAVITY, make_record, make_rows, make_slide


def make_trajectory(kinds, times=None):
    steps = np.zeros(len(kinds), STEP_DTYPE)
    steps["time"] = np.arange(len(kinds)) if times is None else times
    steps["set_kind"] = kinds
    empty = (np.zeros(0, CONTACT_DTYPE), np.zeros(0, EVENT_DTYPE), np.zeros(0, CONTACT_DTYPE))
    return Trajectory(None, steps, *empty, Status.COMPLETED, Account(), record=make_record())


def test_named_arrays():
    trajectory = make_slide(v0=1.0, mu=0.3)
    n = len(trajectory)
    assert trajectory.time.shape == (n,)
    for name, fields in (("pose", "x y theta"), ("velocity", "vx vy omega"), ("acceleration", "ax ay alpha")):
        array = getattr(trajectory, name)
        assert array.shape == (n, 3) and array.dtype == np.float64 and array is getattr(trajectory, name)
        for column, field in enumerate(fields.split()):
            assert np.array_equal(array[:, column], trajectory.steps[field])
    assert trajectory.pose[-1, 0] == pytest.approx(1.0 / (2 * 0.3 * GRAVITY), rel=1e-12)


def test_arrays_are_read_only():
    trajectory = make_slide()
    for array in (trajectory.time, trajectory.pose, trajectory.steps, trajectory.contacts["fn"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_contacts_and_modes_of_a_step():
    trajectory = make_slide()
    assert trajectory.mode_at(0) == "rr" and trajectory.mode_at(-1) == "nn"
    for i in (0, 3, -1):
        rows = trajectory.contacts_at(i)
        assert len(rows) == 2
        assert np.allclose(rows["px"] - trajectory.pose[i, 0], [-0.05, 0.05], atol=1e-15)
    with pytest.raises(IndexError):
        trajectory.contacts_at(len(trajectory))
    assert make_trajectory([1]).mode_at(0) == ""


def test_impulses_of_an_event(rng):
    tables = make_rows(0, 50, rng)
    trajectory = Trajectory(None, *tables, Status.COMPLETED, Account(), record=make_record())
    assert trajectory.impulses_at(3)["px"] == [3.0] and len(trajectory.events) == 5


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([], []),
        ([1, 1, 1], []),
        ([0], []),
        ([2, 2, 2], [(0, 2)]),
        ([1, 2, 1], [(1, 2)]),
        ([1, 3, 2, 1, 0, 2], [(1, 3), (5, 5)]),
        ([2, 1, 3], [(0, 1), (2, 2)]),
    ],
)
def test_intervals_that_were_not_unique(kinds, expected):
    found = make_trajectory(kinds).not_unique
    assert found.shape == (len(expected), 2) and [tuple(row) for row in found] == expected


@pytest.mark.parametrize("kinds, events, expected", [
    ([1, 2, 2], [(0.5, "uniqueness", 2)], [(0.5, 2)]),
    ([2, 1, 1], [(0.25, "uniqueness", 1), (0.5, "uniqueness", 3), (0.75, "uniqueness", 1)], [(0, 0.25), (0.5, 0.75)]),
    ([1, 1, 1], [(0.5, "uniqueness", 2)], [(0.5, 1)]),  # a new row says that it is over
    ([1, 1, 2], [(1.0, "uniqueness", 2)], [(1, 2)]),  # it follows the row at that time
    ([1, 1, 1], [(1.0, "uniqueness", 2), (1.0, "slip", 1)], []),  # the row follows it
    ([1, 1, 1], [(0.5, "slip", 2), (2.5, "uniqueness", 2)], []),
])
def test_intervals_that_begin_and_end_between_rows(kinds, events, expected):
    rows = make_trajectory(kinds)
    table = np.zeros(len(events), EVENT_DTYPE)
    for row, (time, kind, set_kind) in zip(table, events, strict=True):
        row["time"], row["kind"], row["set_kind"] = time, EVENT_KINDS.index(kind), set_kind
    found = Trajectory(None, rows.steps, rows.contacts, table, rows.impulses, rows.status, rows.account,
                       record=rows.record).not_unique
    assert found.shape == (len(expected), 2) and [tuple(row) for row in found] == expected


def test_memory_sink_equals_one_table(rng):
    tables = make_rows(0, 1000, rng)
    sink = MemorySink(make_record())
    buffers = [np.zeros_like(table) for table in tables]
    start = [0, 0, 0, 0]
    for step in (0, 1, 400, 37, 562):  # the engine's buffers are used again for every chunk
        counts = [step, 2 * step, 0, 0] if step != 562 else [step, 2 * step, len(tables[2]), len(tables[3])]
        chunk = []
        for table, buffer, first, count in zip(tables, buffers, start, counts, strict=True):
            buffer[:count] = table[first : first + count]
            chunk.append(buffer[:count])
        sink.write(*chunk)
        start = [a + b for a, b in zip(start, counts, strict=True)]
    for buffer in buffers:
        buffer[:] = 0
    sink.close(Status.STALLED, Account(n_steps=3), "why")
    trajectory = sink.trajectory
    for name, table in zip(("steps", "contacts", "event_rows", "impulses"), tables, strict=True):
        assert getattr(trajectory, name).tobytes() == table.tobytes(), name
    assert (trajectory.status, trajectory.account.n_steps, trajectory.message) == (Status.STALLED, 3, "why")


def test_wrong_tables_are_refused():
    good = make_slide()
    with pytest.raises(TypeError, match="was expected"):
        Trajectory(None, good.contacts, good.contacts, good.events, good.impulses, Status.COMPLETED, Account(),
                   record=good.record)  # fmt: skip
    with pytest.raises(ValueError, match="scene"):
        Trajectory(None, good.steps, good.contacts, good.events, good.impulses, Status.COMPLETED, Account())


def test_text_for_people():
    trajectory = make_slide()
    assert repr(trajectory) == "<Trajectory of box_slides: COMPLETED, 104 steps, 0 to 0.408 s, 1 events>"
    text = "\n".join(trajectory.describe())
    for part in ("box_slides", "COMPLETED", "0.408 s", "mode nn", "not unique", "penetration 1e-16 m"):
        assert part in text, f"{part!r} not in\n{text}"
    assert "advice" not in text
    assert "RUNNING" in repr(Trajectory(None, *(getattr(trajectory, name) for name in (
        "steps", "contacts", "events", "impulses")), Status.RUNNING, Account(), record=trajectory.record))  # fmt: skip
    assert "Trajectory" in repr(make_trajectory([]))


def test_account_survives_packing():
    account = Account(penetration=1e-17, energy_start=-0.0, work_load=1.5, n_steps=2**60 + 1, wall_solve=0.1)
    packed = pack_account(account)
    assert packed.dtype == ACCOUNT_DTYPE and packed["n_steps"] == 2**60 + 1
    assert unpack_account(packed[()]) == account
    older = np.zeros((), [("n_steps", "i8"), ("of_the_future", "f8")])
    older["n_steps"] = 5
    assert unpack_account(older[()]) == Account(n_steps=5)


def test_account_describes_every_entry():
    lines = Account(penetration=1.25e-9, n_steps=12).describe()
    assert len(lines) == len(ACCOUNT_DTYPE.names)
    assert any("penetration" in line and "1.25e-09 m" in line for line in lines)
    assert any("n_steps" in line and " 12 " in line for line in lines)


@pytest.mark.parametrize("field", ["penetration", "gap_residual", "balance_residual", "cone_residual"])
@pytest.mark.parametrize("value", [2e-6, math.nan])
def test_account_names_the_law_that_was_not_kept(field, value):
    assert Account(**{field: 0.9e-6}).find_broken_law(1.0, 1e-10) == ""
    said = Account(**{field: value}).find_broken_law(1.0, 1e-10)
    assert said.startswith(f"{field} is {value:.3g}, more than 1e-06: ")


def test_runs_are_judged_together_as_one_by_one():
    """The first law that was not kept counts, and none of a run that is not finite."""
    entries = {"penetration": np.array([0.0, 2e-6, 0.0, math.nan]), "gap_residual": np.array([0.0, 2e-6, 0.0, 0.0]),
               "balance_residual": 0.0, "cone_residual": 0.0, "energy_residual": np.array([0.0, 0.0, 1e-3, 0.0])}
    finite, tolerance = np.array([True, True, True, False]), np.array([1e-10, 1e-10, 0.0, 1e-10])
    together = judge_completed(finite, entries, 1.0, tolerance)
    assert together == {1: (Status.LAWS_BROKEN, together[1][1]), 3: (Status.NOT_FINITE, "")}
    assert together[1][1].startswith("penetration is 2e-06")
    for i in range(4):
        own = {name: np.broadcast_to(values, 4)[i] for name, values in entries.items()}
        assert judge_completed(finite[i : i + 1], own, 1.0, tolerance[i]).get(0) == together.get(i)


def test_energy_is_as_exact_as_the_steps():
    account = Account(energy_residual=1e-5)
    assert "energy_residual" in account.find_broken_law(1.0, 1e-10)
    assert account.find_broken_law(1.0, 1e-8) == "" == account.find_broken_law(1.0, 0.0)


def test_run_that_breaks_a_law_says_so(monkeypatch):
    import sim.rows.account
    from sim import load_scene, simulate

    scene = load_scene("block_tips")
    assert simulate(scene, 0.5).status is Status.COMPLETED
    monkeypatch.setattr(sim.rows.account, "LAW_LIMIT", 1e-30)
    trajectory = simulate(scene, 0.5)
    assert trajectory.status is Status.LAWS_BROKEN and "more than" in trajectory.message
    assert any("Do not trust" in line for line in trajectory.describe())


def test_events_say_in_words_what_the_log_says_in_integers(tmp_path):
    trajectory = simulate("bouncing_block", duration=1.0)
    events, rows = trajectory.events, trajectory.event_rows
    assert events["kind"].tolist() == [EVENT_KINDS[kind] for kind in rows["kind"]] and "impact" in events["kind"]
    assert [event["kind"] for event in events] == events["kind"].tolist() and isinstance(events[0]["kind"], str)
    assert events["set_kind"].tolist() == [SET_KINDS[kind] for kind in rows["set_kind"]]
    assert events["impact_class"].tolist() == [IMPACT_CLASSES[kind] for kind in rows["impact_class"]]
    assert events["type"].tolist() == [(*CONTACT_TYPES, "")[kind] for kind in rows["type"]] and "" in events["type"]
    assert not events.flags.writeable and set(events.dtype.names) == set(rows.dtype.names)
    again = Trajectory(None, trajectory.steps, trajectory.contacts, events, trajectory.impulses, trajectory.status,
                       trajectory.account, record=trajectory.record)
    assert again.event_rows.tobytes() == rows.tobytes()
    with h5py.File(trajectory.save(tmp_path / "a.h5")) as file:
        assert file["events/kind"][:].tolist() == rows["kind"].tolist()
        for name, words in EVENT_WORDS.items():
            assert [word.decode() for word in file[f"events/{name}"].attrs["values"]] == list(words)


def test_codes_of_no_word_are_nothing():
    rows = np.zeros(2, EVENT_DTYPE)
    rows["kind"], rows["type"] = [99, -1], -1
    assert word_events(rows)["kind"].tolist() == ["", ""]
    assert number_events(word_events(rows))["type"].tolist() == [-1, -1]
