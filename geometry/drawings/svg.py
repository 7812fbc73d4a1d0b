"""SVG files: which elements are drawn, under which transforms, in which unit."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from geometry.drawings.affine import Affine
from geometry.drawings.drawing import Drawing, DrawingError, Trace, naming
from geometry.drawings.svg_shapes import SHAPES, draw_element
from geometry.drawings.svg_style import Style, StyleSheet, inherit_style
from geometry.drawings.svg_units import (
    MILLIMETRES,
    Viewport,
    fit_view_box,
    read_length,
    read_page_length,
    read_transform,
    read_view_box,
)
from geometry.tolerances import MOST_NESTED, MOST_TRACES

_SVG = "{http://www.w3.org/2000/svg}"
_INKSCAPE = "{http://www.inkscape.org/namespaces/inkscape}"
_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
_GROUPS = ("g", "a", "switch")
_BESIDE = ("text", "image", "foreignObject", "video", "audio", "canvas", "iframe")  # shown, but no line of the part


def read_svg(name: str, data: bytes, own_units: bool = False) -> Drawing:
    """All traces of an SVG file in millimetres, or in user units, y upwards. Raises DrawingError."""
    if data.startswith(b"\x1f\x8b"):
        raise DrawingError("it is compressed (svgz); valid is plain SVG")
    try:
        root = ET.fromstring(data)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise DrawingError(f"it cannot be read as SVG: {error}") from None
    if _find_tag(root) != "svg":
        raise DrawingError(f"it is no SVG file: it begins with <{str(root.tag)[:60]}>; valid is <svg>")
    reader = _SvgReader(root)
    unit, affine = reader.place_page(own_units)
    reader.read_children(root, affine, Style(), (), 0)
    traces = reader.take_traces()
    return Drawing(name, tuple(traces), None if own_units else (1, 1000), unit, tuple(reader.list_notes()))


def _find_tag(element: Any) -> str:
    """The name of an element of SVG, with or without its namespace; '' for any other."""
    tag = element.tag if isinstance(element.tag, str) else ""
    return tag.removeprefix(_SVG) if tag.startswith(_SVG) or "}" not in tag else ""


def _name_element(element: Any, tag: str) -> str:
    return f"<{tag} id={element.get('id')!r}>" if element.get("id") else f"<{tag}>"


class _SvgReader:
    """Goes through groups, and what they use."""

    def __init__(self, root: Any):
        self.root = root
        self.by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
        sheets = [element for element in root.iter() if _find_tag(element) == "style"]
        self.sheet = StyleSheet(["".join(element.itertext()) for element in sheets])
        self.view = Viewport(100.0, 100.0)
        self.traces: list[Trace] = []
        self.unseen: list[Trace] = []  # of elements with neither fill nor stroke
        self.counts: dict[str, int] = {}  # reason -> elements left out
        self.notes: list[str] = [f"a style rule for {head!r} is not understood, and was left out"
                                 for head in self.sheet.unread]
        self.number = 0

    def place_page(self, own_units: bool) -> tuple[str, Affine]:
        """The unit, in words, and the map from user units to millimetres, y upwards from the lower edge of the page."""
        root = self.root
        box = read_view_box(root.get("viewBox"))
        width, height = (read_page_length(root.get(side), side) for side in ("width", "height"))
        px = MILLIMETRES["px"]
        if box:
            self.view = Viewport(box[2], box[3])
        elif width and height:
            self.view = Viewport(width * px[1] / px[0], height * px[1] / px[0])
        if own_units:
            top = (box[1] + box[3]) if box else self.view.height if height else 0.0
            self._tell_origin(bool(box or height))
            return "user units", Affine(d=-1.0, f=top)
        if box and (width or height):
            width, height = width or height * box[2] / box[3], height or width * box[3] / box[2]
            inner = fit_view_box(box, width, height, root.get("preserveAspectRatio"))
            self.notes.append(f"the page has {width:.9g} x {height:.9g} mm, its view box {box[2]:.9g} x {box[3]:.9g} "
                              "units")
        else:
            scale = px[0] / px[1]
            if box:
                inner, height = Affine(scale, 0.0, 0.0, scale, -box[0] * scale, -box[1] * scale), box[3] * scale
            else:
                inner = Affine(scale, 0.0, 0.0, scale)
            why = "no view box" if width or height else "no width or height"
            self.notes.append(f"96 units are an inch, since the file has {why}")
        self._tell_origin(height is not None)
        return "mm", Affine(d=-1.0, f=height or 0.0).after(inner)

    def _tell_origin(self, has_page: bool) -> None:
        where = "lower left corner of the page" if has_page else "origin of the file, since its page has no height"
        self.notes.append(f"y was turned upwards; the origin is the {where}")

    def read_children(self, parent: Any, affine: Affine, style: Style, groups: tuple[str, ...], depth: int) -> None:
        if depth > MOST_NESTED:
            raise DrawingError(f"its groups are nested more than {MOST_NESTED} deep, or use themselves")
        for element in parent:
            self.read_element(element, affine, style, groups, depth)

    def read_element(self, element: Any, affine: Affine, style: Style, groups: tuple[str, ...], depth: int,
                     used: tuple[str | None, str | None] | None = None) -> None:
        """Add what an element draws; used: width and height of the <use> that asks for it."""
        tag = _find_tag(element)
        if tag in _BESIDE:
            self._count(f"<{tag}>, being no outline")
        shown = tag in SHAPES or tag in (*_GROUPS, "svg", "use") or (tag == "symbol" and used is not None)
        if not shown:
            return
        label = _name_element(element, tag)
        found = self.sheet.find(element, tag)
        if found.get("display") == "none":
            self._count("with display: none")
            return
        style = inherit_style(style, found)
        if "transform" in found or element.get("transform-origin"):
            raise DrawingError(f"{label}: transforms in styles, and their origins, are not understood; valid is the "
                               "attribute transform")
        for name in ("clip-path", "mask"):
            if (element.get(name) or found.get(name) or "none") != "none":
                self.notes.append(f"{label}: its {name} was not applied")
        with naming(label):
            affine = affine.after(read_transform(element.get("transform")))
            if not affine.is_finite():
                raise DrawingError("its transforms, with those around it, are too large")
        own = (element.get(_INKSCAPE + "label"), element.get("id"))
        inside = (*groups, *(word for word in own if word))
        if tag in SHAPES:
            with naming(label):
                self._draw(element, tag, affine, style, inside, groups)
        elif tag == "use":
            self._use(element, label, affine, style, inside, depth)
        else:
            self._enter(element, tag, affine, style, inside, depth, used)

    def _enter(self, element: Any, tag: str, affine: Affine, style: Style, groups: tuple[str, ...], depth: int,
               used: tuple[str | None, str | None] | None) -> None:
        """A group, or a picture within the picture with a view box of its own."""
        before = self.view
        if tag in ("svg", "symbol"):
            sides = [used[k] if used and used[k] else element.get(name) for k, name in enumerate(("width", "height"))]
            width, height = (read_length(text or "100%", side, whole) for text, side, whole in
                             zip(sides, ("width", "height"), (before.width, before.height), strict=True))
            x, y = (read_length(element.get(key) or "0", key, whole) if tag == "svg" else 0.0
                    for key, whole in (("x", before.width), ("y", before.height)))
            affine = affine.after(Affine(e=x, f=y))
            box = read_view_box(element.get("viewBox"))
            self.view = Viewport(box[2], box[3]) if box else Viewport(width, height)
            if width <= 0.0 or height <= 0.0:
                self._count("in a picture without size")
                self.view = before
                return
            if box:
                affine = affine.after(fit_view_box(box, width, height, element.get("preserveAspectRatio")))
        self.read_children(element, affine, style, groups, depth + 1)
        self.view = before

    def _use(self, element: Any, label: str, affine: Affine, style: Style, groups: tuple[str, ...],
             depth: int) -> None:
        """The element that another one asks for, moved by its x and y."""
        target = next((element.get(name) for name in _HREFS if element.get(name)), "") or ""
        if not target.startswith("#") or target[1:] not in self.by_id:
            raise DrawingError(f"{label}: it uses {target[:60]!r}, which is not in the file")
        if depth > MOST_NESTED:
            raise DrawingError(f"its groups are nested more than {MOST_NESTED} deep, or use themselves")
        shift = Affine(e=read_length(element.get("x") or "0", "x", self.view.width),
                       f=read_length(element.get("y") or "0", "y", self.view.height))
        self.read_element(self.by_id[target[1:]], affine.after(shift), style, groups, depth + 1,
                          (element.get("width"), element.get("height")))

    def _draw(self, element: Any, tag: str, affine: Affine, style: Style, names: tuple[str, ...],
              groups: tuple[str, ...]) -> None:
        label = _name_element(element, tag)
        if not style.visible:
            self._count("hidden by visibility")
            return
        self.number += 1
        if affine.determinant == 0.0:
            raise DrawingError("its transforms leave it no area")
        strokes = draw_element(element, tag, affine, self.view)
        if not strokes:
            self.notes.append(f"{label} has no length: left out")
        for k, (parts, closed) in enumerate(strokes):
            name = label if len(strokes) == 1 else f"{label}, subpath {k}"
            trace = Trace(name, groups[-1] if groups else "", tuple(parts), closed, style.filled and tag != "line",
                          self.number, style.rule if style.filled else "evenodd", tuple(dict.fromkeys(names)))
            (self.traces if style.filled or style.stroked else self.unseen).append(trace)
        if len(self.traces) + len(self.unseen) > MOST_TRACES:
            raise DrawingError(f"it draws more than {MOST_TRACES} lines; valid are drawings of one part")

    def _count(self, why: str) -> None:
        self.counts[why] = self.counts.get(why, 0) + 1

    def take_traces(self) -> list[Trace]:
        """What is drawn; where that is nothing, what would be if it had a fill or a stroke. Raises DrawingError."""
        if self.traces:
            if self.unseen:
                self._count("with neither fill nor stroke")
            return self.traces
        if self.unseen:
            self.notes.append("nothing has a fill or a stroke: all shapes were taken")
            return [trace._replace(rule="evenodd") for trace in self.unseen]
        beside = "; ".join(f"{count} elements {why}" for why, count in self.counts.items())
        raise DrawingError(f"nothing is drawn in it that could be an outline{f' ({beside})' if beside else ''}; valid "
                           "are "
                           f"{', '.join(SHAPES)}, in groups or used")

    def list_notes(self) -> list[str]:
        return [*self.notes, *(f"left out: {count} elements {why}" for why, count in self.counts.items())]
