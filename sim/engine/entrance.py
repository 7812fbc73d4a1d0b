"""Where Python enters the compiled loop, with arguments that it can hand over quickly."""

from __future__ import annotations

from geometry.compiled.jit import kernel
from geometry.compiled.record import get_table
from geometry.contact.detection import Scratch
from sim.engine.loop import run_chunk
from sim.engine.state import Tools


@kernel
def enter(body, options, state, tools, log):
    """`run_chunk` with tables of one row (see `get_table`) in the place of the records of a run."""
    scratch = tools.scratch
    records = Scratch(scratch.stack, scratch.climb, scratch.nearby, scratch.facing, scratch.world, scratch.spot[0])
    return run_chunk(body, options, state[0], Tools(tools.desk[0], records, tools.buffer), log)


def pack(body, options, state, tools, log) -> tuple:
    """The arguments of `enter` from those of `run_chunk`."""
    scratch = tools.scratch._replace(spot=get_table(tools.scratch.spot))
    return body, options, get_table(state), Tools(get_table(tools.desk), scratch, tools.buffer), log
