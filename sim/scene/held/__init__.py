"""What holds, pulls and brakes the part besides the obstacles: grippers, springs, drag, loads that change. No kernels."""
