"""What users touch: the names that the packages and `stiction` offer, and those that modules had before they moved."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dynamics
import geometry
import sim
import stiction
from geometry.packages import OLD_NAMES as OLD_MODULES
from sim.cli.command_line import KNOWN_ERRORS

ROOT = Path(__file__).parents[1]
PACKAGES = (sim, dynamics, geometry)
PROMISED = {
    sim: "load_scene parse_scene set_motion SceneError simulate simulate_branches check_log contact_problem dump_toml "
         "read_trajectory read_tree read_trajectories read_sweep read_refinements sweep refine compute_map save_movie "
         "save_page EVENT_KINDS SET_KINDS CONTACT_LETTERS CONTACT_TYPES IMPACT_CLASSES Status Account Trajectory "
         "Tree Sweep",
    dynamics: "ContactProblem find_accelerations AccelerationSet wrench_cone place_contacts",
    geometry: "Polygon Pose Motion solve_formation StictionError",
}
# {old module: names that users of version 0.1.0 may have imported from it}
OLD_NAMES = {
    "dynamics.acceleration_set": "AccelerationSet ContactProblem Piece",
    "dynamics.accelerations": "find_accelerations ContactProblem",
    "dynamics.certificate": "Residuals compute_residuals",
    "dynamics.cone": "Frame compute_rows compute_frame find_dipping",
    "dynamics.contact_set": "ContactSet place_contacts",
    "dynamics.insertion": "Stage plan_insertion",
    "dynamics.modes": "enumerate_modes find_modes",
    "dynamics.peg": "insertion_cone place_upright_peg",
    "dynamics.polyhedral": "Cone cone_from_faces cone_from_span",
    "dynamics.projection": "spaces_of_contacts build_contact_spaces",
    "dynamics.statics": "check_force_closure equilibrium_cone",
    "dynamics.transform": "Transform planar_transform",
    "dynamics.wrench": "wrench_cone wrench_cones Region",
    "geometry.boundary": "compute_boundary BoundaryError",
    "geometry.formation_check": "verify_formation",
    "geometry.formation_sheets": "list_sheets",
    "geometry.formation_tracking": "Track track_formation",
    "geometry.formations": "solve_formation vertex_on_edge pin FormationError",
    "geometry.motion": "Motion Coordinate MotionError",
    "geometry.polygon": "Polygon PolygonError",
    "geometry.pose": "Pose",
    "geometry.units": "to_metres LENGTH_UNITS",
    "sim.account": "Account",
    "sim.axes": "SweepError",
    "sim.branches": "simulate_branches",
    "sim.check_log": "check_log Verdict",
    "sim.cone_gallery": "read_folder",
    "sim.formation": "Formation survey_formation",
    "sim.frames": "ReplayError",
    "sim.insertion": "plan_scene try_starts",
    "sim.model": "contact_problem",
    "sim.motions": "set_motion",
    "sim.movie": "save_movie",
    "sim.plot_file": "PlotError",
    "sim.reading": "read_trajectory read_tree TrajectoryFileError",
    "sim.records": "SET_KINDS CONTACT_TYPES CONTACT_LETTERS EVENT_KINDS IMPACT_CLASSES",
    "sim.refinement": "refine Refinement",
    "sim.refinement_file": "read_refinements",
    "sim.scene": "load_scene parse_scene Scene SceneError OverlapError Workpiece Obstacle Run Goal",
    "sim.scene_contacts": "find_contact_set find_contact_spaces",
    "sim.scene_errors": "SceneError",
    "sim.simulation": "simulate",
    "sim.solution_map": "compute_map SolutionMap MapError",
    "sim.status": "Status",
    "sim.still": "save_still",
    "sim.storage": "H5Sink WriteError",
    "sim.sweep_result": "Sweep read_sweep",
    "sim.sweep_run": "sweep",
    "sim.toml_text": "dump_toml",
    "sim.trajectory": "Trajectory",
    "sim.tree": "Branch Tree",
    "sim.tree_storage": "H5TreeSink",
}


def test_stiction_offers_the_names_of_the_packages():
    offered = [name for package in PACKAGES for name in package.__all__]
    assert len(set(offered)) == len(offered) > 100
    assert sorted(stiction.__all__) == sorted(["__version__", *offered]) and dir(stiction) == sorted(stiction.__all__)
    star = {}
    exec("from stiction import *", star)
    for package in PACKAGES:
        assert dir(package) == sorted(package.__all__)
        for name in package.__all__:
            assert getattr(stiction, name) is getattr(package, name) is star[name], name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = stiction.nothing


@pytest.mark.parametrize("name", [name for name in stiction.__all__ if name != "__version__"])
def test_every_public_thing_says_what_it_is(name):
    value = getattr(stiction, name)
    if callable(value):
        assert (value.__doc__ or "").strip() and not value.__doc__.startswith(f"{name}("), name
    else:
        assert isinstance(value, tuple) and all(isinstance(word, str) for word in value), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_stubs_name_what_is_there(package):
    stub = (Path(package.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
    pairs = re.findall(r"\b(\w+) as (\w+)", stub)
    assert all(name == other for name, other in pairs)
    assert sorted(name for name, _ in pairs) == sorted(package.__all__)
    assert set(PROMISED[package].split()) <= set(package.__all__)
    homes = {value.__module__ for name, value in ((name, getattr(package, name)) for name, _ in pairs)
             if inspect.isclass(value) or inspect.isfunction(value)}
    assert {home.split(".")[0] for home in homes} == {package.__name__}


@pytest.mark.parametrize("old", OLD_NAMES)
def test_old_names_lead_to_the_modules_of_today(old):
    package, _, word = old.partition(".")
    module = import_module(old)
    for name in OLD_NAMES[old].split():
        value = getattr(module, name)
        if name in import_module(package).__all__:
            assert value is getattr(import_module(package), name)
    assert word in import_module(package).__all__ or getattr(import_module(package), word) is module
    assert module.__doc__ and dir(module)


@pytest.mark.parametrize("module", ["sim.sweep.axes", "sim.check_log", "sim.log.check_log", "sim.sweep.refine.refine"])
def test_no_module_hides_what_the_package_offers(module):
    code = f"import {module}; from sim import check_log, refine, sweep"
    code += "; print(*map(callable, [check_log, refine, sweep]))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout == "True True True\n", ended.stderr


def test_every_old_name_is_tried_here():
    assert set(OLD_MODULES.homes) == set(OLD_NAMES) - {"sim.scene"}  # which is a room today, and offers its old names


def test_modules_keep_their_own_names():
    module = import_module("dynamics.wrench")
    assert module.__name__ == module.__spec__.name == "dynamics.cones.wrench" and module is sys.modules[module.__name__]
    with pytest.raises(ModuleNotFoundError, match=r"dynamics\.nothing"):
        import_module("dynamics.nothing")


def test_no_file_of_the_project_uses_an_old_name():
    pattern = re.compile(r"^\s*(?:from|import) (" + "|".join(
        re.escape(old) for old in OLD_NAMES if old != "sim.scene") + r")\b", re.MULTILINE)
    assert pattern.search("    from sim.reading import x")
    for path in ROOT.rglob("*.py"):
        if path.relative_to(ROOT).parts[0] in ("sim", "dynamics", "geometry", "tests"):
            assert not pattern.search(path.read_text(encoding="utf-8")), path


def test_an_old_name_runs_as_a_command():
    ended = subprocess.run([sys.executable, "-W", "error", "-m", "sim.cone_gallery", "--help"], cwd=ROOT,
                           capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and "folder" in ended.stdout, ended.stderr


def test_the_command_line_knows_the_root_of_errors():
    assert stiction.StictionError in KNOWN_ERRORS and len(KNOWN_ERRORS) == 2
