"""The log of a run or a tree in HDF5: written, read, checked, and the trajectory that it holds. Runs nothing."""
