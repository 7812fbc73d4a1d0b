"""Files that are whole or not there: one writer, one opener. Knows nothing of what stands in them."""
