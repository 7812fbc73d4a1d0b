"""Contact formations: closed-form poses of the eight types, tracks and sheets. No friction."""
