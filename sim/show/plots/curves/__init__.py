"""Curves of a run over time or over each other: what is drawn, how it is drawn, and the call that does both."""
