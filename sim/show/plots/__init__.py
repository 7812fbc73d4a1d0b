"""Pictures of sets, cones, maps, sweeps and formations."""
