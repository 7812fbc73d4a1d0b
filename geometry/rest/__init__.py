"""How a part can rest on a straight floor, and between jaws: convex hull with arcs, rest poses, symmetry, squeezes.
Nothing here has a mass."""
