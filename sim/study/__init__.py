"""Questions to a scene that one run does not answer: maps, contacts, insertions, formations. Draws nothing."""
