"""The first start on a machine: two processes share the compiling.

Compiling is single-threaded Python inside numba. The search for accelerations is about half of all kernels and calls
none of the others, so a second process compiles it while this one compiles what does not need it; each keeps its
machine code on disk, where the other finds it. Nothing depends on the second process: what it leaves undone is compiled
here.
"""

from __future__ import annotations

import os
import subprocess
import sys

from numba import typeof

from geometry.compiled.code_folder import find_folder
from geometry.compiled.machine_code import is_cold
from sim.run.model import Arguments, prepare


def compile_engine(arguments: Arguments) -> None:
    """Make `run_chunk` ready for its arguments; does nothing where it is."""
    from sim.engine.loop import run_chunk

    if not is_cold(run_chunk):
        return
    if (os.cpu_count() or 1) < 2 or find_folder() is None:
        return  # nothing is gained, or nothing can be handed over
    # the modules of this process, and not what lies in the working folder under the same names (-P)
    program = f"import sys; sys.path[:] = {sys.path!r}; from sim.run.cold_start import main; main()"
    try:
        second = subprocess.Popen([sys.executable, "-P", "-c", program], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:  # no memory, or no more processes: everything is compiled here, in its time
        return
    try:
        compile_motion(arguments)
        second.wait()
    finally:
        second.kill()
        second.wait()


def compile_motion(arguments: Arguments) -> None:
    """The kernels that do not search for accelerations: steps, events, detection, forces, output."""
    from dynamics.motion.closed import find_closed, make_problem
    from dynamics.motion.mode import MotionState
    from dynamics.motion.scales import Zeros
    from dynamics.search.reactions import solve_forces
    from sim.engine import bounces, jump, loop, next_event, step

    body, options, state, tools, log = arguments
    desk, zeros = tools.desk, Zeros(1.0, 1.0)
    here = MotionState(float(state.time), state.pose, state.velocity)
    compile_for(step.take_step, body, options, state, tools, 1.0)
    compile_for(find_closed, body, state.mode, here, zeros, desk.closed, tools.scratch)
    compile_for(loop._write_ticks, body, options, state, tools, log)
    problem = make_problem(desk.closed, body.w)
    compile_for(solve_forces, problem, desk.wanted, options.tolerances, desk.closed.fn, desk.closed.ft)
    compile_for(next_event.find_event, body, options, state, tools, 1.0)
    compile_for(next_event.accept, body, options, state, tools, next_event.StepEnd(1.0, True))
    compile_for(jump._set_mode, body, options, state, tools, here, desk.closed, desk.target)
    compile_for(jump._log_cause, body, options, state, log, True)
    compile_for(bounces._is_clear, body, options, state, tools, desk.struck, 1.0)
    compile_for(bounces._measure_flight, body, desk.struck, desk.target, zeros, 1.0)
    compile_for(bounces._close_gaps, body, options, desk.closed, desk, here.time, here.pose)


def compile_search(arguments: Arguments) -> None:
    """The kernels that search for accelerations."""
    from dynamics.motion.impact import Choice, pick_member

    body, options, state, tools, _ = arguments
    choice = Choice(options.rule, state.random, options.tolerances, tools.buffer)
    compile_for(pick_member, tools.desk.closed, body.w, choice)


def compile_for(kernel, *arguments) -> None:
    """Compile one kernel for arguments of these types."""
    if hasattr(kernel, "compile"):  # plain functions under NUMBA_DISABLE_JIT
        kernel.compile(tuple(typeof(argument) for argument in arguments))


def main() -> None:
    """What the second process does."""
    from sim import load_scene

    compile_search(prepare(load_scene("block_on_incline")))
