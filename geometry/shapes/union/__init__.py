"""Several outlines at once: the boundary of their union, and how deep two of them overlap."""
