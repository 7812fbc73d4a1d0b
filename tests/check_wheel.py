"""`python -m tests.check_wheel FOLDER`: the wheel in a folder has all it needs, and works in a fresh environment.

It is installed into an environment of its own and runs a scene from a foreign folder, where nothing of the sources is.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("sim", "geometry", "dynamics", "scenes")
SUFFIXES = (".py", ".pyi", ".toml", ".md")
PROGRAM = """
import stiction
trajectory = stiction.simulate("block_on_incline", duration=0.1)
assert trajectory.status.completed and stiction.__file__.startswith(__import__("sys").prefix), stiction.__file__
"""


def find_missing(wheel):
    """What the sources have and the wheel lacks, or the other way round."""
    wanted = {str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*")
              if path.suffix in SUFFIXES or path.name == "py.typed"} | {"stiction.py"}
    with zipfile.ZipFile(wheel) as file:
        packed = {name for name in file.namelist() if ".dist-info/" not in name}
    return sorted(wanted ^ packed)


def run(*words, folder):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(list(map(str, words)), cwd=folder, env=environment, check=True)


def main(folder):
    (wheel,) = Path(folder).resolve().glob("*.whl")
    missing = find_missing(wheel)
    if missing:
        sys.exit(f"{wheel.name} and the sources differ: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as foreign:
        place = Path(foreign) / "environment"
        venv.create(place, with_pip=True)
        tools = place / ("Scripts" if os.name == "nt" else "bin")
        run(tools / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, folder=foreign)
        run(tools / "stiction", "run", "block_on_incline", "-o", "block.h5", folder=foreign)
        run(tools / "stiction", "check", "block.h5", folder=foreign)
        run(tools / "python", "-c", PROGRAM, folder=foreign)
    print(f"{wheel} is sound")


if __name__ == "__main__":
    main(sys.argv[1])
