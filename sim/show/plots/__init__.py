"""Pictures of sets, cones, maps, sweeps and formations. Shows no motion in time."""
