"""The compiled time loop: advance, locate, jump, choose, record; many runs in one call. Knows no scene and no file."""
