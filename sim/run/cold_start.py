"""The engine on a machine where it is not compiled yet: interpreted at first, compiled as soon as that is ready.

A run is records and arrays, and every phase of the loop begins with these alone. So one call of the loop can be
interpreted and the next one compiled, and the rows are the same to the last bit wherever the change falls.

The code is asked for in parts, so that the processes that compile share it: a kernel that calls all others would keep
one of them busy and the others idle.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from geometry.compiled import cold_code, entrances
from geometry.compiled.code_folder import SUFFIX, find_folder
from geometry.compiled.interpreted import Interpreter
from geometry.compiled.kernel import get_function, is_kernel
from geometry.compiled.program import CallFrame, OtherTypes, load, save
from sim.files.held_interrupt import hold_interrupts
from sim.rows.status_codes import PAUSED
from sim.run.model import Arguments
from sim.tolerances import CLOCK_TICK

# An interpreted call comes back after about so long [s]. Larger: Ctrl-C, the progress and the change to compiled code
# wait for longer. Smaller: nothing.
INTERPRETED_TIME = 0.2
# A compiled call that runs cells comes back after about so long [s]. Larger: Ctrl-C and other threads wait for longer.
# Smaller: calls, of a third of a millisecond, count.
LOOK_EVERY = 0.1

_asking = threading.Lock()
_asked: set = set()
_ready: set = set()  # kernels of the engine that are compiled; their arguments have the same types in all runs


def advance(arguments: Arguments) -> int:
    """`run_chunk` for a run; interpreted for about INTERPRETED_TIME where there is no machine code for it."""
    from sim.engine import loop

    if not is_kernel(loop.run_chunk):  # nothing is compiled
        return loop.run_chunk(*arguments)
    call = find_program(arguments)
    if call is not None:
        with hold_interrupts():
            return call()
    run_phase, state = _get_twins()[loop.run_chunk], arguments.state
    began = time.perf_counter()
    with cold_code.interpreting():
        while True:
            done = int(state.effort)
            code = run_phase(*arguments)
            if code != PAUSED or state.effort == done:  # at its end, or without room for more rows
                break
            if time.perf_counter() >= began + INTERPRETED_TIME:
                break
    return code


# The program of runs, by the types of its arguments, and the frame of each thread.
_programs: dict[str, Callable[[int], int]] = {}
_frames = threading.local()


def is_loaded() -> bool:
    """Whether runs of this process find their machine code without a look at numba."""
    return bool(_programs)


def _refuse(frame: int) -> int:
    """In the place of a program where this numba cannot make one."""
    raise NotImplementedError


def find_program(arguments: Arguments) -> Callable[[], int] | None:
    """`run_chunk` with these arguments in machine code, ready to be called; None while there is none."""
    try:
        frame = _fill_frame(arguments)
    except OtherTypes:
        frame = _frames.frame = CallFrame(arguments)
        frame.fill(arguments)
    program = _programs.get(frame.name) or _bring_program(frame.name, arguments)
    if program is _refuse:
        from sim.engine.loop import run_chunk

        return lambda: run_chunk(*arguments)
    return None if program is None else lambda: program(frame.address)


def _fill_frame(arguments: Arguments) -> CallFrame:
    """Raises OtherTypes."""
    frame = getattr(_frames, "frame", None)
    if frame is None:
        raise OtherTypes
    frame.fill(arguments)
    return frame


def _bring_program(name: str, arguments: Arguments) -> Callable[[int], int] | None:
    """The program from its file, or what numba compiles or has compiled, which then becomes a file."""
    from sim.engine.loop import run_chunk

    folder = find_folder()
    path = None if folder is None else folder / f"program-{name}{SUFFIX}"
    program: Callable[[int], int] | None = None if path is None else load(path)
    if program is None:
        if not is_ready(run_chunk, arguments, arguments):
            return None
        if not entrances.can_frame():
            return _refuse
        from geometry.compiled import numba_frame

        kinds = entrances.get_types(arguments)
        program = numba_frame.compile_program(run_chunk, kinds)
        if path is not None and (pieces := numba_frame.collect(run_chunk, kinds)) is not None:
            save(path, pieces)
    _programs[name] = program
    return program


def advance_cells(kernel: Any, arguments: tuple, work: Any) -> None:
    """`run_cells` or `log_cells`; interpreted, for about INTERPRETED_TIME or to the end of a cell, where there is no
    machine code. Ctrl-C waits, as in `advance`: for about LOOK_EVERY."""
    from sim.engine.many_runs import BUDGET, NEXT, SPENT

    progress = work.progress
    if is_ready(kernel, arguments, None):
        began = time.perf_counter()
        if is_kernel(kernel) and entrances.get_entrance(kernel).overloads:
            with hold_interrupts():
                kernel(*arguments)
        else:
            kernel(*arguments)  # which compiles it first, if anything is compiled
        share = LOOK_EVERY / max(time.perf_counter() - began, CLOCK_TICK)
        progress[BUDGET] = max(1, min(4 * progress[BUDGET], round(float(progress[SPENT]) * share)))
        return
    run_phase = _get_twins()[kernel]
    cell, began = int(progress[NEXT]), time.perf_counter()
    with cold_code.interpreting():
        while True:
            progress[BUDGET] = 1
            done = int(work.state[0].effort)
            run_phase(*arguments)
            if progress[NEXT] != cell or int(work.state[0].effort) == done:  # or without room for more rows
                break
            if time.perf_counter() >= began + INTERPRETED_TIME:
                break


def is_interpreted() -> bool:
    """Whether runs of this process are interpreted at present."""
    return cold_code.was_interpreted() and not _ready


@cache
def _get_twins() -> dict[Any, Callable]:
    """`run_chunk`, `run_cells` and `log_cells`, interpreted, of which each call is one phase."""
    from sim.engine.loop import run_chunk
    from sim.engine.many_runs import log_cells, run_cells

    interpreter = Interpreter({run_chunk: {"PAUSE_AFTER": 1}})
    return {kernel: interpreter.get_twin(kernel) for kernel in (run_chunk, run_cells, log_cells)}


def is_ready(kernel: Any, arguments: tuple, run: Arguments | None) -> bool:
    """Whether a kernel of the engine is to run compiled, see `cold_code.is_ready`; where not, its parts are asked for.
    run: arguments of a run, if these are some."""
    if kernel in _ready:
        return True
    if run is not None and is_kernel(kernel) and cold_code.get_mode() != cold_code.HERE:
        ask_for_parts(run)
    if not cold_code.is_ready(kernel, arguments, framed=run is not None and entrances.can_frame()):
        return False
    _ready.add(kernel)
    return True


def compile_engine(run: Arguments) -> None:
    """Make `run_chunk` ready for a run, as fast as the machine can, and wait for it; does nothing where it is."""
    from sim.engine.loop import run_chunk

    if is_kernel(run_chunk):
        cold_code.wait_for_code()
        find_program(run)


# ---- parts -----------------------------------------------------------------------------------------------------------


def ask_for_parts(run: Arguments) -> None:
    """Ask for the parts of `run_chunk`, once in a process, unless all is there. Where code is waited for, this process
    compiles them too."""
    from geometry.compiled.machine_code import find_file
    from sim.engine.loop import run_chunk

    kinds = entrances.get_types(run)
    with _asking:
        if kinds in _asked:
            return
        _asked.add(kinds)
    path = find_file(run_chunk, kinds, framed=entrances.can_frame())
    folder = find_folder()
    if folder is None or path is None or path.exists():
        return
    for rank, (kernel, arguments) in enumerate(list_parts(run)):
        cold_code.ask_for(kernel, entrances.get_types(arguments), rank)
    if cold_code.get_mode() == cold_code.WAIT:
        cold_code.work_off(folder)


def list_parts(run: Arguments) -> list[tuple[Any, tuple]]:
    """(kernel, arguments) of the parts of `run_chunk`, in an order in which two processes that take one after the other
    have all to do, each with parts of its own: by measured times they end within a twentieth of the least time."""
    from dynamics.motion.closed import find_closed, make_problem
    from dynamics.motion.impact import Choice, pick_member
    from dynamics.motion.mode import MotionState
    from dynamics.motion.scales import Zeros
    from dynamics.search.reactions import solve_forces
    from sim.engine import bounces, events, jump, loop, next_event, step

    body, options, state, tools, log = run
    desk = tools.desk
    here = MotionState(float(state.time), state.pose, state.velocity)
    problem = get_function(make_problem)(desk.closed, body.w)
    choice = Choice(options.rule, state.random, options.tolerances, tools.buffer)
    short = bounces.PassOver(desk.struck, desk.closed, 1.0, events.ACCUMULATION)
    return [
        (pick_member, (desk.closed, body.w, choice)),
        (solve_forces, (problem, desk.wanted, options.tolerances, desk.closed.fn, desk.closed.ft)),
        (step.take_step, (body, options, state, tools, 1.0)),
        (next_event.find_event, (body, options, state, tools, 1.0)),
        (jump._set_mode, (body, options, state, tools, here, desk.closed, desk.target)),
        (next_event.accept, (body, options, state, tools, next_event.StepEnd(1.0, True))),
        (find_closed, (body, state.mode, here, Zeros(1.0, 1.0), desk.closed, tools.scratch)),
        (bounces.pass_over, (body, options, state, tools, log, short)),
        (loop._step, (body, options, state, tools, log)),
        (loop._write_ticks, (body, options, state, tools, log)),
        (jump._log_cause, (body, options, state, log, True)),
        (jump.jump, (body, options, state, tools, log)),
    ]
