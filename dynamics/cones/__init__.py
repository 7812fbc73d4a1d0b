"""Contact modes, wrench cones, statics and insertions of a part at rest. Does not search for accelerations."""
