"""What a feeder makes of a part: drops and their basins, gates, and plans that need no sensor."""
