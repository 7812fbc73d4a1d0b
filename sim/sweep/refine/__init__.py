"""From a coarse sweep to exact boundaries between outcomes. Runs cells as the sweep does, in no way of its own."""
