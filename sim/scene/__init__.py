"""From TOML to a frozen scene in SI units. Only here words and units become numbers; nothing runs."""
