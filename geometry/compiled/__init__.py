"""Code that is compiled: the decorator, the folder of machine code, records. Knows no geometry."""
