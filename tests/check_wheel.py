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
SUFFIXES = (".py", ".pyi", ".toml", ".md", ".dxf", ".html", ".css", ".js")
PROGRAM = """
import stiction
trajectory = stiction.simulate("block_on_incline", duration=0.1)
assert trajectory.status.completed and stiction.__file__.startswith(__import__("sys").prefix), stiction.__file__
"""

TYPED = """import stiction
stiction.simulate("block_on_incline").pose.shape
stiction.simulate("block_on_incline").poses
"""


def find_missing(wheel):
    """What the sources have and the wheel lacks, or the other way round."""
    wanted = {str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*")
              if path.suffix in SUFFIXES or path.name == "py.typed"} | {"stiction.py", "stiction-stubs/__init__.pyi"}
    wanted.remove("sim/stiction.pyi")  # it lies elsewhere
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
        (Path(foreign) / "typed.py").write_text(TYPED)
        told = subprocess.run([sys.executable, "-m", "mypy", "--python-executable", tools / "python", "typed.py"],
                              cwd=foreign, capture_output=True, text=True).stdout
        if "typed.py:3: error" not in told or "Found 1 error" not in told:
            sys.exit(f"a type checker does not read the types of the wheel: {told}")
    print(f"{wheel} is sound")


if __name__ == "__main__":
    main(sys.argv[1])
