"""What the commands print of a part that is held: its insertion, its control."""
