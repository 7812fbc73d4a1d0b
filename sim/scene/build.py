"""From TOML text to a scene: read, checked against the schema, converted, and refused with file, key and value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import scenes
from geometry.errors import InputError
from geometry.shapes.polygon import PolygonError
from geometry.shapes.pose import Pose
from sim.scene import schema, toml_text
from sim.scene.build_outline import AnyOutline, build_outline_of, convert_lengths, read_drawn, translate_outline
from sim.scene.held.build_control import build_control
from sim.scene.held.build_held import Bodies, HeldError, build_held
from sim.scene.held.holding import WORLD
from sim.scene.outline_schema import DrawnSection, OutlineSection
from sim.scene.rest_schema import PoseSection
from sim.scene.scene import AnyScene, DrawnFrom, Goal, Insertion, Obstacle, Run, Scene, Workpiece
from sim.scene.scene_errors import OTHER_COEFFICIENTS, NoOutlineError, SceneError, explain_validation_error
from sim.tolerances import CENTRED
from sim.values.quantities import ONE_COEFFICIENT, read_rho
from sim.words.quoting import cut, quote
from sim.words.suggestion import suggest

if TYPE_CHECKING:
    from geometry.prescribed.motion import Motion


def load_scene(name_or_path: str | os.PathLike, overrides: Mapping[str, Any] | None = None) -> Scene:
    """Scene from the name of a built-in scene or from a TOML file.

    overrides: {dotted path: value}, for example {"friction.default": 0.2, "workpiece.pose.theta": "20 deg"}; see
    `toml_text.apply_override`. Raises SceneError: the file cannot be read, a key is unknown, a value is wrong, an
    outline is not simple, the workpiece starts inside an obstacle.
    """
    path = _find_file(name_or_path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SceneError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: is not UTF-8 text (byte {error.start}); a scene is a TOML file") from None
    return parse_scene(text, overrides=overrides, source=str(path))


def take_scene(scene: AnyScene) -> Scene:
    """The scene itself, or that of a name or file: what every function accepts that begins with a scene."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, str | os.PathLike):
        return load_scene(scene)
    raise SceneError(f"{quote(scene)} is no scene; valid: a Scene, the name of a built-in scene, or a TOML file")


def _find_file(name_or_path: str | os.PathLike):
    """File of a scene: a name with a folder or an ending is a file, the rest are built-in scenes or else files."""
    path = Path(name_or_path)
    text = os.fspath(name_or_path)
    looks_like_file = not isinstance(name_or_path, str) or path.suffix or path.name != text
    if not looks_like_file and text in scenes.names():
        return scenes.path(text)
    if path.exists():
        return path
    if looks_like_file:
        raise SceneError(f"{cut(text)}: there is no such file")
    raise SceneError(f"{quote(text)} is neither a built-in scene nor a file{suggest(text, scenes.names())}")


def parse_scene(
    text: str, overrides: Mapping[str, Any] | None = None, source: str | os.PathLike | None = None
) -> Scene:
    """Scene from TOML text; `source` is the file it came from, for messages and the default name. See `load_scene`."""
    where = "scene" if source is None else os.fspath(source)
    try:
        data = toml_text.read_toml(text)
    except toml_text.TomlError as error:
        raise SceneError(f"{where}: {error}") from None
    for path, value in (overrides or {}).items():
        try:
            toml_text.apply_override(data, path, toml_text.parse_value(value))
        except toml_text.PathError as error:
            raise SceneError(f"{where}: override {cut(path)}: {error}") from None
    scene = build_scene(data, text, where, None if source is None else os.fspath(source))
    if not overrides:
        return scene
    from sim.scene.toml_edit import rewrite_toml

    return replace(scene, text=rewrite_toml(text, data))  # only now: the values are such as TOML can write


def build_scene(data: dict, text: str, where: str, source: str | None, start_is_checked: bool = False) -> Scene:
    """Scene from the tables of its TOML text, which it keeps; `where` is named in messages. Raises SceneError.

    With `start_is_checked` nobody looks whether the workpiece overlaps: for a study that moves nothing.
    """
    import pydantic

    from sim.scene.prescribed.motions import build_gravity
    from sim.scene.start import check_start

    try:
        section = schema.SceneSection.model_validate(data)
    except pydantic.ValidationError as error:
        raise SceneError(explain_validation_error(error, data, where)) from None
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    drawings, has_read = _read_drawings(section, data, where, source)
    if has_read and text:
        from sim.scene.toml_edit import rewrite_toml

        text = rewrite_toml(text, data)
    workpiece = _build_workpiece(section.workpiece, where, drawings)
    obstacles = _build_obstacles(section, where, drawings)
    formation, workpiece = _apply_formation(section, workpiece, obstacles, where)
    gravity, gravity_turn = build_gravity(section.gravity)
    workpiece = _apply_rest(section.workpiece.pose, workpiece, obstacles, gravity, where)
    scene = Scene(
        name=section.name or ("scene" if source is None else Path(source).stem),
        summary=first.lstrip("#").strip() if first.startswith("#") else "",
        text=text,
        source=source,
        workpiece=workpiece,
        obstacles=obstacles,
        gravity=gravity,
        run=Run(**section.run.model_dump()),
        formation=formation,
        gravity_turn=gravity_turn,
        goals=tuple(Goal(**goal.model_dump()) for goal in section.goal),
        insertion=_build_insertion(section, workpiece, drawings),
        **_build_held(section, workpiece, obstacles, drawings, where),
    )
    if not start_is_checked:
        check_start(scene, where)
    return scene


def _build_held(section: schema.SceneSection, workpiece: Workpiece, obstacles, drawings: dict,
                where: str) -> dict[str, Any]:
    """Fields of a Scene: what holds, pulls and controls the workpiece, from where it starts."""
    def convert(lengths, obstacle: int | None) -> tuple[float, ...]:
        if obstacle == WORLD:
            return tuple(map(float, lengths))
        body, key = ((section.workpiece, "workpiece") if obstacle is None
                     else (section.obstacle[obstacle], f"obstacle.{obstacle}"))
        return convert_lengths(lengths, body.outline, drawings.get(f"{key}.outline"))

    bodies = Bodies(workpiece.mass, workpiece.rho, workpiece.outline.size, workpiece.pose, workpiece.origin,
                    [(obstacle.name, obstacle.pose) for obstacle in obstacles], convert)
    try:
        controlled = section.control is not None
        held = build_held(section.gripper, section.spring, section.drag, section.load, bodies, controlled)
        outlines = [obstacle.outline for obstacle in obstacles]
        control = (None if section.control is None
                   else build_control(section.control, bodies, workpiece.outline, outlines))
        return {**held._asdict(), "control": control}
    except HeldError as error:
        raise SceneError(f"{where}: {error}") from None


def _build_insertion(section: schema.SceneSection, workpiece: Workpiece, drawings: dict) -> Insertion | None:
    given = section.insertion
    if given is None:
        return None
    tip = None
    if given.tip is not None:
        x, y = convert_lengths(given.tip, section.workpiece.outline, drawings.get("workpiece.outline"))
        tip = float(x) + workpiece.origin[0], float(y) + workpiece.origin[1]
    return Insertion(given.mouth, given.direction, given.depth, tip)


def _read_drawings(section: schema.SceneSection, data: dict, where: str, source: str | None):
    """What the drawings of a scene hold, by the path of the outline; kept in `data`, and whether that was changed."""
    drawings: dict[str, Any] = {}
    changed = False
    given = [("workpiece.outline", section.workpiece.outline, data["workpiece"])]
    given += [(f"obstacle.{i}.outline", obstacle.outline, data["obstacle"][i])
              for i, obstacle in enumerate(section.obstacle)]
    for key, outline, table in given:
        if outline.file is None:
            continue
        try:
            drawings[key] = drawn = read_drawn(outline, Path(source).parent if source else Path())
        except InputError as error:
            raise SceneError(f"{where}: {key}.file: {error}") from None
        if drawn is not outline.drawn:
            table["outline"] = table["outline"] | {"drawn": drawn.model_dump(exclude_none=True)}
            changed = True
    return drawings, changed


def _tell_drawing(drawn: DrawnSection | None) -> DrawnFrom | None:
    return None if drawn is None else DrawnFrom(drawn.file, drawn.sha256, drawn.deviation)


def _build_outline(section: OutlineSection, where: str, key: str, drawn=None) -> AnyOutline:
    try:
        return build_outline_of(section, drawn)
    except (PolygonError, InputError) as error:
        raise NoOutlineError(f"{where}: {key}: {error}") from None


def _build_workpiece(section: schema.WorkpieceSection, where: str, drawings: dict) -> Workpiece:
    drawn = drawings.get("workpiece.outline")
    outline = _build_outline(section.outline, where, "workpiece.outline", drawn)
    centroid = outline.centroid
    if section.center_of_mass is None:
        centre = centroid
    else:
        centre = np.array(convert_lengths(section.center_of_mass, section.outline, drawn))
        if section.rho is None and not np.allclose(centre, centroid, rtol=0.0, atol=CENTRED * outline.size):
            raise SceneError(
                f"{where}: workpiece.rho is missing: the centre of mass is not the centroid "
                f"({centroid[0]:.9g}, {centroid[1]:.9g}) m, so the density is not uniform; give the radius of gyration "
                "about the centre of mass in metres"
            )
    try:
        rho = outline.rho if section.rho is None else read_rho(section.rho, outline.size)
    except ValueError as error:
        raise SceneError(f"{where}: workpiece.rho = {section.rho!r}: {error}") from None
    frame = Pose() if isinstance(section.pose, PoseSection) else Pose(*section.pose)
    x, y = frame.transform(centre)
    return Workpiece(
        name=section.name,
        outline=translate_outline(outline, -float(centre[0]), -float(centre[1])),
        mass=section.mass,
        rho=rho,
        pose=Pose(float(x), float(y), frame.theta),
        velocity=section.velocity,
        origin=(0.0 - float(centre[0]), 0.0 - float(centre[1])),
        drawing=_tell_drawing(drawn),
    )


def _build_obstacles(section: schema.SceneSection, where: str, drawings: dict) -> tuple[Obstacle, ...]:
    names = [given.name or f"obstacle_{i}" for i, given in enumerate(section.obstacle)]
    taken = {section.workpiece.name: "the workpiece"}
    for i, name in enumerate(names):
        if name in taken:
            raise SceneError(f"{where}: obstacle.{i}.name = {quote(name)}: {taken[name]} has this name already")
        if name == "default":
            raise SceneError(f"{where}: obstacle.{i}.name = 'default': the tables of pairs keep this name")
        taken[name] = f"obstacle.{i}"
    for table in ("friction", "restitution", "impact"):
        for key in getattr(section, table):
            if key in names or key == "default":
                continue
            if table == "friction" and key in OTHER_COEFFICIENTS:
                raise SceneError(f"{where}: friction.{key} = {quote(section.friction[key])}: {ONE_COEFFICIENT}")
            raise SceneError(f"{where}: {table}.{cut(key)}: there is no obstacle of this name"
                             f"{suggest(key, ['default', *names])}")
    obstacles = []
    for i, (name, given) in enumerate(zip(names, section.obstacle, strict=True)):
        mu = _resolve_pair(section.friction, "friction", "mu", name, given.mu, None, i, where)
        e = _resolve_pair(section.restitution, "restitution", "e", name, given.e, 0.0, i, where)
        law = _resolve_pair(section.impact, "impact", "law", name, given.law, "newton", i, where)
        drawn = drawings.get(f"obstacle.{i}.outline")
        outline = _build_outline(given.outline, where, f"obstacle.{i}.outline ({cut(name)})", drawn)
        pose, motion = _build_motion(given, f"{where}: obstacle.{i}.motion ({cut(name)})")
        obstacles.append(Obstacle(name, outline, pose, mu, e, law, motion, _tell_drawing(drawn)))
    return tuple(obstacles)


def _build_motion(given: schema.ObstacleSection, key: str) -> tuple[Pose, Motion | None]:
    """Pose of an obstacle at t = 0, and its motion; None where it stands still."""
    from sim.scene.prescribed.motions import build_motion

    try:
        motion = build_motion(given.motion, Pose(*given.pose), given.surface_speed)
    except ValueError as error:
        raise SceneError(f"{key}: {error}") from None
    if given.motion is None:
        return Pose(*given.pose), None if motion.still else motion
    return motion.place(0.0), None if motion.still else motion


def _apply_formation(section: schema.SceneSection, workpiece: Workpiece, obstacles, where: str):
    """(formation, workpiece at its pose); (None, workpiece as it is) where the scene has no table [formation]."""
    if section.formation is None:
        return None, workpiece
    from sim.scene.formation_start import build_formation, choose_pose

    if "pose" in section.workpiece.model_fields_set:
        raise SceneError(f"{where}: workpiece.pose and formation both say where the part starts; keep one")
    formation = build_formation(section.formation, workpiece.outline, obstacles, where)
    return formation, replace(workpiece, pose=choose_pose(formation, workpiece.outline, obstacles, where).pose)


def _apply_rest(pose, workpiece: Workpiece, obstacles, gravity: tuple[float, float], where: str) -> Workpiece:
    """The workpiece in the rest pose or at the height that a scene asks for, or as it is."""
    if not isinstance(pose, PoseSection):
        return workpiece
    from sim.scene.rest_start import place_by_obstacle

    return replace(workpiece, pose=place_by_obstacle(pose, workpiece.outline, obstacles, gravity, where))


def _resolve_pair(table, table_name, key, name, own, fallback, i, where):
    """Coefficient or law of the pair workpiece-obstacle: given with the obstacle, by name in the table, or default."""
    if own is not None and name in table:
        raise SceneError(f"{where}: {table_name}.{cut(name)} and obstacle.{i}.{key} both give {key} of {quote(name)}; "
                         "keep one")
    if own is not None:
        return own
    value = table.get(name, table.get("default", fallback))
    if value is None:
        raise SceneError(f"{where}: obstacle.{i} ({cut(name)}) has no friction: give {table_name}.default, "
                         f"{table_name}.{cut(name)} or obstacle.{i}.{key}")
    return value
