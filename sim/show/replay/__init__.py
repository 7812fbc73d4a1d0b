"""A motion in pictures: frames, movies, pages, the window. Knows no set, no cone and no sweep."""
