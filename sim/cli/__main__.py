"""`python -m sim.cli`: the command line without the command."""

from sim.cli import main

main()
