"""Shapes, poses and contacts. Knows no mass, no force, no time step, no file of results."""
