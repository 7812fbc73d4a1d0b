"""Built-in scenes: one TOML file each."""
