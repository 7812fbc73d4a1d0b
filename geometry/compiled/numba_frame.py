"""Kernels that Python calls by the address of a frame (`program.py`): how numba compiles their entrance, and what of
it is written as a program. Looks into numba, as `numba_private.py` does."""

from __future__ import annotations

import importlib
import pickle
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from geometry.compiled import numba_private
from geometry.compiled.arguments import unify
from geometry.compiled.kernel import Kernel
from geometry.compiled.program import Program
from geometry.compiled.shared_files import read_sealed

WORD = ir.IntType(64)


@intrinsic
def read_frame(typing_context, address, kind):
    """The tuple of the type `kind` that the frame at an address holds."""
    return kind.instance_type(address, kind), _generate_reading


def _generate_reading(context, builder, signature, arguments):
    words = builder.inttoptr(arguments[0], WORD.as_pointer())
    return _read(context, builder, signature.return_type, words, 0)[0]


def _read(context, builder, kind, words, at: int) -> tuple[Any, int]:
    """(value, the word after it) of what stands from word `at` on."""
    def read_word(number: int):
        return builder.load(builder.gep(words, [WORD(number)]))

    if isinstance(kind, types.BaseTuple):
        parts = []
        for part in kind:
            value, at = _read(context, builder, part, words, at)
            parts.append(value)
        return context.make_tuple(builder, kind, parts), at
    if isinstance(kind, types.Array):
        array, n = context.make_array(kind)(context, builder), kind.ndim
        data = builder.inttoptr(read_word(at + 2), array.data.type)
        populate_array(array, data, shape=[read_word(at + 3 + i) for i in range(n)],
                       strides=[read_word(at + 3 + n + i) for i in range(n)], itemsize=read_word(at + 1), meminfo=None)
        return array._getvalue(), at + 3 + 2 * n
    word = read_word(at)
    if isinstance(kind, types.Record):
        return builder.inttoptr(word, context.get_value_type(kind)), at + 1
    if isinstance(kind, types.Float):
        return builder.bitcast(word, ir.DoubleType()), at + 1
    if isinstance(kind, types.Boolean):
        return cgutils.is_not_null(builder, word), at + 1
    return word, at + 1


def get_entrance(kernel: Kernel) -> Any:
    """The numba function with (address, type of the arguments) that calls a kernel with what a frame holds."""
    if kernel.framed is None:
        kernel.framed = numba_private.declare_beside(
            kernel, "frame", "def frame(address, kind): return kernel(*read_frame(address, kind))",
            {"read_frame": read_frame}, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False)
        compiled = kernel.framed
        compiled.add_overload = lambda result: compiled.overloads.update({tuple(result.signature.args): result})
    return kernel.framed


def make_kinds(kinds: tuple) -> tuple:
    """The types that the entrance takes of a kernel that takes `kinds`."""
    return types.int64, types.TypeRef(types.Tuple(unify(kinds, addresses=False)))


def compile_program(kernel: Kernel, kinds: tuple) -> Program:
    """Compile or load the entrance for arguments of these types."""
    entrance, own = get_entrance(kernel), make_kinds(kinds)
    entrance.compile(own)
    result = entrance.overloads[own]
    return Program(result.library.get_pointer_to_function(result.fndesc.llvm_func_name), result)


def collect(kernel: Kernel, kinds: tuple) -> list[tuple[str, str, bytes]] | None:
    """The entrance and all that it calls, see `program.save`, from what is kept on disk; None if not all is there."""
    pieces: dict[str, tuple[str, str, bytes]] = {}

    def add(function: Any, arguments: tuple) -> None:
        symbol = numba_private.name_symbol(function.py_func, arguments)
        if symbol in pieces:
            return
        content = read_sealed(numba_private.get_store(function).find_file(arguments))
        if content is None:
            raise LookupError(symbol)
        _, _, callees, parts = pickle.loads(content)
        for module, name, their in callees:
            add(getattr(importlib.import_module(module), name).dispatcher, their)
        pieces[symbol] = symbol, parts[1].llvm_func_name, parts[0][2][0]

    try:
        add(get_entrance(kernel), make_kinds(kinds))
    except (AttributeError, LookupError, TypeError):
        return None
    return list(pieces.values())


