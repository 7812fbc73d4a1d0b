"""Names that the package offers, and where they live."""

from .feeding.drop import Drop as Drop
from .feeding.drop import drop as drop
from .feeding.gate import Gate as Gate
from .feeding.gate import gate as gate
from .feeding.regions import RegionDrop as RegionDrop
from .feeding.regions import drop_regions as drop_regions
from .feeding.sampled_drop import SampledDrop as SampledDrop
from .feeding.sampled_drop import drop_samples as drop_samples
from .feeding.squeeze_plan import plan_squeezes as plan_squeezes
from .feeding.tilt_plan import NoPlanError as NoPlanError
from .feeding.tilt_plan import Tilt as Tilt
from .feeding.tilt_plan import TiltPlan as TiltPlan
from .feeding.tilt_plan import plan_tilts as plan_tilts
from .feeding.tilt_plan import replay_tilts as replay_tilts
from .feeding.tray import TiltPose as TiltPose
from .files.write_error import WriteError as WriteError
from .instant.instant import contact_problem as contact_problem
from .log.check_log import Verdict as Verdict
from .log.check_log import check_log as check_log
from .log.columns.run_columns import ColumnError as ColumnError
from .log.reading import (
    TrajectoryFileError as TrajectoryFileError,
)
from .log.reading import (
    read_trajectories as read_trajectories,
)
from .log.reading import (
    read_trajectory as read_trajectory,
)
from .log.reading import (
    read_tree as read_tree,
)
from .log.sink import H5Sink as H5Sink
from .log.trajectory import Trajectory as Trajectory
from .log.tree import Branch as Branch
from .log.tree import Tree as Tree
from .log.tree_sink import H5TreeSink as H5TreeSink
from .rows.account import Account as Account
from .rows.records import (
    CONTACT_LETTERS as CONTACT_LETTERS,
)
from .rows.records import (
    CONTACT_TYPES as CONTACT_TYPES,
)
from .rows.records import (
    EVENT_KINDS as EVENT_KINDS,
)
from .rows.records import (
    IMPACT_CLASSES as IMPACT_CLASSES,
)
from .rows.records import (
    SET_KINDS as SET_KINDS,
)
from .rows.status import Status as Status
from .run.branches import simulate_branches as simulate_branches
from .run.simulation import simulate as simulate
from .scene.build import load_scene as load_scene
from .scene.build import parse_scene as parse_scene
from .scene.edit import set_motion as set_motion
from .scene.scene import (
    Formation as Formation,
)
from .scene.scene import (
    Goal as Goal,
)
from .scene.scene import (
    Obstacle as Obstacle,
)
from .scene.scene import (
    Run as Run,
)
from .scene.scene import (
    Scene as Scene,
)
from .scene.scene import (
    Workpiece as Workpiece,
)
from .scene.scene_errors import OverlapError as OverlapError
from .scene.scene_errors import SceneError as SceneError
from .scene.toml_text import dump_toml as dump_toml
from .show.page.save_page import save_page as save_page
from .show.plot_file import PlotError as PlotError
from .show.plots.curves.plot_runs import plot_runs as plot_runs
from .show.replay.frames import ReplayError as ReplayError
from .show.replay.movie import save_movie as save_movie
from .show.replay.still import save_still as save_still
from .study.scene_contacts import find_contact_set as find_contact_set
from .study.scene_contacts import find_contact_spaces as find_contact_spaces
from .study.scene_insertion import plan_scene as plan_scene
from .study.scene_insertion import try_starts as try_starts
from .study.solution_map import MapError as MapError
from .study.solution_map import SolutionMap as SolutionMap
from .study.solution_map import compute_map as compute_map
from .sweep.axes import SweepError as SweepError
from .sweep.refine.refine import refine as refine
from .sweep.refine.refinement import Refinement as Refinement
from .sweep.refine.refinement_file import read_refinements as read_refinements
from .sweep.refine.trace import trace as trace
from .sweep.refine.tracing import RegionShare as RegionShare
from .sweep.refine.tracing import Tracing as Tracing
from .sweep.refine.tracing_file import read_tracings as read_tracings
from .sweep.sweep import sweep as sweep
from .sweep.sweep_result import Sweep as Sweep
from .sweep.sweep_result import read_sweep as read_sweep
