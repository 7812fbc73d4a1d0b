"""Maps of sets, contacts, insertions and formations of a scene: questions that need no motion in time, or many."""
