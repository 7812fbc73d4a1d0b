"""What holds, pulls and brakes the part besides obstacles: grippers, springs, drag, loads over time. No kernels."""
