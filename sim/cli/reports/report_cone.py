"""The wrench cones of a scene at rest, as tables: of one mode, of a pattern of modes, or of all."""

from __future__ import annotations

import numpy as np
from rich.console import Console

from dynamics.cones.modes import LETTERS, MEANING, enumerate_modes, find_modes, is_pattern
from dynamics.cones.polyhedral import Cone, intersect
from dynamics.cones.wrench import Region, subtract_all, wrench_cone, wrench_cones
from sim.cli.reports.console import format_number, make_console, make_table
from sim.scene.scene import Scene
from sim.study.scene_contacts import find_contact_set, find_load
from sim.tolerances import PRINTED_ZERO, SAME_FACE

FREE = "free"  # the mode without any contact, and so without a letter


def print_cones(scene: Scene, mode: str | None, only: bool, near: float, approach, plot) -> None:
    """Print the cones, and draw them if `plot` is a file that has been checked. ValueError says what does not fit."""
    contacts, places = find_contact_set(scene, near, approach=approach)
    wanted = None if mode is None else find_modes(contacts, mode)  # refuses before anything is printed
    console = make_console()
    console.print(f"{scene.name}: wrench cones of the part at rest at the start", style="bold")
    if any(scene.workpiece.velocity):
        console.print("  The scene starts in motion; that is left out here.")
    if scene.moves:
        console.print("  Obstacles or gravity move; this is the scene at t = 0, as if they stood still.")
    print_places(console, contacts, places)
    load = find_load(scene)
    if mode is None or wanted is None:
        regions = print_all(console, contacts, load, only)
    else:
        regions = print_mode(console, contacts, mode, wanted, load, only)
    if plot is not None:
        from sim.show.plots.cone_picture import save_cones

        save_cones(plot, scene, contacts, regions, load)
        console.print(f"Drawn: {plot}")


def print_places(console: Console, contacts, places) -> None:
    """The contacts, in the order of the letters of a mode."""
    if not places:
        console.print("  Nothing is touched or near; --near and --approach add places that the part may approach.")
        return
    table = make_table("Contacts", ["#", "obstacle", "type", "letters", "x [m]", "y [m]", "normal x", "normal y",
                                    "gap [m]", "mu"], words=("obstacle", "type", "letters"))  # fmt: skip
    for i, place in enumerate(places):
        letters = "s n r l" if contacts.closed[i] else "a s"
        table.add_row(str(i), place["obstacle"], place["type"], letters, *map(format_number, place["point"]),
                      *map(format_number, place["normal"]), format_number(place["gap"]),
                      format_number(contacts.mu[i]))
    console.print(table)


def print_mode(console: Console, contacts, mode: str, wanted, load, only: bool) -> Region:
    """Both forms of the cones of a mode or pattern, that of the modes `wanted`; what is drawn."""
    if not wanted:
        console.print(f"No motion has mode {mode}: no wrench is consistent with it.")
        console.print(f"Feasible modes: {' '.join(enumerate_modes(contacts))}")
        return Region((), ())
    own = wrench_cone(contacts, mode)
    region = own if isinstance(own, Region) else Region((mode,), (own,))
    every = wrench_cones(contacts)
    if only:
        others = [cone for name, cone in zip(every.modes, every.cones, strict=True) if name not in wanted]
        found = [(name, piece) for name in wanted for piece in subtract_all(wrench_cone(contacts, name), others)]
        region = Region(tuple(name for name, _ in found), tuple(piece for _, piece in found))
        print_shared(console, every, wanted, region)
    elif is_pattern(mode):
        console.print(f"Modes {' '.join(wanted)} fit {mode}; cones that others cover are left out.")
    solid = any(cone.dimension == 3 for cone in region.cones)
    for name, cone in zip(region.modes, region.cones, strict=True):
        if only and solid and cone.dimension < 3:
            continue  # a part of the boundary of others: told by number above
        title = f"only {name}" if only else f"mode {name}"
        print_cone(console, cone, title, contacts.rho)
    print_load(console, every, region, load, wanted, contacts.rho)
    return region


def print_shared(console: Console, every: Region, wanted, region: Region) -> None:
    """What is left when the other modes have taken their part."""
    share = sum(piece.share for piece in region.cones)
    solid = sum(piece.dimension == 3 for piece in region.cones)
    if region.is_empty:
        console.print(f"Every wrench of {' '.join(wanted)} is consistent with another mode, too:", style="bold")
        own = [every.cones[every.modes.index(name)] for name in wanted]
        shared = [name for name, cone in zip(every.modes, every.cones, strict=True)
                  if name not in wanted and any(not intersect(cone, each).empty for each in own)]
        console.print(f"  {' '.join(shared)}")
        return
    lower = len(region.cones) - solid
    borders = f", and {lower} part{'s' * (lower != 1)} of boundaries" if lower else ""
    console.print(f"{share:.4%} of all wrenches are consistent with {' '.join(wanted)} and with no other mode: "
                  f"{solid} convex cone{'s' * (solid != 1)}{borders}")


def print_cone(console: Console, cone: Cone, title: str, rho: float) -> None:
    """Span form and face form of one cone, in N and N m."""
    kind = "all wrenches" if cone.is_whole_space else f"dimension {cone.dimension}"
    if cone.dimension == 3 and not cone.is_whole_space:
        kind += f", {cone.share:.4%} of all directions"
    table = make_table(f"{title}: {kind}; span form", ["", "Fx [N]", "Fy [N]", "torque [N m]", "line of force"],
                       words=("", "line of force"))
    for name, rows in (("ray", cone.rays), ("line", cone.lines)):
        for row in rows:
            table.add_row(name, *_show_wrench(row, rho), describe_line(row, rho))
    if not len(cone.rays) and not len(cone.lines):
        table.add_row("only", "0", "0", "0", "no wrench")
    console.print(table)
    faces = [*zip(cone.faces, np.where(cone.face_is_strict, "<", "<="), strict=True)]
    faces += [(row, "<") for row in cone.strict
              if not np.any(np.abs(cone.faces - row).max(axis=1, initial=0.0) < SAME_FACE)]
    faces += [(row, "=") for row in cone.equations]
    if not faces:
        console.print("face form: no condition")
        return
    table = make_table("face form", ["times Fx [1/N]", "times Fy [1/N]", "times torque [1/(N m)]", ""], words=("",))
    for row, sign in faces:
        table.add_row(*_show_wrench(row, 1.0 / rho), f"{sign} 0")
    console.print(table)


def print_load(console: Console, every: Region, region: Region, load, wanted, rho: float) -> None:
    """Whom does the scene's own load belong to?"""
    size = float(np.linalg.norm(load))
    if size == 0.0:
        console.print("The scene has no load.")
        return
    words = ", ".join(format_number(value) for value in (load[0], load[1], load[2] * rho))
    inside = region.contains(load)
    claims = every.find_claims(load)
    where = "inside" if inside else "outside"
    names = " ".join(name or FREE for name in claims) or "no mode"
    console.print(f"The scene's load ({words}) [N, N, N m] is {where}, {abs(region.distance(load)) / size:.4g} of its "
                  f"size from the boundary; it is consistent with {names}.")


def print_all(console: Console, contacts, load, only: bool) -> Region:
    """Every mode: the region it claims, and with whom it shares it."""
    every = wrench_cones(contacts)
    solid = {name: cone for name, cone in zip(every.modes, every.cones, strict=True) if cone.dimension == 3}
    shared = {name: [] for name in every.modes}
    names = list(solid)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            if intersect(solid[first], solid[second]).dimension == 3:
                shared[first].append(second)
                shared[second].append(first)
    table = make_table(f"{len(every.modes)} modes", ["mode", "dimension", "rays", "lines", "faces", "of all wrenches",
                                                     "alone", "shared with"], words=("mode", "shared with"))
    for name, cone in zip(every.modes, every.cones, strict=True):
        alone = cone.share if not shared[name] else sum(
            piece.share for piece in subtract_all(cone, [solid[other] for other in shared[name]]))
        if only and alone == 0.0:
            continue
        counts = map(str, (cone.dimension, len(cone.rays), len(cone.lines), len(cone.faces)))
        table.add_row(name or FREE, *counts, f"{cone.share:.4%}", f"{alone:.4%}", " ".join(shared[name]))
    console.print(table)
    used = [letter for letter in LETTERS if any(letter in name for name in every.modes)]
    if used:
        console.print("  " + ", ".join(f"{letter} {MEANING[letter]}" for letter in used))
    claims = every.find_claims(load) if np.any(load) else []
    if claims:
        console.print(f"The scene's load is consistent with {' '.join(name or FREE for name in claims)}"
                      + (": rigid-body mechanics does not decide." if len(claims) > 1 else "."))
    return every


def describe_line(wrench, rho: float) -> str:
    """Where a wrench acts, relative to the centre of mass: a directed line, or a pure moment."""
    force, torque = wrench[:2], wrench[2] * rho
    size = float(np.hypot(*force))
    if size <= PRINTED_ZERO * float(np.linalg.norm(wrench)):
        return "pure moment, counter-clockwise" if torque > 0.0 else "pure moment, clockwise"
    x, y = torque / size**2 * force[1], -torque / size**2 * force[0]
    return f"through ({format_number(_clean(x, rho))}, {format_number(_clean(y, rho))}) m from the centre of mass"


def _clean(value: float, scale: float) -> float:
    return 0.0 if abs(value) <= PRINTED_ZERO * scale else float(value)


def _show_wrench(row, rho: float) -> tuple[str, ...]:
    x, y, z = (_clean(value, 1.0) for value in row)
    return format_number(x), format_number(y), format_number(z * rho)
