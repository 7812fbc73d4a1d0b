"""Drawings of parts, DXF and SVG: what is drawn, as chains of edges, arcs and curves. Knows no outline and no part."""
