"""From a scene to a trajectory, to a file, to a picture."""
