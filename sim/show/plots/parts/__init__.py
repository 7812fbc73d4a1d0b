"""Pictures of a part by itself and of what becomes of it in a feeder: outlines, rest poses, basins, gates."""
