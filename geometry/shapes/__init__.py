"""Outlines, poses, units of length, overlaps and the union of obstacles. Nothing here moves or touches."""
