"""A motion in pictures: frames, movies, the window. Knows no set, no cone and no sweep."""
