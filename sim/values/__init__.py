"""Numbers with units, as a scene or the command line gives them, and what they are in SI; no scene, no file."""
