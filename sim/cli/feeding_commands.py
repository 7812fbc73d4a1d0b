"""The commands that ask what a feeder makes of a part: where it lands, and which poses get past."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.reports.cli_words import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_NOT_WELL,
    UserError,
    check_labels,
    check_plot,
    decode_word,
    open_scene,
    split_overrides,
)
from sim.cli.shared_options import LabelOption, PlotOption, SceneArgument, SetOption, TitleOption, app
from sim.tolerances import TRACE_RESOLUTION, TRACE_TOLERANCE
from sim.words.file_names import choose_output

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

OverOption = Annotated[list[str] | None, typer.Option(
    "--over", metavar="KEY=VALUES", help="Find all this for each of these values, such as mu=0.1:0.6:11. May be "
    "repeated.")]
MergeOption = Annotated[bool, typer.Option(
    "--merge-symmetric", help="Take rest poses together that the part's symmetry makes alike.")]


def split_axes(option: str, words: list[str] | None) -> dict[str, str]:
    """{"mu": "0.1:0.6:11"} from ["mu=0.1:0.6:11"]."""
    axes = {}
    for word in map(decode_word, words or []):
        key, equals, values = (part.strip() for part in word.partition("="))
        if not equals or not key or not values:
            raise UserError(f"{option} {word}: write KEY=VALUES")
        if key in axes:
            raise UserError(f"{option} names {key} twice; give each key once")
        axes[key] = values
    return axes


@app.command("drop")
def drop_part(
    scene: SceneArgument,
    vary: Annotated[list[str] | None, typer.Option(
        "--vary", metavar="KEY=A:B", help='A start parameter and its range, such as workpiece.pose.theta="0:360 deg"; '
        "or normal(M, D); or csv(FILE, COLUMN) UNIT, the numbers of a file. Two make a plane; three and more, or with "
        "--width, are sampled.")] = None,
    over: OverOption = None,
    tolerance: Annotated[float | None, typer.Option(
        help="How well to know each boundary, in the unit of the range; a 1e-9 of it if not given. Of two parameters "
        f"as a share of the ranges ({TRACE_TOLERANCE:g}).")] = None,
    resolution: Annotated[float | None, typer.Option(
        metavar="SHARE", help="Of two parameters: the finest squares, as a share of the ranges; 1/256 if not given.")
    ] = None,
    merge: MergeOption = False,
    beside: Annotated[int | None, typer.Option(
        metavar="N", help="Of one parameter: halve the neighbours of boundaries so often, where more of them hide; 6 "
        "if not given.")] = None,
    width: Annotated[float | None, typer.Option(
        metavar="SHARE", help="Of samples: double them until all intervals of 95 % are narrower; 0.01 if not given.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of samples; 0 if not given.")] = None,
    output: Annotated[Path | None, typer.Option(
        "--output", "-o", metavar="FILE", help="The table to write; outputs/NAME_drop.h5 if not given.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Run only what is missing in FILE.")] = False,
    workers: Annotated[int | None, typer.Option(help="Threads; as many as processors if not given.")] = None,
    cluster: Annotated[str | None, typer.Option(
        metavar="ADDRESS", help="Run the grid on the workers of a dask scheduler, such as tcp://host:8786.")] = None,
    most_runs: Annotated[int, typer.Option(metavar="N", help="Begin no halving that needs more runs.")] = 1_000_000,
    table: Annotated[Path | None, typer.Option(
        "--csv", metavar="FILE", help="Write a line for each basin, or outcome, as CSV.")] = None,
    plot: PlotOption = None,
    title: TitleOption = None,
    label: LabelOption = None,
    overrides: SetOption = None,
) -> None:
    """Let a part go from every start in a range, or in a plane of two: the basins of where it comes to rest, exactly,
    and their shares. Over more parameters the shares are sampled."""
    starts, others = split_axes("--vary", vary), split_axes("--over", over)
    if not starts:
        raise UserError('which start parameter? Such as --vary workpiece.pose.theta="0:360 deg"')
    picture = check_plot(plot, title, label)
    check_labels(picture, [*starts, *others])
    loaded = open_scene(scene, split_overrides(overrides or []))
    options = {"merge": merge, "resume": resume, "workers": workers, "most_runs": most_runs,
               "output": output or choose_output(loaded.name, "_drop")}
    own = {"--width": width, "--seed": seed, "--resolution": resolution, "--beside": beside, "--over": over,
           "--tolerance": tolerance, "--cluster": cluster}
    found = _drop_or_sample(loaded, starts, others, options, own, table, picture)
    raise typer.Exit(EXIT_DONE if found.is_whole else EXIT_NOT_WELL if found.hit_limit else EXIT_INTERRUPTED)


def _drop_or_sample(scene, starts: dict, others: dict, options: dict[str, Any], own: dict[str, Any],
                    table: Path | None, plot: PictureFile | None) -> Any:
    """Drop along a line or in a plane, or sample. own: options that not all of these take, None where they are not
    given."""
    from sim.cli.reports.parts import report_drop, report_regions
    from sim.feeding.distributions import is_empirical

    def take(name: str, default: Any) -> Any:
        return default if own[name] is None else own[name]

    is_sampled = len(starts) > 2 or own["--width"] is not None or any(map(is_empirical, starts.values()))
    _check_options(own, is_sampled, len(starts))
    if is_sampled:
        from sim.cli.reports.parts import report_samples

        options |= {"width": take("--width", 0.01), "seed": take("--seed", 0)}
        return report_samples.print_samples(scene, starts, options, table, plot)
    options["client"] = own["--cluster"]
    if len(starts) == 2:
        options |= {"resolution": take("--resolution", TRACE_RESOLUTION),
                    "tolerance": take("--tolerance", TRACE_TOLERANCE)}
        return report_regions.print_regions(scene, starts, others, options, table, plot)
    options |= {"tolerance": own["--tolerance"], "beside": take("--beside", 6)}
    return report_drop.print_drop(scene, starts, others, options, table, plot)


def _check_options(own: dict[str, Any], is_sampled: bool, n_starts: int) -> None:
    """See that options belong to what is asked for. Raises UserError."""
    exact = "that are not sampled"
    for names, is_allowed, where in (
            (("--width", "--seed"), is_sampled,
             "samples: three start parameters or more, csv(FILE, COLUMN), or --width"),
            (("--resolution",), n_starts == 2 and not is_sampled, f"two start parameters {exact}"),
            (("--beside",), n_starts == 1 and not is_sampled, "one start parameter that is not sampled"),
            (("--over", "--tolerance", "--cluster"), not is_sampled, f"one or two start parameters {exact}")):
        for name in names:
            if own[name] is not None and not is_allowed:
                raise UserError(f"{name} belongs to {where}")


@app.command("gate")
def try_gate(
    scene: SceneArgument,
    mu: Annotated[str | None, typer.Option(metavar="A:B", help="Short for --vary friction.default=A:B.")] = None,
    vary: Annotated[str | None, typer.Option(
        metavar="KEY=A:B", help="Any other number of the scene and its range.")] = None,
    goal: Annotated[str | None, typer.Option(
        metavar="NAME", help="The goal of what gets past; the first one of the scene if not given.")] = None,
    tolerance: Annotated[float | None, typer.Option(
        help="How well to know each boundary, in the unit of the range; a 1e-9 of it if not given.")] = None,
    output: Annotated[Path | None, typer.Option(
        "--output", "-o", metavar="FILE", help="The table to write; outputs/NAME_gate.h5 if not given.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Run only what is missing in FILE.")] = False,
    workers: Annotated[int | None, typer.Option(help="Threads; as many as processors if not given.")] = None,
    cluster: Annotated[str | None, typer.Option(
        metavar="ADDRESS", help="Run the grid on the workers of a dask scheduler, such as tcp://host:8786.")] = None,
    most_runs: Annotated[int, typer.Option(metavar="N", help="Begin no halving that needs more runs.")] = 1_000_000,
    table: Annotated[Path | None, typer.Option(
        "--csv", metavar="FILE", help="Write a line for each pose and interval as CSV.")] = None,
    plot: PlotOption = None,
    title: TitleOption = None,
    label: LabelOption = None,
    overrides: SetOption = None,
) -> None:
    """Say for each rest pose of the part at which friction it gets past a gate: the intervals, exactly.

    The scene starts in a rest pose, workpiece.pose = {rest = 0, on = "track"}, and has a goal that only what gets past
    comes to. The part is tried in all its rest poses.
    """
    picture = check_plot(plot, title, label)
    if (mu is None) == (vary is None):
        raise UserError("over which values? Give one of --mu A:B and --vary KEY=A:B")
    axes = {"mu": mu} if mu is not None else split_axes("--vary", [vary or ""])
    check_labels(picture, axes)
    loaded = open_scene(scene, split_overrides(overrides or []))
    from sim.cli.reports.parts import report_gate

    options = {"tolerance": tolerance, "resume": resume, "workers": workers, "client": cluster, "most_runs": most_runs,
               "output": output or choose_output(loaded.name, "_gate")}
    name = None if goal is None else decode_word(goal)
    found = report_gate.print_gate(loaded, axes, name, options, (table, picture)).drop
    raise typer.Exit(EXIT_DONE if found.is_whole else EXIT_NOT_WELL if found.hit_limit else EXIT_INTERRUPTED)
