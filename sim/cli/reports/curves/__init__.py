"""What the command `plot` does with logs of runs: curves, tables, lists of what can be drawn."""
