"""The live view of a scene: a page on this machine, whose sliders change numbers of the scene. Nothing here computes
mechanics: the set of accelerations and the runs are those of `sim.instant` and `sim.run`."""
