"""What each command prints, how it shows its progress, and the words that all of them read."""
