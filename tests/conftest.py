"""What holds in every test: floating-point errors raise, and random numbers come from a seed that is printed."""

import re
import zlib

import hypothesis
import numpy as np
import pytest

# The same examples in every run; a failure prints what reproduces it.
hypothesis.settings.register_profile("stiction", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.load_profile("stiction")


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
