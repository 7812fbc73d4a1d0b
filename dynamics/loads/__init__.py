"""Loads that change with time, pose or velocity: what each does to the part, and along a power series. No contacts."""
