"""One contact (gap, normal, arm, variations), which contacts a pose makes, and when the next one comes. No force."""
