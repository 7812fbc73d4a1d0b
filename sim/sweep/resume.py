"""Going on with a sweep: the rows that are there are taken over, if the sweep still is the same one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from geometry.compiled.code_folder import compute_source_hash, get_state
from geometry.packages import __version__
from sim.rows.status import Status
from sim.sweep.axes import SweepError
from sim.sweep.cells import CellRunner, Study
from sim.sweep.plan import Plan
from sim.sweep.sweep_file import SweepFile, SweepRecord, read_sweep_file
from sim.sweep.table import Rows


def make_record(study: Study, plan: Plan, runner: CellRunner) -> SweepRecord:
    """What the sweep is a sweep of."""
    program = f"stiction {__version__}"
    kernels = compute_source_hash(get_state().root, get_state().archive)
    return SweepRecord(study.text, study.source or "", plan, program, kernels, runner.outcomes)


def open_file(path: Path, record: SweepRecord, resume: bool) -> tuple[SweepFile | None, np.ndarray]:
    """The file to write to, and which cells it has already. A resumed file is written anew, with the rows that were
    there, and takes the place of the old one in one step; a complete one stays as it is, with all that was refined of
    it, and there is none to write to. Raises SweepError where the old sweep was another one."""
    done = np.zeros(len(record.plan), bool)
    if not resume or not path.exists():
        return SweepFile(path, record), done
    before, table, texts, status = read_sweep_file(path)
    difference = record.find_difference(before)
    if difference:
        raise SweepError(f"cannot resume {path}: {difference}. Put it back, or begin anew without --resume")
    if status is Status.COMPLETED and len(table) == len(done):
        return None, ~done
    file = SweepFile(path, record)
    try:
        file.write(Rows(table, texts))
    except BaseException:
        file.close(Status.FAILED)  # it disappears, and the old one stays
        raise
    done[table["cell"]] = True
    return file, done

