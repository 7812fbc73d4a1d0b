"""What users ask of a set of accelerations: problem, pieces, certificate, explanation. No kernel calls it."""
