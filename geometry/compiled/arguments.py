"""How kernels take their arguments from other kernels.

One kernel is compiled for all integers and all arrays. And a NamedTuple that holds arrays, or many numbers, goes as one
pointer: numba hands over a tuple number by number, seven for each array, some seventy for a body, and with kernels that
are small and many that was the greater part of a run. So it is written once where it is made, and what a kernel reads
of it, it loads. A tuple in such a tuple is an address itself.

An address is that of a place in the frame of a caller: it lives as long as the call. No kernel returns one.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

import numba

from geometry.compiled import numba_private

# Numbers of a tuple without arrays that still go one by one: as many as a processor has registers for.
MOST_NUMBERS = 8


class Address(numba.types.Type):
    """The type of the address of a NamedTuple."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__(f"address({kind.name})")


def unify_arguments(dispatcher: Any) -> None:
    """Compile one kernel for all integers and all arrays, not one more for every literal 0, 1, 2 ... it is called with,
    nor for arrays that are fields of records, by themselves or in tuples.

    Without this, `f(table, 0)` and `f(table, i)` are two specialisations, and so are all kernels below: compile time
    doubles and no kernel gains from it.
    """
    if not numba_private.has(numba_private.UNIFYING):
        return
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template(
        unify(args), {name: _unify(a) for name, a in kws.items()}
    )


def unify(kinds: tuple, addresses: bool = True) -> tuple:
    """The types for which a kernel is compiled that is called by others with these; without addresses, those of the
    values themselves."""
    return tuple(_unify(kind, addresses) for kind in kinds)


def _unify(kind, addresses: bool = True):
    kind = numba.types.unliteral(kind)
    if isinstance(kind, numba.types.NestedArray):
        return numba.types.Array(kind.dtype, kind.ndim, "C")
    if not isinstance(kind, numba.types.BaseTuple):
        return kind
    parts = [_unify(part, addresses) for part in kind]
    kind = numba.types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))
    addresses = addresses and numba_private.has(numba_private.ADDRESSES)
    if not addresses or not isinstance(kind, numba.types.BaseNamedTuple):
        return kind
    large = len(parts) > MOST_NUMBERS or any(isinstance(part, (numba.types.Array, Address)) for part in parts)
    return Address(kind) if large else kind


def check_returned(dispatcher: Any) -> None:
    """Let a kernel that would return the address of what may be gone end in a TypeError when it is compiled."""
    add = dispatcher.add_overload

    def add_overload(result):
        if "address(" in str(result.signature.return_type):
            raise TypeError(f"{dispatcher.py_func.__qualname__} returns {result.signature.return_type}: return what is "
                            "in it instead")
        add(result)

    dispatcher.add_overload = add_overload


def _take_field_by_field(context, builder, from_type, to_type, value):
    """A NamedTuple whose arrays are fields of records, as one whose arrays are any."""
    unpack = resolve_name("numba.core.cgutils:unpack_tuple")
    fields = zip(unpack(builder, value, len(from_type)), from_type, to_type, strict=True)
    return context.make_tuple(builder, to_type, [context.cast(builder, *field) for field in fields])


def _take_nested_as_array(context, builder, from_type, to_type, value):
    """Both are the same structure in machine code."""
    return value


def _take_address(context, builder, from_type, to_type, value):
    """Write a tuple into the frame of the caller; its parts first."""
    held = context.cast(builder, value, from_type, to_type.kind)
    with builder.goto_entry_block():
        place = builder.alloca(held.type)
    builder.store(held, place)
    return place


def _load_field(context, builder, address, value, name):
    index = address.kind.fields.index(name)
    way = [context.get_constant(numba.types.int32, number) for number in (0, index)]
    loaded = builder.load(builder.gep(value, way, inbounds=True))
    return resolve_name("numba.core.imputils:impl_ret_borrowed")(context, builder, address.kind[index], loaded)


def _declare_address() -> None:
    """Tell numba what an address is, and how fields are read behind it."""
    model: Any = resolve_name("numba.core.datamodel.models:PrimitiveModel")
    template: Any = resolve_name("numba.core.typing.templates:AttributeTemplate")

    class AddressModel(model):
        def __init__(self, manager, address):
            super().__init__(manager, address, manager.lookup(address.kind).get_value_type().as_pointer())

    class Fields(template):
        key = Address

        def generic_resolve(self, address, name):
            kind = address.kind
            return kind[kind.fields.index(name)] if name in kind.fields else None

    numba.extending.register_model(Address)(AddressModel)
    resolve_name("numba.core.typing.templates:infer_getattr")(Fields)
    resolve_name("numba.core.imputils:lower_getattr_generic")(Address)(_load_field)


if numba_private.has(numba_private.UNIFYING):
    lower_cast = resolve_name("numba.extending:lower_cast")
    lower_cast(numba.types.NestedArray, numba.types.Array)(_take_nested_as_array)
    for named in (numba.types.NamedTuple, numba.types.NamedUniTuple):
        for other in (numba.types.NamedTuple, numba.types.NamedUniTuple):
            lower_cast(named, other)(_take_field_by_field)
        if numba_private.has(numba_private.ADDRESSES):
            lower_cast(named, Address)(_take_address)
    if numba_private.has(numba_private.ADDRESSES):
        _declare_address()
