"""The account of a run is what its rows say: shown a part that is sunk into the floor, or held by forces that pull,
the recorder tells the broken law. A run never gets there, so the state is put there by hand between two calls of the
engine."""

from __future__ import annotations

import pytest

from sim.engine.loop import run_chunk
from sim.engine.recorder import account_contacts
from sim.rows.status_codes import COMPLETED
from sim.run.ledger import compute_account
from sim.run.model import prepare
from sim.scene.build import parse_scene
from tests import scene_builders as builders

G, SIZE = 9.81, 0.1


class Bench:
    """A box of 1 kg on a floor, run to the end, at rest or sliding; its last row can be written anew."""

    def __init__(self, speed: float = 0.0):
        text = builders.slope_block(builders.standing_box(SIZE, SIZE), mu=0.3, speed=speed, duration=0.1)
        self.parts = self.body, self.options, self.state, self.tools, self.log = prepare(parse_scene(text))
        assert run_chunk(*self.parts) == COMPLETED
        assert self.state.at_rest == (speed == 0.0)
        assert self.find_broken_law() == ""

    def write(self):
        """Write the last row once more, of the state as it is now; returns the rows of its contacts."""
        self.state.last_row = -1.0
        assert run_chunk(*self.parts) == COMPLETED
        row = self.log.steps[self.log.counts[0] - 1]
        return self.log.contacts[row["first_contact"] : row["first_contact"] + row["n_contacts"]]

    @property
    def account(self):
        return compute_account(self.body, self.options.scales.touch, self.state)

    def find_broken_law(self) -> str:
        return self.account.find_broken_law(self.body.part.radius, self.options.tolerance).partition(" ")[0]


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_row_tells_how_deep_the_part_is(speed):
    bench = Bench(speed)
    bench.state.pose[1] -= 1e-3
    assert bench.write()["gap"] == pytest.approx([-1e-3, -1e-3], abs=1e-15)
    assert bench.account.penetration == pytest.approx(1e-3, abs=1e-15)
    assert bench.find_broken_law() == "penetration"


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_gap_is_no_penetration(speed):
    bench = Bench(speed)
    bench.state.pose[1] += 1e-3
    assert bench.write()["gap"] == pytest.approx([1e-3, 1e-3], abs=1e-15)
    assert bench.account.penetration < 1e-12


@pytest.mark.parametrize("depth", [1e-3, -1e-3])
def test_the_end_of_a_step_tells_how_far_its_contacts_are_from_closed(depth):
    """A step that ends between two rows is judged too."""
    bench = Bench(1.0)
    bench.state.pose[1] -= depth
    account_contacts(bench.body, bench.state)
    assert bench.account.gap_residual == pytest.approx(1e-3, abs=1e-15)
    assert bench.account.penetration == pytest.approx(max(depth, 0.0), abs=1e-12)
    assert bench.find_broken_law() == ("penetration" if depth > 0.0 else "gap_residual")


@pytest.mark.parametrize(("fn", "ft", "cone", "law"), [
    ((-1.0, G + 1.0), (0.0, 0.0), 1.0, "balance_residual"),  # pulls: the torque is not in balance either
    ((-1.0, G + 1.0), (-0.2, 0.2), 1.0, "balance_residual"),  # pulls, and its friction is less than that
    ((0.5 * G, 0.5 * G), (2.0, -2.0), 2.0 - 0.15 * G, "cone_residual"),  # more friction than the normal force allows
    ((0.5 * G, 0.5 * G), (0.1 * G, -0.1 * G), 0.0, ""),
])
def test_a_row_tells_forces_that_are_not_in_their_cones(fn, ft, cone, law):
    """The excess counts relative to the largest of load and forces, and to 1 + mu."""
    bench = Bench()
    bench.state.rest_force[:2, 0], bench.state.rest_force[:2, 1] = fn, ft
    rows = bench.write()
    assert rows["fn"] == pytest.approx(fn) and rows["ft"] == pytest.approx(ft)
    size = max(G, *(abs(n) + abs(t) for n, t in zip(fn, ft, strict=True)))
    assert bench.account.cone_residual == pytest.approx(cone / (size * 1.3), abs=1e-15)
    assert bench.find_broken_law() == law
