"""What is taken from numba beyond its documented interface. No other file looks into numba.core or LLVM.
What a kernel has for calls from Python is used in `entrances.py`, and how it takes its arguments in `arguments.py`, by
names that are listed here.

numba may rename any of this in a release. So all names are looked up once, when the first kernel is declared; a feature
that lacks one is left out, and a single warning says what that costs. Kernels are compiled in any case, to the same
numbers. numba's own cache is no way out: it does not notice an edit in another module (see `code_folder.py`), and code
that it keeps could hold the address of a kernel that the next process does not have.

Tested with OLDEST and with NEWEST; what lies between has not been run.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import importlib
import pickle
import re
import warnings
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import llvmlite.binding
import numba
from numba import config

from geometry.compiled.kernel import Kernel, is_disabled, tell_numba_is_loaded

OLDEST, NEWEST = "0.61.0", "0.68.1"

LONGEST_NAME = 64  # letters of a type in a symbol, see `_shorten_name`

# The features, each by what is lost without it.
KEEPING = "machine code is not kept, so every start compiles anew"
BY_ADDRESS = "kernels are copied into their callers, so compiling takes about ten times as long"
UNIFYING = "kernels are compiled again for each literal argument, so compiling takes about twice as long"
ADDRESSES = "tuples are handed over number by number, so runs take about twice as long"
COUNTING = "references to arrays are counted at every call, so runs take about twice as long, searches three times"
NAMING = "the machine code of kernels takes several times the room, and loading it twice the time"
BARE = "kernels get entrances that nobody uses, so compiling takes about twice as long"
FRAMING = "a command takes a second longer to start"
ANSWERING = "a run waits while kernels are compiled"
TIMING = "the time of compiling is not measured"

_NEEDED = {
    KEEPING: (
        "numba.core.compiler:CompileResult._reduce", "numba.core.compiler:CompileResult._rebuild",
        "numba.core.compiler:CompileResult.library", "numba.core.compiler:CompileResult.fndesc",
        "numba.core.compiler:CompileResult.signature", "numba.core.compiler:CompileResult.lifted",
        "numba.core.compiler:CompileResult.entry_point", "numba.core.serialize:dumps",
        "numba.core.codegen:CodeLibrary.has_dynamic_globals", "numba.core.codegen:CodeLibrary.get_llvm_str",
        "numba.core.runtime:rtsys.initialize", "numba.core.base:BaseContext.insert_user_function",
        "numba.core.caching:NullCache.load_overload", "numba.core.caching:NullCache.save_overload",
        "kernel:_cache", "kernel:targetctx", "kernel:overloads", "kernel:add_overload",
        "llvmlite.binding:parse_bitcode", "llvmlite.binding:parse_assembly"),
    BY_ADDRESS: (
        "numba.core.compiler:CompileResult.library", "numba.core.compiler:CompileResult.fndesc",
        "numba.core.compiler:CompileResult.signature", "numba.core.compiler:CompileResult.entry_point",
        "numba.core.base:BaseContext.insert_user_function", "numba.core.base:BaseContext.remove_user_function",
        "numba.core.funcdesc:FunctionDescriptor.mangled_name",
        "numba.core.funcdesc:FunctionDescriptor.llvm_func_name",
        "numba.core.codegen:JITCodeLibrary.get_pointer_to_function",
        "kernel:targetctx", "kernel:add_overload", "llvmlite.binding:add_symbol"),
    UNIFYING: (
        "kernel:get_call_template", "numba.core.types:NestedArray", "numba.core.types:unliteral",
        "numba.core.types:BaseTuple.from_types", "numba.core.cgutils:unpack_tuple",
        "numba.core.base:BaseContext.make_tuple", "numba.core.base:BaseContext.cast", "numba.extending:lower_cast"),
    ADDRESSES: (
        "kernel:get_call_template", "numba.core.types:BaseNamedTuple", "numba.core.types:NamedUniTuple",
        "numba.core.datamodel.models:PrimitiveModel", "numba.core.typing.templates:AttributeTemplate",
        "numba.core.typing.templates:infer_getattr", "numba.core.imputils:lower_getattr_generic",
        "numba.core.imputils:impl_ret_borrowed", "numba.core.base:BaseContext.cast", "numba.extending:lower_cast",
        "numba.extending:register_model", "llvmlite.ir:IRBuilder.goto_entry_block"),
    BARE: (
        "numba.core.options:DefaultOptions.no_cfunc_wrapper", "numba.core.options:DefaultOptions.no_cpython_wrapper",
        "kernel:_compile_for_args", "kernel:_insert", "kernel:overloads"),
    NAMING: ("numba.core.types:Type.mangling_args",),
    COUNTING: ("numba.core.options:DefaultOptions._nrt",),
    FRAMING: (
        "numba.extending:intrinsic", "numba.np.arrayobj:populate_array", "numba.core.cgutils:is_not_null",
        "numba.core.base:BaseContext.make_array", "numba.core.base:BaseContext.make_tuple"),
    ANSWERING: ("kernel:_compile_for_args", "kernel:compile", "kernel:overloads"),
    TIMING: ("numba.core.event:Listener", "numba.core.event:register", "numba.core.event:unregister"),
}
_lost: set[str] = set()


def has(feature: str) -> bool:
    """Whether numba offers all that the feature needs."""
    return feature not in _lost


def _look_up_names() -> None:
    """Find what is missing, and warn once of what that costs."""
    example = numba.njit(_do_nothing)
    missing = [name for names in _NEEDED.values() for name in names if not _exists(name, example)]
    _lost.update(feature for feature, names in _NEEDED.items() if set(missing) & set(names))
    if missing:
        _warn(f"has no {missing[0].replace(':', '.')}", [feature for feature in _NEEDED if feature in _lost])


def _exists(name: str, example: object) -> bool:
    if name.startswith("kernel:"):  # what only a compiled function has, not its class
        return hasattr(example, name.removeprefix("kernel:"))
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def _do_nothing() -> None: ...


def _warn(why: str, costs: list[str]) -> None:
    warnings.warn(
        f"numba {numba.__version__} {why}: {'; '.join(costs)}. Results are the same. Stiction is tested with numba "
        f"{OLDEST} to {NEWEST}: python -m pip install \"numba=={NEWEST}\"", RuntimeWarning, stacklevel=3)


def give_up(feature: str, error: Exception) -> None:
    """Leave out a feature that failed although all its names are there; warns at the first time."""
    if has(feature):
        _lost.add(feature)
        _warn(f"does not work as expected ({type(error).__name__}: {error})", [feature])


# ---- declaring a kernel ----------------------------------------------------------------------------------------------


def declare(function: Callable, merged: bool, counted: bool) -> Any:
    """The dispatcher of a kernel: what `numba.njit` gives, without what we do not need.

    Nobody passes kernels to C, and few are called from Python: those have a kernel beside them (`entrances.py`). One
    that is not `counted` is compiled without the runtime that owns memory: its arrays are its callers', who keep them
    alive, and it can neither make nor return one.
    """
    bare = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True} if has(BARE) else {}
    if has(COUNTING):  # said in both cases: what is not said is taken from the caller
        bare["_nrt"] = counted
    dispatcher = numba.njit(nogil=True, inline="always" if merged else "never", **bare)(function)
    dispatcher.stiction_counted = counted
    if has(BARE):
        # numba would offer Python the entrance that this one has not
        dispatcher.add_overload = lambda result: dispatcher.overloads.update({tuple(result.signature.args): result})
    return dispatcher


def declare_beside(kernel: Kernel, name: str, text: str, more: dict, **options) -> Any:
    """The numba function that is called `name` in a text, which calls `kernel`. It is kept where that is kept."""
    function = kernel.py_func
    space = {"kernel": kernel, "__name__": function.__module__, **more}
    exec(compile(text, function.__code__.co_filename, "exec"), space)
    space[name].__qualname__ = f"{function.__qualname__}.{name}"
    entrance = numba.njit(**options)(space[name])
    if hasattr(store := get_store(kernel.dispatcher), "make_another"):
        set_store(entrance, store.make_another(space[name]))
    return entrance


def share_compiling(dispatcher, alone: Callable[[tuple], Any]) -> None:
    """Compile a kernel for some types within the context `alone(types)`, unless it is there: numba sets two clocks for
    every call of one kernel by another that it meets."""
    if not has(ANSWERING):
        return
    plain = dispatcher.compile

    def compile_once(kinds):
        if (ready := dispatcher.overloads.get(kinds)) is not None:
            return ready.entry_point
        with alone(kinds):
            return plain(kinds)

    dispatcher.compile = compile_once


def _shorten_name(kind) -> tuple[str, tuple]:
    """How symbols name a type: numba spells a record out, field by field, in the names of all that takes one. Those of
    the engine had thirty thousand letters, and were the greater part of its machine code."""
    name = kind.name
    return (name if len(name) <= LONGEST_NAME else f"type{hashlib.sha256(name.encode()).hexdigest()[:32]}"), ()


# ---- calling by address ----------------------------------------------------------------------------------------------


# Kernels that are called by address: symbol -> (module, name, argument types).
_separate: dict[str, tuple] = {}
_SYMBOL = re.compile(r"stiction\.kernel\.[0-9a-f]{32}")


def name_symbol(function, arguments) -> str:
    """A linker symbol that is the same in every process."""
    text = f"{function.__module__}.{function.__qualname__}{tuple(str(a) for a in arguments)}"
    return "stiction.kernel." + hashlib.sha256(text.encode()).hexdigest()[:32]


def call_by_address(dispatcher) -> None:
    """Let callers of this kernel hold a symbol for it instead of a copy of its code.

    The symbol is bound when the kernel is compiled or loaded. Code of a caller on disk lists its symbols, and they are
    bound before it is loaded (`unpack`).
    """
    add = dispatcher.add_overload

    def add_overload(result):
        add(result)
        function, arguments = dispatcher.py_func, result.signature.args
        symbol = name_symbol(function, arguments)
        _separate[symbol] = (function.__module__, function.__qualname__, arguments)
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        llvmlite.binding.add_symbol(symbol, address)
        described = copy.copy(result.fndesc)
        described.mangled_name = symbol
        context = dispatcher.targetctx
        context.remove_user_function(result.entry_point)
        context.insert_user_function(result.entry_point, described, ())

    dispatcher.add_overload = add_overload


# ---- machine code as bytes -------------------------------------------------------------------------------------------


_initialised: list = []


def get_store(dispatcher) -> Any:
    """What `set_store` gave to a kernel, or numba's own, or None."""
    return getattr(dispatcher, "_cache", None)


def set_store(dispatcher, store) -> None:
    """Let numba ask `store.load_overload` before it compiles, and tell `store.save_overload` after."""
    dispatcher._cache = store


def make_key(function, signature) -> bytes:
    """What the machine code of one kernel depends on besides its sources and what `describe_compiler` tells."""
    text = repr((str(signature), function.__code__.co_code)).encode()
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return text + (dump(cells) if cells else b"")


def dump(content) -> bytes:
    """As numba writes what belongs to machine code."""
    return resolve_name("numba.core.serialize:dumps")(content)


def pack(key: bytes, function, signature, result, by_address: bool) -> bytes | None:
    """One compiled kernel with its key; None where it cannot be kept, for addresses of this process stand in it."""
    if result.library.has_dynamic_globals or any(not lifted.can_cache for lifted in result.lifted):
        return None
    own = name_symbol(function, result.signature.args)
    called = set(_SYMBOL.findall(result.library.get_llvm_str())) - {own}
    callees = [_separate[symbol] for symbol in sorted(called)]
    # without the types of all variables, as a text for people to read: a third of the whole
    parts: Any = tuple("" if isinstance(part, str) else part for part in result._reduce())
    if by_address:
        name, kind, (machine_code, bitcode) = parts[0]
        parts = ((name, kind, (machine_code, _keep_names(bitcode, result.fndesc))), *parts[1:])
    return dump((key, signature, callees, parts))


def _keep_names(bitcode: bytes, described) -> bytes:
    """Bitcode with the entrances of a kernel as empty functions.

    Nobody links a kernel that is called by address, so its bitcode is not needed, only slow to parse at every start.
    But numba looks there for the names that the machine code defines.
    """
    entrances = {described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name}
    module = llvmlite.binding.parse_bitcode(bitcode)
    names = [f.name for f in module.functions if f.name in entrances and not f.is_declaration]
    empty = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
    return llvmlite.binding.parse_assembly(empty).as_bitcode()


def unpack(content: bytes, key: bytes, signature, context) -> Any:
    """The compiled kernel that `pack` wrote, ready to run, or None if it is another one. May raise anything."""
    stored_key, stored_signature, callees, parts = pickle.loads(content)
    if stored_key != key or stored_signature != signature:
        return None
    if not _initialised:  # a refresh of the context would do it too, and load all that compiling needs and running not
        resolve_name("numba.core.runtime:rtsys").initialize(context)
        _initialised.append(True)
    for module, name, arguments in callees:
        _bring(getattr(importlib.import_module(module), name).dispatcher, arguments)
    return resolve_name("numba.core.compiler:CompileResult")._rebuild(context, *parts)


def _bring(dispatcher, arguments) -> None:
    """Make a kernel that stored code calls ready, as `Dispatcher.compile` does, without the timers that it nests."""
    if arguments in dispatcher.overloads:
        return
    result = dispatcher._cache.load_overload(arguments, dispatcher.targetctx)
    if result is None:
        dispatcher.compile(arguments)
    else:
        dispatcher.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        dispatcher.add_overload(result)


# ---- the compiler itself ---------------------------------------------------------------------------------------------


def describe_compiler(indifferent: re.Pattern) -> tuple:
    """Versions of numba and LLVM, the processor and its features, and numba's settings but for indifferent ones."""
    settings = {name: repr(getattr(config, name)) for name in dir(config)
                if name.isupper() and not indifferent.fullmatch(name)}
    llvm = llvmlite.binding
    return (numba.__version__, llvmlite.__version__, llvm.llvm_version_info, llvm.get_default_triple(),
            llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), sorted(settings.items()))


def uses_vectors() -> bool:
    """Whether numba has found Intel's library of vector functions, whose name machine code then may contain."""
    return bool(getattr(config, "USING_SVML", True))


def watch_compiler(on_start: Callable[[Any], None], on_end: Callable[[Any], None]) -> Callable[[], None]:
    """Call `on_start` and `on_end` whenever a kernel begins and ends to be compiled; returns what ends the watch."""
    if is_disabled() or not has(TIMING):
        return _do_nothing
    event = importlib.import_module("numba.core.event")
    listener = _make_listener_class()()
    listener.on_start, listener.on_end = on_start, on_end
    event.register("numba:compile", listener)
    return lambda: event.unregister("numba:compile", listener)


@functools.cache
def _make_listener_class() -> type:
    """Made once: a class costs as much as a short run."""
    nothing = {"on_start": _do_nothing, "on_end": _do_nothing}  # abstract methods, which each listener hides
    return type("Listener", (resolve_name("numba.core.event:Listener"),), nothing)


if not is_disabled():
    _look_up_names()
    if has(NAMING):
        numba.types.Type.mangling_args = property(_shorten_name)
tell_numba_is_loaded()
