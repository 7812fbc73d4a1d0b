"""What a part does between events and at them: modes, constraints, impacts, jams, the rule of choice. No time loop."""
