"""What stands in a log before its rows: root attributes, the scene, the outlines, and the empty tables."""

from __future__ import annotations

import h5py
import numpy as np

from geometry.packages import __version__
from geometry.shapes.outline_table import COLUMNS, tabulate_outline
from geometry.shapes.polygon import Polygon
from sim.files.columns import FILTERS
from sim.files.fixed_text import clean_text, fix_text, fix_texts
from sim.log import layout
from sim.log.bodies import BodyRecord, SceneRecord
from sim.rows.account import ACCOUNT_DTYPE, ACCOUNT_FIELDS, pack_account
from sim.rows.status import Status

VERTICES = "vertices, counter-clockwise"
FEATURES = ("edges and arcs, the solid on their left: where each starts, its centre (of an edge its start), its radius "
            "(0 of an edge, negative where it is concave), its loop (0 the outer one, the others are holes); each ends "
            "where the next one of its loop starts")
NAME_BYTES = 200  # of a body in the name of its dataset; its attribute `name` has all of it


def write_root(file: h5py.File) -> None:
    """The root attributes. Eight at most: more would leave the compact form, which can be rewritten in place."""
    program = f"stiction {__version__}"
    units = "\n".join(f"{name} [{unit}]: {text}" for name, _, unit, text in ACCOUNT_FIELDS)
    file.attrs["format"] = fix_text(layout.FORMAT)
    file.attrs["format_version"] = np.int64(layout.FORMAT_VERSION)
    file.attrs["program"] = fix_text(program)
    file.attrs["status"] = np.int64(Status.RUNNING)
    file.attrs["status_name"] = fix_text(Status.RUNNING.name, layout.STATUS_BYTES)
    file.attrs["status_message"] = fix_text("", layout.MESSAGE_BYTES)
    file.attrs.create("account", pack_account(None), dtype=ACCOUNT_DTYPE)
    file.attrs["account_units"] = fix_text(units)


def write_scene(file: h5py.File, record: SceneRecord) -> dict[int, str]:
    """`/scene` and `/bodies`; returns the names of the obstacles there, by index."""
    scene = file.create_dataset("scene", data=fix_text(record.text))
    scene.attrs["meaning"] = fix_text("TOML text of the scene")
    for name in ("name", "summary", "source"):
        scene.attrs[name] = fix_text(getattr(record, name))
    bodies = file.create_group("bodies")
    write_body(bodies, record.workpiece, "workpiece", 0)
    return {index: write_body(bodies, body, "obstacle", index) for index, body in enumerate(record.obstacles)}


def write_body(group: h5py.Group, body: BodyRecord, role: str, index: int) -> str:
    """The outline of one body. The name of the dataset is that of the body, made unique and without slashes."""
    name = clean_text(body.name).encode()[:NAME_BYTES].decode(errors="ignore").replace("/", "_").strip(". ") or role
    unique = name
    while unique in group:
        unique = f"{name}-{role}-{index}" if unique == name else unique + "_"
    is_polygon = isinstance(body.outline, Polygon)
    table = body.outline.vertices if is_polygon else tabulate_outline(body.outline)
    dataset = group.create_dataset(unique, data=table, dtype="f8")
    frame = "about its centre of mass, unrotated" if role == "workpiece" else "world frame, t = 0"
    values = ("mass", "rho") if role == "workpiece" else ("mu", "e", "surface_speed")
    dataset.attrs["unit"] = fix_text("m")
    dataset.attrs["meaning"] = fix_text(f"{VERTICES if is_polygon else FEATURES}, {frame}")
    if not is_polygon:
        dataset.attrs["columns"] = fix_texts(COLUMNS)
    dataset.attrs["name"] = fix_text(body.name)
    dataset.attrs["role"] = fix_text(role)
    dataset.attrs["index"] = np.int64(index)
    if body.sha256:
        dataset.attrs["drawing"], dataset.attrs["sha256"] = fix_text(body.drawing), fix_text(body.sha256)
    for value in values:
        dataset.attrs[value] = float(getattr(body, value))
    return unique


def create_table(file: h5py.File, table: str, chunk_rows: dict[str, int]) -> None:
    """The empty datasets of one table, in the order of its layout."""
    group = file.create_group(table)
    for spec in layout.LAYOUTS[table]:
        tail = () if len(spec.fields) == 1 else (len(spec.fields),)
        dataset = group.create_dataset(
            spec.name, (0, *tail), layout.find_type(spec), maxshape=(None, *tail), chunks=(chunk_rows[table], *tail),
            **FILTERS,
        )
        dataset.attrs["unit"] = fix_text(spec.unit)
        dataset.attrs["meaning"] = fix_text(spec.meaning)
        if len(spec.fields) > 1:
            dataset.attrs["columns"] = fix_texts(spec.fields)
        if spec.values:
            dataset.attrs["values"] = fix_texts(spec.values)
