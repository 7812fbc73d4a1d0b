"""What a scene or a log holds, and whether it is sound."""

from __future__ import annotations

import shlex
from pathlib import Path

from sim.cli.reports.console import count_features, format_number, make_console, make_table, print_fields
from sim.cli.reports.report_held import describe_held
from sim.scene.notes import list_notes
from sim.scene.prescribed.motions import describe_motion, describe_turn
from sim.scene.scene import DrawnFrom, Obstacle, Scene, Workpiece
from sim.words.quoting import cut

HASH_LETTERS = 12  # of a hash that are shown: enough to tell the drawings of a user apart


def print_scene(scene: Scene) -> bool:
    """Describe a scene. It was checked when it was read, so it is sound."""
    console = make_console()
    console.print(f"{cut(scene.name)}: a sound scene", style="bold")
    part, run = scene.workpiece, scene.run
    x, y, theta = part.pose
    vx, vy, omega = part.velocity
    interval = run.output_interval
    rows = "start, events and end" + ("" if interval is None else f", and every {format_number(interval, 's')}")
    print_fields(console, [
        *([("about", scene.summary)] if scene.summary else []),
        ("workpiece", f"{cut(part.name)}: {count_features(part.outline)}, "
                      f"mass {format_number(part.mass, 'kg')}, radius of gyration {format_number(part.rho, 'm')}"),
        ("centre of mass", f"x = {format_number(x, 'm')}, y = {format_number(y, 'm')}, "
                           f"theta = {format_number(theta, 'rad')}"),
        ("velocity", f"{format_number(vx, 'm/s')}, {format_number(vy, 'm/s')}, {format_number(omega, 'rad/s')}"),
        ("gravity", f"{format_number(scene.gravity[0])}, {format_number(scene.gravity[1])} m/s^2"
                    + describe_turn(scene.gravity_turn)),
        ("load", f"{format_number(scene.load[0])}, {format_number(scene.load[1])} N, "
                 f"{format_number(scene.load[2], 'N m')}"),
        ("run", f"{format_number(run.duration, 's')}, rows at {rows}; choice {run.choice}"),
    ])
    table = make_table("Obstacles", ["name", "outline", "friction", "restitution"], words=("name", "outline"))
    for obstacle in scene.obstacles:
        table.add_row(obstacle.name, count_features(obstacle.outline), format_number(obstacle.mu),
                      format_number(obstacle.e))
    console.print(table)
    bodies: list[Workpiece | Obstacle] = [part, *scene.obstacles]
    for body in bodies:
        if body.drawing is not None:
            console.print(f"  {cut(body.name)} is drawn in {describe_drawing(body.drawing)}")
    for obstacle in scene.obstacles:
        if obstacle.motion is not None:
            console.print(f"  {cut(obstacle.name)} moves: {describe_motion(obstacle.motion)}")
    for what, words in describe_held(scene):
        console.print(f"  {what}: {words}")
    for note in list_notes(scene):
        console.print(f"Note: {note}.")
    return True


def describe_drawing(drawing: DrawnFrom) -> str:
    """"part.dxf (sha256 1a2b3c4d5e6f); its curves are kept to 2e-06 m"."""
    off = f"; its curves are kept to {format_number(drawing.deviation, 'm')}" if drawing.deviation else ""
    return f"{cut(drawing.file)} (sha256 {drawing.sha256[:HASH_LETTERS]}){off}"


def print_log(path: Path) -> bool:
    """Describe a log and check the laws in every row; returns whether all hold and the run has ended by itself."""
    from sim.cli.reports.report_run import describe_run
    from sim.log.check_log import check_account, check_log
    from sim.log.reading import read_source
    from sim.log.tree import Tree

    trajectory = read_source(path)
    if isinstance(trajectory, Tree):
        from sim.cli.reports.report_tree import print_tree_log

        return print_tree_log(path, trajectory)
    record = trajectory.record
    verdicts = check_log(trajectory) + check_account(trajectory)
    ended = trajectory.status.name != "RUNNING"
    sound = ended and all(verdict.holds for verdict in verdicts)
    console = make_console()
    console.print(f"{shlex.quote(str(path))}: {'a sound log' if sound else 'NOT a sound log'}",
                  style="bold" if sound else "bold red")
    print_fields(console, [
        ("scene", cut(record.name) + (f", from {record.source}" if record.source else "")),
        ("status", f"{trajectory.status.name}: {trajectory.happened}"),
        *([("message", trajectory.message)] if trajectory.message else []),
        *([] if trajectory.status.completed else [("advice", trajectory.status.advice)]),
        *describe_run(trajectory),
    ])
    columns = ["law", "largest violation", "limit", ""]
    table = make_table("Laws, checked again from the rows", columns, words=("law", ""))
    for verdict in verdicts:
        table.add_row(verdict.law, f"{verdict.residual:.1e}", f"{verdict.limit:.0e}",
                      "holds" if verdict.holds else "VIOLATED")
    console.print(table)
    return sound
