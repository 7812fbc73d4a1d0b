"""Motions as given: pose, velocity and acceleration of an obstacle as functions of time. No contact."""
