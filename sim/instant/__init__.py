"""One instant of a scene: arrays for compiled code, contact problem, outcome. No time loop."""
