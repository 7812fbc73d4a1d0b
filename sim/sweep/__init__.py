"""One scene over many values: axes, cells, tables, clusters. Single runs are made elsewhere."""
