"""What the commands print of a part that is held: its gripper and springs, its insertion, its control."""
