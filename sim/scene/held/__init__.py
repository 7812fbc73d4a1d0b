"""What holds, pulls and brakes the part: grippers, springs, drag, loads that change. Read and checked, no kernels."""
