"""How a part can rest on a floor and among obstacles, and between jaws: hull, contact curves, rest poses, squeezes.
Nothing here has a mass."""
