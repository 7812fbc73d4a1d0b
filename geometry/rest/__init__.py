"""How a part can rest on a straight floor: its convex hull with arcs, rest poses, symmetry. Nothing here has a mass."""
