"""Dual-space projections of force and motion, and changes of coordinates, in any dimension. No scene."""
