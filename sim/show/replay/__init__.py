"""A motion in pictures: frames, movies, pages, the window."""
