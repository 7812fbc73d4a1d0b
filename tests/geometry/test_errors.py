"""One root of all exceptions, and its tree in words."""

import copy
import pickle
import pkgutil
import re
from importlib import import_module

import numpy as np
import pytest

import dynamics
import geometry
import scenes
import sim
from geometry import errors
from geometry.errors import InputError, StictionError
from geometry.shapes.units import to_metres

# Who sends one also catches it: what ends a run from inside, and what says that a folder knows no locks, a frame other
# types, that a controller of the user has failed, or that nobody waits for a run any more.
SIGNALS = {"ControllerFailure", "Interrupted", "NoLocks", "OtherTypes", "Superseded"}


def find_exceptions():
    """{name: class} of all exceptions that the packages define."""
    found = {}
    for package in (geometry, dynamics, sim, scenes):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                found |= {name: value for name, value in vars(import_module(module.name)).items()
                          if isinstance(value, type) and issubclass(value, BaseException)
                          and value.__module__ == module.name}
    return found


def test_every_error_has_the_one_root():
    found = find_exceptions()
    assert len(found) > 15
    others = {name for name, value in found.items() if not issubclass(value, StictionError)}
    assert {name for name in others if not name.startswith("_")} == SIGNALS


def test_the_tree_in_words_is_the_tree():
    listed = {}
    for line in errors.__doc__.splitlines()[2:]:
        also = re.search(r"\(also (\w+)\)", line)
        for name in re.findall(r"\b[A-Z]\w*Error\b", line.split("(also")[0]):
            listed[name] = also[1] if also else ""
    found = {name: value for name, value in find_exceptions().items() if issubclass(value, StictionError)}
    assert listed.keys() == found.keys()
    for name, value in found.items():
        builtin = next((base.__name__ for base in (ValueError, OSError) if issubclass(value, base)), "")
        assert listed[name] == builtin, name


def make_problem(**changes):
    data = {"w": [0, -9.81, 0], "N": [[0, 1, 0]], "b": [0], "T": [[1, 0, 0]], "d": [0], "slip": [0], "mu": [0.5]}
    return dynamics.ContactProblem(**(data | changes))


CALLS = {
    "problem without numbers": lambda: make_problem(w="abc"),
    "problem of wrong shape": lambda: make_problem(N=[[0, 1]]),
    "problem with negative friction": lambda: make_problem(mu=[-1]),
    "problem that is not finite": lambda: make_problem(w=[0, np.nan, 0]),
    "outline that crosses itself": lambda: geometry.Polygon([[0, 0], [1, 1], [1, 0], [0, 1]]),
    "outline without numbers": lambda: geometry.Polygon("abc"),
    "length in a unit that is none": lambda: to_metres(1.0, "mile"),
    "places without normals": lambda: dynamics.place_contacts([(0, 0)], [], 0.5),
    "mode of too many letters": lambda: dynamics.wrench_cone(
        dynamics.place_contacts([(0, 0)], [(0, 1)], 0.5), "nn"),
    "cone of wrong shape": lambda: dynamics.cone_from_span([[1, 2]]),
    "scene that is none": lambda: sim.load_scene("no_such_scene"),
    "problem of no scene": lambda: sim.contact_problem(5),
    "rule that is none": lambda: sim.simulate("ladder", choice="leave"),
    "obstacle that is none": lambda: sim.find_contact_set(sim.load_scene("ladder"), approach=["nobody"]),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_input_of_calls_is_told_so(name):
    """And still by the ValueError that other code catches."""
    with pytest.raises(StictionError) as caught:
        CALLS[name]()
    assert isinstance(caught.value, ValueError) and str(caught.value)


def test_input_errors_are_value_errors():
    with pytest.raises(InputError, match=r"mu\[0\] is -1.0: friction cannot be negative"):
        make_problem(mu=[-1])
    assert issubclass(InputError, ValueError)


def build_errors():
    """One error of each class that has a constructor of its own, as it is raised, and some that have none."""
    from pathlib import Path

    from sim.files.write_error import WriteError
    from sim.log.reading import TrajectoryFileError
    from sim.scene.formation_start import NoStartError
    from sim.sweep.sweep_file import SweepFileError

    return [TrajectoryFileError("a.h5", "is empty"), SweepFileError("a.h5", "is no sweep"),
            NoStartError("scene: none", ["a listing"]), WriteError(Path("a.h5"), OSError(28, "No space left"), 7),
            WriteError(Path("a.h5"), ValueError("odd"), 0), InputError("mu: -1"), StictionError()]


@pytest.mark.parametrize("error", build_errors(), ids=lambda error: type(error).__name__)
def test_errors_cross_from_process_to_process(error):
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error) and str(again) == str(error) and again.args == error.args
        assert vars(again) == vars(error)
        if isinstance(error, OSError):
            assert (again.errno, again.filename) == (error.errno, error.filename)


def test_every_error_with_a_constructor_of_its_own_is_tried():
    own = {name for name, value in find_exceptions().items() if "__init__" in vars(value) and not name.startswith("_")}
    assert own <= {type(error).__name__ for error in build_errors()}
