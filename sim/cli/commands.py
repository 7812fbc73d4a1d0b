"""The commands. They read words, call the library and print; heavy modules load when a command needs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.completion import complete_built_in, complete_log
from sim.cli.reports.cli_words import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_NOT_WELL,
    UserError,
    check_labels,
    check_plot,
    decode_word,
    find_log,
    is_log,
    open_scene,
    refuse_overrides,
    split_overrides,
)
from sim.cli.shared_options import (
    BranchOption,
    EitherArgument,
    LabelOption,
    NamesOption,
    PlotOption,
    SceneArgument,
    SetOption,
    TitleOption,
    ViewOption,
    app,
)
from sim.scene.notes import list_notes
from sim.tolerances import REFINE_TOLERANCE, TRACE_RESOLUTION, TRACE_TOLERANCE
from sim.words.file_names import choose_output

if TYPE_CHECKING:
    from sim.rows.status import Status


@app.command("scenes")
def list_scenes(
    names: Annotated[list[str] | None, typer.Argument(
        metavar="[NAME]...", help="Print this scene, to read it or to make it yours.",
        autocompletion=complete_built_in)] = None,
    save: Annotated[Path | None, typer.Option(
        metavar="PLACE", help="Copy the named scenes, or all, into this folder; or one into a file (.toml).")] = None,
) -> None:
    """List the built-in scenes, one line each; print one, or copy it as a template."""
    import scenes
    from sim.cli.reports import report_scenes

    if save is not None:
        report_scenes.copy_scenes(names or scenes.names(), save)
    elif names and len(names) > 1:
        raise UserError(f"{len(names)} scenes would run into each other; copy them: --save FOLDER")
    elif names:
        report_scenes.print_scene(names[0])
    else:
        report_scenes.print_list()


@app.command("run")
def run_scene(
    scene: SceneArgument,
    overrides: SetOption = None,
    output: Annotated[Path | None, typer.Option(
        "--output", "-o", metavar="FILE", help="The log to write; outputs/NAME.h5 if not given.")] = None,
    choice: Annotated[str | None, typer.Option(
        metavar="RULE", help="What to follow where several motions are possible: continue, stick, separate, stop, "
        "random (one of them by lot, see --seed) or branch (all, as a tree). Short for --set run.choice=RULE.")] = None,
    seed: Annotated[int | None, typer.Option(
        metavar="N", help="With --choice random: one N draws one motion. Short for --set run.seed=N.")] = None,
    duration: Annotated[str | None, typer.Option(
        metavar="SECONDS", help="How long to run. Short for --set run.duration=SECONDS.")] = None,
) -> None:
    """Run a scene, write its log, and say what happened."""
    from sim.cli.reports import report_run

    values = split_overrides(overrides or [])
    short = {"choice": choice, "seed": None if seed is None else str(seed), "duration": duration}
    values |= {f"run.{key}": value for key, value in short.items() if value is not None}
    loaded = open_scene(scene, values)
    if seed is not None and loaded.run.choice != "random":
        raise UserError(f"--seed {seed}: only --choice random draws lots; the choice is {loaded.run.choice}")
    path = output or choose_output(loaded.name)
    for note in list_notes(loaded):
        typer.echo(f"Note: {note}.", err=True)
    if loaded.run.choice == "branch":
        from sim.cli.reports import report_tree

        tree = report_tree.run_tree_with_progress(loaded, path)
        report_tree.print_tree(tree, path)
        end_run(tree.status)
    trajectory = report_run.run_with_progress(loaded, path)
    report_run.print_run(trajectory, path)
    end_run(trajectory.status)


def end_run(status: Status) -> None:
    """End the command with the exit code for a run that ended so."""
    if status.name == "INTERRUPTED":
        raise typer.Exit(EXIT_INTERRUPTED)
    raise typer.Exit(EXIT_DONE if status.completed else EXIT_NOT_WELL)


@app.command("accelerations")
def list_accelerations(
    source: EitherArgument,
    at: Annotated[float | None, typer.Option(
        "--at", metavar="SECONDS", help="The time; of a scene, it is run until then. The start if not given.")] = None,
    overrides: SetOption = None,
    plot: PlotOption = None,
    title: TitleOption = None,
    view: ViewOption = None,
    names: NamesOption = False,
    branch: BranchOption = None,
) -> None:
    """List every acceleration that is possible at one time, with its mode, forces and residuals.

    With --plot also a picture: the part with its contacts, beside configuration space with friction cones and answers.
    """
    picture = check_plot(plot, title, view=view, names=names)
    if is_log(source):
        refuse_overrides(overrides)
        path = find_log(source)
        from sim.cli.reports import report_accelerations

        report_accelerations.print_of_log(path, at, picture, branch)
    else:
        if branch is not None:
            raise UserError(f"--branch {branch}: only the log of a tree has branches, {source} is a scene")
        scene = open_scene(source, split_overrides(overrides or []))
        from sim.cli.reports import report_accelerations

        report_accelerations.print_of_scene(scene, at, picture)


@app.command("map")
def map_solutions(
    scene: SceneArgument,
    x: Annotated[str, typer.Option("--x", metavar="KEY=A:B:N", help="The value to the right: N values from A to B, "
                                   "such as friction.default=0:2:41 or workpiece.pose.theta=5:85 deg:81.")],
    y: Annotated[str, typer.Option("--y", metavar="KEY=A:B:N", help="The value upwards.")],
    overrides: SetOption = None,
    hold: Annotated[int | None, typer.Option(
        metavar="CONTACT", help="Keep this contact (a number of `stiction accelerations`) in place, closed, with its "
        "slip velocity: position and velocity of the part follow.")] = None,
    plot: PlotOption = None,
    title: TitleOption = None,
    label: LabelOption = None,
) -> None:
    """Show where two values of a scene allow one acceleration at the start, several, a continuum, or none."""
    picture = check_plot(plot, title, label)
    from sim.study.solution_map import parse_axis

    axes = parse_axis(x), parse_axis(y)
    check_labels(picture, [axis.key for axis in axes])
    loaded = open_scene(scene, split_overrides(overrides or []))
    from sim.cli.reports import report_map

    try:
        report_map.print_map(loaded, *axes, hold, picture)
    except KeyboardInterrupt:
        typer.echo("interrupted: no map", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None


@app.command("sweep")
def sweep_scene(
    scene: SceneArgument,
    mu: Annotated[str | None, typer.Option(metavar="VALUES", help="Short for --vary friction.default=VALUES.")] = None,
    rho: Annotated[str | None, typer.Option(metavar="VALUES", help="Short for --vary workpiece.rho=VALUES.")] = None,
    vary: Annotated[list[str] | None, typer.Option(
        "--vary", metavar="KEY=VALUES", help="A:B:N, V,V,V, uniform(A, B) or normal(M, D); "
        '"KEY=VALUES; KEY=VALUES" for keys that vary together. May be repeated.')] = None,
    scale: Annotated[list[str] | None, typer.Option(
        "--scale", metavar="KEY=FACTORS", help="As --vary, but multiply what the scene gives.")] = None,
    samples: Annotated[int | None, typer.Option(help="How many samples of random values.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the samples.")] = 0,
    output: Annotated[Path | None, typer.Option(
        "--output", "-o", metavar="FILE", help="The table to write; outputs/NAME_sweep.h5 if not given.")] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; as many as processors if not given.")] = None,
    cluster: Annotated[str | None, typer.Option(
        metavar="ADDRESS", help="Run on the workers of a dask scheduler, such as tcp://host:8786.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Run only what is missing in FILE.")] = False,
    log: Annotated[str, typer.Option(metavar="all|failed|none", help="Runs that leave a trajectory.")] = "none",
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV as well.")] = None,
    merge: Annotated[bool, typer.Option(
        "--merge-symmetric", help="Count rest poses together that the part's symmetry makes alike.")] = False,
    overrides: SetOption = None,
) -> None:
    """Run a scene over many values and write a table of outcomes."""
    loaded = open_scene(scene, split_overrides(overrides or []))
    from sim.cli.reports import report_sweep

    path = output or choose_output(loaded.name, "_sweep")
    options = {"samples": samples, "seed": seed, "workers": workers, "client": cluster, "output": path,
               "resume": resume, "log": log}
    varied = [decode_word(word) for word in vary or []], [decode_word(word) for word in scale or []]
    complete = report_sweep.print_sweep(loaded, mu, rho, varied, (table, merge), options)
    raise typer.Exit(EXIT_DONE if complete else EXIT_INTERRUPTED)


@app.command("refine")
def refine_sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The table of a sweep (.h5); it keeps the boundaries.",
                                         autocompletion=complete_log)],
    axis: Annotated[list[str], typer.Option(
        metavar="NAME", help="What varies along the way, such as mu; given twice: boundaries in the plane of both.")],
    tolerance: Annotated[float | None, typer.Option(
        help=f"How well to know each boundary, in the unit of the axis ({REFINE_TOLERANCE:g}); of two axes as a share "
        f"of their spans ({TRACE_TOLERANCE:g}).")] = None,
    resolution: Annotated[float | None, typer.Option(
        metavar="SHARE", help="Of two axes: the finest squares, as a share of their spans; 1/256 if not given.")
    ] = None,
    of: Annotated[str, typer.Option(
        metavar="COLUMN", help="What changes: outcome, status, modes, n_events, n_impacts, or basin: the outcome and "
        "whether it hung on the rule of choice.")] = "outcome",
    merge: Annotated[bool, typer.Option(
        "--merge-symmetric", help="Take rest poses together that the part's symmetry makes alike.")] = False,
    beside: Annotated[int | None, typer.Option(
        metavar="N", help="Of one axis: halve the neighbours of boundaries so often first, where more of them hide.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; as many as processors if not given.")] = None,
    most_runs: Annotated[int, typer.Option(metavar="N", help="Begin no halving that needs more runs.")] = 1_000_000,
) -> None:
    """Find where the outcome of a sweep changes: between neighbours along one axis, or in the plane of two.

    An outcome that begins and ends between two neighbours with the same outcome is not seen: that takes a finer grid.
    """
    path = find_log(str(file))
    if len(axis) > 2:
        raise UserError("--axis may be given once or twice")
    of = f"merged_{of}" if merge and of in ("outcome", "basin") else of
    if len(axis) == 2:
        if beside is not None:
            raise UserError("--beside belongs to one --axis; squares are split wherever their rims are mixed")
        from sim.cli.reports import report_trace

        ended = report_trace.print_tracing(path, (axis[0], axis[1]), {
            "resolution": TRACE_RESOLUTION if resolution is None else resolution,
            "tolerance": TRACE_TOLERANCE if tolerance is None else tolerance, "of": of, "workers": workers,
            "most_runs": most_runs}).ended
    else:
        if resolution is not None:
            raise UserError("--resolution belongs to two axes: give --axis twice")
        from sim.cli.reports import report_refine

        ended = report_refine.print_refinement(path, axis[0], REFINE_TOLERANCE if tolerance is None else tolerance, of,
                                               beside or 0, workers, most_runs).ended
    raise typer.Exit(EXIT_INTERRUPTED if ended.startswith("interrupted")
                     else EXIT_DONE if ended == "done" else EXIT_NOT_WELL)


@app.command("insert")
def follow_insertion(
    source: EitherArgument,
    overrides: SetOption = None,
    save: Annotated[Path | None, typer.Option(
        "--save", metavar="FILE", help="Draw force and moment over depth (.png, .svg or .pdf).")] = None,
    title: TitleOption = None,
    table: Annotated[Path | None, typer.Option(
        "--csv", metavar="FILE", help="Write a line for each row as CSV.")] = None,
) -> None:
    """Follow a part into a hole: force and moment over depth, which contacts are closed where, and how it ends.

    The scene needs a table [insertion]; of a log, the run that it holds.
    """
    picture = check_plot(save, title)
    if is_log(source):
        refuse_overrides(overrides)
        path = find_log(source)
        from sim.cli.reports.held import report_insert
        from sim.log.reading import read_trajectory

        done = report_insert.print_insertion(read_trajectory(path), picture, table)
    else:
        scene = open_scene(source, split_overrides(overrides or []))
        from sim.cli.reports.held import report_insert

        done = report_insert.run_insertion(scene, picture, table)
    raise typer.Exit(EXIT_DONE if done else EXIT_NOT_WELL)


@app.command("cone")
def print_wrench_cones(
    scene: SceneArgument,
    mode: Annotated[str | None, typer.Option(
        metavar="LETTERS", help="One letter a contact: s separates, n rolls, r and l slide, a approaches; * any, "
        "c kept, [nl] a list. All modes if not given.")] = None,
    only: Annotated[bool, typer.Option(
        "--only", help="Only wrenches that are consistent with no other mode.")] = False,
    near: Annotated[str | None, typer.Option(
        metavar="LENGTH", help='Count places up to this far, such as "2 mm", as contacts to approach.')] = None,
    approach: Annotated[list[str] | None, typer.Option(
        metavar="OBSTACLE", help="Count its nearest place as a contact to approach. May be repeated.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw them (.png, .svg or .pdf).")] = None,
    title: TitleOption = None,
    overrides: SetOption = None,
) -> None:
    """List the loads under which the part, at rest at the start, can begin to move in a contact mode."""
    picture = check_plot(plot, title)
    loaded = open_scene(scene, split_overrides(overrides or []))
    from sim.cli.reports import report_cone
    from sim.scene.toml_text import parse_value
    from sim.values.quantities import read_length

    try:
        length = 0.0 if near is None else read_length(parse_value(near))
        report_cone.print_cones(loaded, mode, only, length, approach or (), picture)
    except ValueError as error:
        raise UserError(str(error)) from None


@app.command("formation")
def list_formation_poses(
    scene: SceneArgument,
    overrides: SetOption = None,
    move: Annotated[str | None, typer.Option("--move", metavar="KEY=A:B:N", help="List the sheets of the formation's "
        'cell while an obstacle moves, such as "obstacle.finger 1.pose.x=0:20 mm:101".')] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the poses and the sheets (.png, "
        ".svg or .pdf); without --move the obstacle of the first contact moves.")] = None,
    title: TitleOption = None,
    label: LabelOption = None,
) -> None:
    """List every pose of the contact formation in which a scene starts, and say which can be."""
    picture = check_plot(plot, title, label)
    from sim.cli.reports import report_formation
    from sim.scene.formation_start import survey_formation

    listing = survey_formation(lambda: open_scene(scene, split_overrides(overrides or [])))
    report_formation.print_formation(listing, move, picture)
    raise typer.Exit(EXIT_DONE if listing.is_usable else EXIT_NOT_WELL)


@app.command("control")
def draw_control(
    source: EitherArgument,
    save: Annotated[Path, typer.Option(metavar="FILE", help="The picture to write (.png, .svg or .pdf).")],
    title: TitleOption = None,
    mu: Annotated[str | None, typer.Option(
        "--mu", metavar="A:B:N", help="Of a scene: run it with N frictions from A to B, with the projections and "
        "without, and draw the errors of forces and motion.")] = None,
    overrides: SetOption = None,
) -> None:
    """Draw what force and motion control does: power with the projection and without, and desired and real forces."""
    picture = check_plot(save, title)
    from sim.cli.reports.held import report_control

    if is_log(source):
        refuse_overrides(overrides)
        report_control.print_log(find_log(source), mu, picture)
    else:
        report_control.print_scene(open_scene(source, split_overrides(overrides or [])), mu, picture)


@app.command("check")
def check_source(source: EitherArgument, overrides: SetOption = None) -> None:
    """Say what a scene or a log holds, and whether it is sound."""
    from sim.cli.reports import report_check

    if is_log(source):
        refuse_overrides(overrides)
        sound = report_check.print_log(find_log(source))
    else:
        sound = report_check.print_scene(open_scene(source, split_overrides(overrides or [])))
    raise typer.Exit(EXIT_DONE if sound else EXIT_NOT_WELL)
