"""From a scene to a motion: simulate, simulate_branches, and the first start on a machine. Draws and prints nothing."""
