"""Pictures, movies and the viewer. Computes nothing that is not seen."""
