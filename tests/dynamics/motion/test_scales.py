"""What counts as zero must be more than rounding: of the speeds that a gap rate is made of, and of the time."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.motion.scales import find_least_speed, find_zero_speed
from sim.instant.body import build_body, build_scales, restart_motion
from sim.scene.build import parse_scene
from tests.sim.engine.test_moving import build_carrier


@pytest.mark.parametrize("velocity", [(1e6, 0.0, 0.0), (0.0, -1e6, 0.0), (0.0, 0.0, 1e7)])
def test_a_gap_rate_of_a_quick_part_carries_the_rounding_of_its_speed(velocity):
    scene = parse_scene(build_carrier(0.5))
    body = build_body(scene)
    scales, radius = build_scales(scene, body), body.part.radius
    speed = max(abs(velocity[0]), abs(velocity[1]), abs(velocity[2]) * radius)
    zero = find_zero_speed(body, scales, np.array(velocity))
    assert 100.0 * np.spacing(speed) < zero < 1e-8 * speed
    slow = find_zero_speed(body, scales, np.zeros(3))
    assert slow == scales.speed < 1e-10


def test_a_speed_that_a_force_gives_between_two_neighbouring_times_is_zero():
    """Where obstacles move: at 1e6 s two numbers that stand for a time are 1e-10 s apart."""
    scene = parse_scene(build_carrier(0.5, motion={"sinusoid": [{"amplitude": [0.01, 0.0], "frequency": 1.0}]}))
    body = build_body(scene)
    scales = build_scales(scene, body)
    for time in (1.0, 1e3, 1e6):
        restart_motion(body, time)
        assert find_least_speed(body, scales) >= scales.force * np.spacing(time)
        assert find_least_speed(body, scales) < 1e-13 * (1.0 + scales.force * time)
