"""The rows of a run as named columns with units, for curves, tables and notebooks. Reads no file, draws nothing."""
