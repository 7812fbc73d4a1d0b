"""What the commands print of a part by itself and of what becomes of it in a feeder."""
