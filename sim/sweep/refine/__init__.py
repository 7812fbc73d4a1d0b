"""From a coarse sweep to exact boundaries between outcomes."""
