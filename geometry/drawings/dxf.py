"""DXF files, read by ezdxf: which entities are drawn, on which layers, in which unit."""

from __future__ import annotations

import io
import logging
from typing import Any

from geometry.drawings.affine import Affine
from geometry.drawings.drawing import Drawing, DrawingError, Trace, naming
from geometry.drawings.dxf_entities import make_parts
from geometry.tolerances import MOST_NESTED, MOST_TRACES

# $INSUNITS -> name, numerator and denominator of its length in metres; 0 says nothing.
UNITS = {1: ("in", 254, 10_000), 2: ("ft", 3_048, 10_000), 4: ("mm", 1, 1_000), 5: ("cm", 1, 100), 6: ("m", 1, 1),
         8: ("microinch", 254, 10_000_000_000), 9: ("mil", 254, 10_000_000), 10: ("yd", 9_144, 10_000),
         12: ("nm", 1, 1_000_000_000), 13: ("um", 1, 1_000_000), 14: ("dm", 1, 10)}

MOST_TOLD = 5  # faults of a damaged file that are told
LONGEST = 200  # characters of what a library says

# Entities that show or measure something, but are no line of the part.
_BESIDE = {"TEXT", "MTEXT", "DIMENSION", "ARC_DIMENSION", "LARGE_RADIAL_DIMENSION", "LEADER", "MULTILEADER", "MLEADER",
           "HATCH", "MPOLYGON", "POINT", "ATTDEF", "ATTRIB", "VIEWPORT", "IMAGE", "WIPEOUT", "TOLERANCE", "SOLID",
           "TRACE", "XLINE", "RAY", "PDFUNDERLAY", "DWFUNDERLAY", "DGNUNDERLAY", "OLE2FRAME", "ACAD_TABLE", "LIGHT",
           "SUN"}


def read_dxf(name: str, data: bytes) -> Drawing:
    """All traces of the model space of a DXF file. Raises DrawingError."""
    document, notes = _load(name, data)
    layers = _find_layers(document)
    reader = _DxfReader(document, layers)
    reader.read(document.modelspace(), Affine(), "0", 0)
    if not reader.traces:
        hurt = "".join(f"; {note}" for note in notes)
        raise DrawingError(f"nothing is drawn in it that could be an outline{reader.describe()}{hurt}; valid are "
                           "LINE, "
                           "ARC, CIRCLE, LWPOLYLINE, POLYLINE, ELLIPSE, SPLINE, and INSERT of blocks of them")
    code = document.header.get("$INSUNITS", 0)
    unit = UNITS.get(code)
    said = unit[0] if unit else ("$INSUNITS does not say one" if code == 0 else f"$INSUNITS is {code}")
    return Drawing(name, tuple(reader.traces), unit[1:] if unit else None, said, (*notes, *reader.list_notes()))


def _load(name: str, data: bytes) -> tuple[Any, list[str]]:
    """The document, and notes where the file had to be mended to be read."""
    try:
        import ezdxf
        from ezdxf import recover
    except ImportError:
        raise DrawingError("DXF is read by the package ezdxf, which is not installed: pip install ezdxf") from None
    # what it logs of a damaged file is told by the notes; without a handler it would go to standard error
    logging.getLogger("ezdxf").addHandler(logging.NullHandler())
    if b"SECTION" not in data:
        raise DrawingError("it is no DXF file: it has no sections")
    try:
        return ezdxf.readfile(name), []
    except Exception as error:  # whatever a library raises on damaged bytes
        fault = error
    if not data.rstrip().endswith(b"EOF"):
        raise DrawingError("it is cut off: a DXF file ends with EOF")
    try:
        document, auditor = recover.read(io.BytesIO(data))
    except Exception:
        raise DrawingError(f"it cannot be read as DXF: {_say(fault)}") from None
    mended = [_say(entry.message) for entry in (*auditor.errors, *auditor.fixes)]
    more = [f"and {len(mended) - MOST_TOLD} more faults"] if len(mended) > MOST_TOLD else []
    return document, [f"the file is damaged: {_say(fault)}", *(f"mended: {line}" for line in mended[:MOST_TOLD]), *more]


def _say(error: object) -> str:
    text = " ".join(str(error).split())
    return text[:LONGEST] if text else type(error).__name__


def _find_layers(document: Any) -> dict[str, str]:
    """{name in lower case: why it is not shown, or ''}."""
    shown = {}
    for layer in document.layers:
        why = "frozen" if layer.is_frozen() else "off" if layer.is_off() else ""
        shown[layer.dxf.name.lower()] = why
    return shown




class _DxfReader:
    """Goes through entities and the blocks that they insert."""

    def __init__(self, document: Any, layers: dict[str, str]):
        self.document, self.layers = document, layers
        self.traces: list[Trace] = []
        self.beside: dict[str, int] = {}
        self.hidden: dict[str, int] = {}
        self.notes: list[str] = []

    def read(self, entities: Any, affine: Affine, layer: str, depth: int) -> None:
        """Add what entities draw; `layer` is that of the block's insert, which entities on layer 0 take."""
        if depth > MOST_NESTED:
            raise DrawingError(f"its blocks are nested more than {MOST_NESTED} deep, or insert themselves")
        for entity in entities:
            kind = entity.dxftype()
            own = str(entity.dxf.get("layer", "0"))
            own = layer if own == "0" and depth else own
            why = self.layers.get(own.lower(), "")
            if why or entity.dxf.get("invisible", 0):
                key = f"layer {own!r} is {why}" if why else "invisible"
                self.hidden[key] = self.hidden.get(key, 0) + 1
            elif kind in _BESIDE:
                self.beside[kind] = self.beside.get(kind, 0) + 1
            else:
                self._read_one(entity, kind, affine, own, depth)

    def _read_one(self, entity: Any, kind: str, affine: Affine, layer: str, depth: int) -> None:
        label = f"{kind} #{entity.dxf.get('handle') or '?'}"
        if kind == "INSERT":
            for insert in entity.multi_insert() if entity.mcount > 1 else (entity,):
                self._read_block(insert, label, affine, layer, depth)
            return
        with naming(f"{label} on layer {layer!r}"):
            try:
                found = make_parts(entity, kind, affine)
            except DrawingError:
                raise
            except Exception as error:  # an entity that lacks what its kind must have
                raise DrawingError(f"it cannot be read: {_say(error)}") from None
        if found.note:
            self.notes.append(f"{label}: {found.note}")
        if found.parts:
            self.traces.append(Trace(label, layer, tuple(found.parts), found.closed, groups=(layer,)))
        else:
            self.notes.append(f"{label} on layer {layer!r} has no length: left out")
        if len(self.traces) > MOST_TRACES:
            raise DrawingError(f"it draws more than {MOST_TRACES} entities; valid are drawings of one "
                               "part")

    def _read_block(self, insert: Any, label: str, affine: Affine, layer: str, depth: int) -> None:
        with naming(f"{label} on layer {layer!r}"):
            block = insert.block()
            if block is None:
                raise DrawingError(f"it inserts block {insert.dxf.get('name', '')!r}, which is not in the file")
            rows = [insert.matrix44().get_row(k) for k in range(4)]
            if max(abs(rows[2][0]), abs(rows[2][1]), abs(rows[0][2]), abs(rows[1][2])) > 0.0:
                raise DrawingError("it is tilted out of the plane; valid are extrusions along z, either way")
            inner = Affine(rows[0][0], rows[0][1], rows[1][0], rows[1][1], rows[3][0], rows[3][1])
            if inner.determinant == 0.0:
                raise DrawingError("its scale is zero")
        self.read(block, affine.after(inner), layer, depth + 1)

    def describe(self) -> str:
        """What there is instead, in brackets."""
        words = [f"{count} {kind}" for kind, count in self.beside.items()]
        words += [f"{count} entities hidden: {why}" for why, count in self.hidden.items()]
        return f" ({', '.join(words)})" if words else ""

    def list_notes(self) -> list[str]:
        notes = [f"{count} entities left out: {why}" for why, count in self.hidden.items()]
        if self.beside:
            notes.append("left out, being no outline: " + ", ".join(f"{n} {kind}" for kind, n in self.beside.items()))
        return [*self.notes, *notes]
