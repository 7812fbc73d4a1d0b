"""What holds in every test: floating-point errors raise, random numbers come from a seed that is printed, and what can
be compiled runs compiled: nothing is interpreted because a machine is new (see `geometry.compiled.cold_code`)."""

import os
import re
import zlib

import hypothesis
import numpy as np
import pytest

# The same examples in every run; a failure prints what reproduces it.
hypothesis.settings.register_profile("stiction", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.load_profile("stiction")

os.environ["STICTION_COMPILE"] = "wait"  # of processes that tests start, too

ENGINE_TESTS = ("tests/sim/", "tests/scenes/")  # nearly all of these run the engine


def pytest_collection_finish(session):
    """Compile the engine before the first test that runs it, and not within one."""
    from sim import load_scene
    from sim.run.cold_start import compile_engine
    from sim.run.model import prepare

    if not session.config.option.collectonly and any(item.nodeid.startswith(ENGINE_TESTS) for item in session.items):
        compile_engine(prepare(load_scene("block_on_incline")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """An overflow, a division by zero or a NaN in NumPy is an error; a result too small to hold becomes 0."""
    with np.errstate(all="raise", under="ignore"):
        return (yield)


@pytest.fixture
def rng(request):
    """A random generator, seeded by the name of the test; pytest shows the printed seed when the test fails."""
    name = re.sub(r"^(tests/\w+)/(?:\w+/)+", r"\1/", request.node.nodeid)  # whatever room the test stands in
    seed = zlib.crc32(name.encode())
    print(f"seed: np.random.default_rng({seed})")
    return np.random.default_rng(seed)
