"""The one decorator for compiled code.

`jit` is `numba.njit` with machine code kept on disk (see `machine_code.py`) and these choices:

* `nogil=True`: independent runs may share a process in threads.
* `error_model="python"` (numba's default): a division by zero raises, compiled or not. Kernels promise to return a
  status instead of a NaN or an infinity, so a division by zero is a bug; under the other model, "numpy", compiled code
  would go on with an infinity while the same kernel raises under `NUMBA_DISABLE_JIT=1`. The price is one predictable
  branch a division.
* no `fastmath`, no `parallel`: the same bits in every run, process and thread.

With `NUMBA_DISABLE_JIT=1` `jit` returns the function itself, as `njit` does.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
from numba.core import cgutils, config, types
from numba.extending import lower_cast

from geometry.compiled import machine_code


def jit(function: Callable | None = None, **options):
    """Compile `function` at its first call and keep the machine code for later processes. Usable as `@jit`."""
    if function is None:
        return lambda decorated: jit(decorated, **options)
    # Nobody passes kernels to C, and nobody calls private ones from Python: leaving out those two entrances halves the
    # time that compiling takes.
    private = function.__name__.startswith("_")
    options = {"no_cfunc_wrapper": True, "no_cpython_wrapper": private, **options}
    dispatcher = numba.njit(nogil=True, **options)(function)
    if not config.DISABLE_JIT:
        _unify_types(dispatcher)
        machine_code.attach_store(dispatcher)
    return dispatcher


def kernel(function: Callable):
    """As `jit`, but callers call by address instead of taking the code into theirs.

    numba otherwise compiles every function again within each of its callers, in their callers, and so on, so that a
    deep program compiles ten times slower than its size asks for. Use it for all but small helpers, which gain from
    being inlined. A call costs about two nanoseconds.
    """
    dispatcher = jit(function)
    if not config.DISABLE_JIT:
        machine_code.call_by_address(dispatcher)
    return dispatcher


def _unify_types(dispatcher) -> None:
    """Compile one kernel for all integers and all arrays, not one more for every literal 0, 1, 2 ... it is called with,
    nor for arrays that are fields of records, by themselves or in tuples.

    Without this, `f(table, 0)` and `f(table, i)` are two specialisations, and so are all kernels below: compile time
    doubles and no kernel gains from it.
    """
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template(
        tuple(_unify(a) for a in args), {name: _unify(a) for name, a in kws.items()}
    )


def _unify(kind: types.Type) -> types.Type:
    kind = types.unliteral(kind)
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types([_unify(part) for part in kind], getattr(kind, "instance_class", None))
    return kind


@lower_cast(types.NamedTuple, types.NamedTuple)
def _take_field_by_field(context, builder, from_type, to_type, value):
    """A NamedTuple whose arrays are fields of records, as one whose arrays are any."""
    fields = zip(cgutils.unpack_tuple(builder, value, len(from_type)), from_type, to_type, strict=True)
    return context.make_tuple(builder, to_type, [context.cast(builder, *field) for field in fields])


@lower_cast(types.NestedArray, types.Array)
def _take_nested_as_array(context, builder, from_type, to_type, value):
    """Both are the same structure in machine code."""
    return value
