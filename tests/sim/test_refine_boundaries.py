"""Boundaries that are known in closed form, found by refining coarse sweeps."""

import math

import numpy as np
import pytest

from sim.refinement import refine
from sim.scene import parse_scene
from sim.sweep_run import sweep
from tests import scene_builders as builders

# The contact problem lets an acceleration violate a law by 1e-10 of the largest load, and thresholds blur by as much.
BLUR = 5e-9


def find_boundaries(text, tolerance=1e-10, of="outcome", **axes):
    return refine(sweep(parse_scene(text), **axes), "mu", tolerance, of=of)


@pytest.mark.parametrize("degrees", [10.0, 30.0, 50.0])
def test_a_block_sticks_above_the_tangent_of_the_slope(degrees):
    text = builders.slope_block(builders.standing_box(1.0, 0.5), degrees, 0.3, 0.3)
    found = find_boundaries(text, mu="0:2:5")
    assert found["before"].tolist() == ["timed out"] and found["after"].tolist() == ["at rest"]
    assert found.boundaries["mu"][0] == pytest.approx(math.tan(math.radians(degrees)), abs=BLUR)
    assert found.width <= 1e-10 and found.ratio > 1e7


@pytest.mark.parametrize("width, height", [(0.2, 0.6), (1.0, 3.0), (0.3, 0.4)])
def test_a_block_tips_above_width_over_height(width, height):
    """It slides, tips and slides, or tips about its corner, by the formulas for a block on an incline."""
    slope, g = math.radians(60.0), 9.81
    text = builders.slope_block(builders.standing_box(width, height), 60.0, 0.3, 1e-7)
    found = find_boundaries(text, of="modes", mu="0.05:1.65:5")
    a, h = width / 2, height / 2
    turn = g * (h * math.sin(slope) - a * math.cos(slope)) / ((a * a + h * h) / 3.0 + a * a + h * h)
    pivot = (g * math.sin(slope) - turn * h) / (g * math.cos(slope) + turn * a)
    assert found.boundaries["mu"] == pytest.approx(sorted([a / h, pivot]), abs=1e-6)
    assert found.boundaries["mu"][0] == pytest.approx(width / height, abs=BLUR)


def build_tilted_peg(l, r=0.9, R=1.0):
    """A peg of radius r in a hole of radius R, engaged by l along its side, held by tip and mouth."""
    theta = math.atan2(l, 2 * r) - math.acos(2 * R / math.hypot(2 * r, l))
    depth = l * math.cos(theta) - 2 * r * math.sin(theta)
    part = {"name": "peg", "outline": builders.standing_box(2 * r, 4.0), "mass": 1.0,
            "pose": [R - r * math.cos(theta), -depth - r * math.sin(theta), theta]}
    walls = [{"name": name, "outline": builders.box_outline(*box)}
             for name, box in (("left", (-5.0, -5.0, -R, 0.0)), ("right", (R, -5.0, 5.0, 0.0)))]
    return builders.build_scene(part, walls, friction={"default": 0.3},
                                run={"duration": 0.01, "choice": "stick"})


@pytest.mark.parametrize("l", [0.8, 1.0, 1.2])
def test_a_peg_wedges_where_friction_exceeds_engagement_over_width(l):
    found = find_boundaries(build_tilted_peg(l), mu="0.05:1.05:6", rho=[0.5, 1.0])
    jammed = found.boundaries[found["after"] == "jammed"]
    assert jammed["rho"].tolist() == [0.5, 1.0]
    assert jammed["mu"] == pytest.approx(l / 1.8, abs=BLUR)


def test_a_sliding_rod_has_no_motion_above_the_critical_friction():
    """mu_c = 2 sqrt(kappa (1 + kappa)) at tan = sqrt((1 + kappa) / kappa); elsewhere more, where A = 0."""
    kappas = np.array([0.1, 1.0 / 3.0, 1.0])
    angles = np.arctan(np.sqrt((1.0 + kappas) / kappas))
    rods = 0.5 * np.sqrt(kappas)
    found = find_boundaries(builders.a09("i", duration=1e-9, choice="stop"), mu="0.01:9.01:10", rho=rods,
                            vary={"workpiece.pose.theta": angles})
    assert set(found["after"]) == {"no solution"}
    at = found.boundaries["mu"].reshape(3, 3)
    c, s = np.cos(angles), np.sin(angles)
    assert at == pytest.approx((kappas[:, None] + c**2) / (c * s), abs=1e-7)
    assert np.diag(at) == pytest.approx(2.0 * np.sqrt(kappas * (1.0 + kappas)), abs=1e-7)
    assert (np.argmin(at, axis=1) == np.arange(3)).all()
