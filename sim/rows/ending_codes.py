"""What ends a run that ends well, as compiled code and tables say it."""

from __future__ import annotations

# Its time is over; or the part has left the scene for good; or it is in a goal that stops the run, and the number of
# that in the scene is to be added.
TIME, AWAY, REACHED = 0, 1, 2

# Goals of one scene, at most: a run keeps since when the part has been in each. Larger: a state of a run takes more
# room. Smaller: scenes are refused.
MOST_GOALS = 64
