"""Boundaries that are known in closed form, found by refining coarse sweeps."""

import math

import numpy as np
import pytest

from sim.scene.build import parse_scene
from sim.sweep.refine.refine import refine
from sim.sweep.sweep import sweep
from tests import scene_builders as builders

# The contact problem lets an acceleration violate a law by 1e-10 of the largest load, and thresholds blur by some 1e-9.
# Nearer than FAINT to a threshold a part that still moves hardly does so: its account may then break a law, which is a
# thin third outcome ("failed"), and refining shows it.
BLUR, FAINT = 5e-9, 1e-7


def find_boundaries(text, tolerance=1e-9, of="outcome", **axes):
    return refine(sweep(parse_scene(text), **axes), "mu", tolerance, of=of)


@pytest.mark.parametrize("degrees", [10.0, 30.0, 50.0])
def test_a_block_sticks_above_the_tangent_of_the_slope(degrees):
    text = builders.slope_block(builders.standing_box(1.0, 0.5), degrees, 0.3, 0.3)
    found = find_boundaries(text, mu="0:2:5")
    limit = math.tan(math.radians(degrees))
    assert found["before"][0] == "timed out" and found["after"][-1] == "at rest on edge 0"
    assert found.boundaries["mu"][-1] == pytest.approx(limit, abs=BLUR)
    assert found.boundaries["mu"] == pytest.approx(limit, abs=FAINT)
    assert found.width <= 1e-9 and found.ratio > 1e7


@pytest.mark.parametrize("width, height", [(0.2, 0.6), (1.0, 3.0), (0.3, 0.4)])
def test_a_block_tips_above_width_over_height(width, height):
    """It slides, tips and slides, or tips about its corner, by the formulas for a block on an incline."""
    slope, g = math.radians(60.0), 9.81
    text = builders.slope_block(builders.standing_box(width, height), 60.0, 0.3, 1e-4)
    found = find_boundaries(text, 1e-8, of="modes", mu="0.05:1.65:5")
    a, h = width / 2, height / 2
    turn = g * (h * math.sin(slope) - a * math.cos(slope)) / ((a * a + h * h) / 3.0 + a * a + h * h)
    pivot = (g * math.sin(slope) - turn * h) / (g * math.cos(slope) + turn * a)
    slides, *pivots = found.boundaries["mu"]
    assert slides == pytest.approx(width / height, abs=1e-8)
    assert found["before"][0] == "rr" and found["after"][-1] == "n"
    assert pivots and pivots == pytest.approx([pivot] * len(pivots), abs=FAINT)


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


@pytest.mark.parametrize("l", [0.9, 1.0, 1.2])
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
    rows = found.boundaries[found["after"] == "no solution"]
    assert len(rows) == 9
    kappa, angle = (rows["rho"] / 0.5) ** 2, rows["workpiece.pose.theta"]
    assert rows["mu"] == pytest.approx((kappa + np.cos(angle) ** 2) / (np.cos(angle) * np.sin(angle)), abs=FAINT)
    for value, rod in zip(kappas, rods, strict=True):
        own = rows[rows["rho"] == rod]
        best = own[np.argmin(own["mu"])]
        assert best["mu"] == pytest.approx(2.0 * math.sqrt(value * (1.0 + value)), abs=FAINT)
        assert math.tan(best["workpiece.pose.theta"]) == pytest.approx(math.sqrt((1.0 + value) / value))
