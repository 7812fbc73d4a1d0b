"""What a scene or a log holds, and whether it is sound."""

from __future__ import annotations

import shlex
from pathlib import Path

from sim.cli.reports.console import format_number, make_console, make_table, print_fields
from sim.scene.motions import describe_motion, describe_turn
from sim.scene.notes import list_notes
from sim.scene.scene import Scene
from sim.words.quoting import cut


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
        ("workpiece", f"{cut(part.name)}: {len(part.outline.vertices)} vertices, "
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
    table = make_table("Obstacles", ["name", "vertices", "friction", "restitution"], words=("name",))
    for obstacle in scene.obstacles:
        table.add_row(obstacle.name, str(len(obstacle.outline.vertices)), format_number(obstacle.mu),
                      format_number(obstacle.e))
    console.print(table)
    for obstacle in scene.obstacles:
        if obstacle.motion is not None:
            console.print(f"  {cut(obstacle.name)} moves: {describe_motion(obstacle.motion)}")
    for note in list_notes(scene):
        console.print(f"Note: {note}.")
    return True


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
        ("status", f"{trajectory.status.name}: {trajectory.status.happened}"),
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
