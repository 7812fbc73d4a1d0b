"""What a run of each built-in scene gave when it was last pinned, in `pins.toml` beside this file.

    python -m tests.scenes.pins            # does every scene still give the same? names those that do not
    python -m tests.scenes.pins --renew    # pin what they give now; say in the commit why a scene moves otherwise

For every scene the table holds where the part ends, how fast, and the work done, which hold anywhere to 1e-9, and the
numbers of steps and events. For every kind of machine that has pinned them it holds a digest of all rows, which is the
same to the last bit wherever `describe_machine` says the same: arithmetic is, but sine and cosine are the library's.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import sys
import tomllib
from pathlib import Path

import llvmlite
import llvmlite.binding
import numpy as np

import scenes
from sim import simulate

TABLE = Path(__file__).with_name("pins.toml")
STATE = ("time", "x", "y", "theta", "vx", "vy", "omega", "kinetic", "work_load", "work_friction", "work_impact",
         "work_obstacles")  # fmt: skip


def describe_machine() -> str:
    """What decides the last bits of a run: the processor, the system's mathematics, numpy and the compiler."""
    return ", ".join((platform.system(), platform.machine(), llvmlite.binding.get_host_cpu_name(),
                      " ".join(platform.libc_ver()), f"numpy {np.__version__}", f"llvmlite {llvmlite.__version__}"))


def digest_rows(trajectory) -> str:
    """SHA-256 of all rows of a run: steps, contacts, events and impulses."""
    tables = (trajectory.steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses)
    return hashlib.sha256(b"".join(table.tobytes() for table in tables)).hexdigest()


def describe_run(trajectory) -> dict:
    """The numbers of a run that hold on any machine."""
    account, last = trajectory.account, trajectory.steps[-1]
    return {"status": trajectory.status.name, "steps": account.n_steps, "events": account.n_events,
            "impacts": account.n_impacts, "end": [float(last[name]) for name in STATE]}


def read_pins() -> dict:
    """{"run": {scene: numbers}, "digest": {machine: {scene: digest}}}."""
    return tomllib.loads(TABLE.read_text()) if TABLE.exists() else {"run": {}, "digest": {}}


def write_pins(pins: dict) -> None:
    lines = [f"# Written by `python -m tests.scenes.pins --renew`. end: {', '.join(STATE)}; SI units."]
    for name, run in sorted(pins["run"].items()):
        lines += ["", f"[run.{name}]", f'status = "{run["status"]}"']
        lines += [f"{key} = {run[key]!r}" for key in ("steps", "events", "impacts", "end")]
    for machine, digests in sorted(pins["digest"].items()):
        lines += ["", f'[digest."{machine}"]', *(f'{name} = "{digest}"' for name, digest in sorted(digests.items()))]
    TABLE.write_text("\n".join(lines) + "\n")


def list_changes(name: str, trajectory, pins: dict) -> list[str]:
    """What is not as pinned: of the numbers, and of the digest where this kind of machine has one."""
    if name not in pins["run"]:
        return ["not pinned yet"]
    run, pinned = describe_run(trajectory), pins["run"][name]
    changes = [f"{key} is {run[key]!r}, pinned {pinned[key]!r}" for key in run
               if key != "end" and run[key] != pinned[key]]
    for key, value, before in zip(STATE, run["end"], pinned["end"], strict=True):
        if not abs(value - before) <= 1e-9 * max(1.0, abs(before)):
            changes.append(f"{key} is {value!r}, pinned {before!r}")
    before = pins["digest"].get(describe_machine(), {}).get(name)
    if before is not None and before != digest_rows(trajectory):
        changes.append("some row is not the same to the last bit")
    return changes


def main() -> int:
    """Compare, or renew: numbers where they have changed, and the digests of this kind of machine."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenes.pins", description=__doc__.splitlines()[0])
    parser.add_argument("--renew", action="store_true", help="pin what the scenes give now")
    parser.add_argument("--digests", nargs="+", metavar="SCENE", help="only print the digests of these scenes")
    arguments = parser.parse_args()
    if arguments.digests:
        print(*(digest_rows(simulate(name)) for name in arguments.digests), sep="\n")
        return 0
    pins, runs = read_pins(), {name: simulate(name) for name in scenes.names()}
    changes = {name: list_changes(name, trajectory, pins) for name, trajectory in runs.items()}
    for name, found in changes.items():
        print(f"{name}: {'; '.join(found) or 'as pinned'}")
    if arguments.renew:
        numbers = {name: describe_run(run) if changes[name] else pins["run"][name] for name, run in runs.items()}
        same = numbers == pins["run"]  # else the digests of other machines are of another motion
        write_pins({"run": numbers, "digest": {**(pins["digest"] if same else {}), describe_machine():
                    {name: digest_rows(trajectory) for name, trajectory in runs.items()}}})
    return 0 if arguments.renew or not any(changes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
