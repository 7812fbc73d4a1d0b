"""Sweeps on a cluster: the same table as here, whatever dies; and what a user is told when there is none."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim.scene.build import load_scene, parse_scene
from sim.sweep import cluster as cluster_module
from sim.sweep.axes import SweepError
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests import scene_builders

distributed = pytest.importorskip("distributed")
# dask warns of its own affairs, such as how long its event loop waited.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
ROOT = Path(__file__).parents[3]


class Cluster:
    """A scheduler and worker processes on this machine."""

    def __init__(self, folder: Path, environment: dict | None = None):
        self._file, self._folder = folder / "scheduler.json", folder
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
        self.processes = [self._start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")]
        for _ in range(600):
            if self._file.exists() and self._file.read_text().strip().endswith("}"):
                break
            time.sleep(0.1)
        self.client = distributed.Client(scheduler_file=str(self._file), timeout=60, set_as_default=False)
        self.address = self.client.scheduler.address
        self.workers = [self._start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard") for _ in range(2)]
        self.processes += self.workers
        self.client.wait_for_workers(2, timeout=120)

    def _start(self, *words: str) -> subprocess.Popen:
        arguments = [sys.executable, "-m", "dask", *words, "--scheduler-file", str(self._file)]
        return subprocess.Popen(arguments, env=self._environment, cwd=self._folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def close(self) -> None:
        self.client.close()
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.close()


def test_the_table_is_complete_and_the_same_although_a_worker_is_killed(cluster, tmp_path):
    scene, axes = parse_scene(scene_builders.s1()), {"mu": "0:1:151", "rho": "0.2:0.4:21"}
    killed = []

    def kill_one(done: int, total: int) -> None:
        if not killed and done > 8:
            killed.append(done)
            cluster.workers[0].kill()

    path = tmp_path / "far.h5"
    far = sweep(scene, **axes, client=cluster.client, output=path, progress=kill_one)
    assert killed and killed[0] < len(far) == 151 * 21 and far.status.completed
    assert len(cluster.client.nthreads()) == 1
    near = sweep(scene, **axes, workers=2)
    assert far.table.tobytes() == near.table.tobytes() and far.texts == near.texts
    again = sweep(scene, **axes, client=cluster.client, output=path, resume=True)
    assert again.table.tobytes() == near.table.tobytes()

    # by address, with logs, on the worker that is left
    logged = tmp_path / "logged.h5"
    sweep(scene, mu=[0.2, 0.4], client=cluster.address, output=logged, log="all")
    for cell in range(2):
        trajectory = read_sweep(logged).read_log(cell)
        assert trajectory.status.completed
        assert trajectory.pose[-1].tolist() == [read_sweep(logged)[name][cell] for name in ("x", "y", "theta")]


def test_where_there_is_no_cluster_the_message_says_so(monkeypatch):
    scene = load_scene("block_on_incline")
    with pytest.raises(SweepError, match="no scheduler answers there"):
        monkeypatch.setattr(cluster_module, "PATIENCE", 0.5)
        sweep(scene, mu=[0.1], client="tcp://127.0.0.1:9")
    with pytest.raises(SweepError, match="must be the address of a scheduler"):
        sweep(scene, mu=[0.1], client="localhost")
    with pytest.raises(SweepError, match="one of workers and client"):
        sweep(scene, mu=[0.1], client="tcp://127.0.0.1:9", workers=2)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SweepError, match=r"not installed: pip install .stiction\[cluster\]"):
        sweep(scene, mu=[0.1], client="tcp://127.0.0.1:9")


def test_a_worker_of_another_version_is_refused():
    from sim.sweep.axes import make_axis
    from sim.sweep.cells import Study
    from sim.sweep.cluster import pack_study, run_remote

    axis = make_axis("mu", "0.1,0.2")
    payload = pack_study(Study(scene_builders.s1(), None, (axis,)), [0.1], "f" * 64)
    with pytest.raises(SweepError, match="another version of the program"):
        run_remote(payload, [0], axis.values[:1, None], "none")
