"""What shows a motion or a scene in a browser."""
