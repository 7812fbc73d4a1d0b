"""One chunk of an HDF5 dataset with the filters shuffle and gzip, as the bytes that HDF5 would read.

HDF5's own filters take longer than all else that a log costs: most bytes of a motion are the low bytes of its numbers,
which are as good as random. So the chunk is made here: each *plane* (the first bytes of all numbers of a chunk, their
second bytes, ...) is compressed where its bytes repeat, and elsewhere put into the stream as it is, see `deflate.py`.
Any HDF5 reads the result. Where that is not compiled (yet), and for short logs of a process that has not imported
numba, gzip itself makes the stream: other bytes, the same rows.
"""

from __future__ import annotations

import threading
import zlib
from functools import lru_cache
from typing import Any

import numpy as np

LEVEL = 1  # of gzip
# Bytes that a process leaves to gzip before it imports numba for the rest: in the time that takes, gzip makes as many.
# Larger: long logs take longer. Smaller: short runs do.
SHORT = 1 << 24
STREAM_HEAD = (0x78, 0x01)  # RFC 1950: deflate, window of 32 KiB, fastest
SUM_BYTES = 4  # at the end of a stream
_left_to_gzip = [0]  # bytes
_own = threading.local()  # room of each thread: new memory for each chunk takes as long as the bytes


def encode_chunk(chunk: np.ndarray) -> bytes | None:
    """The bytes of a C-contiguous chunk after shuffle and gzip; None where they would be no fewer than as they are."""
    data = chunk.reshape(-1).view(np.uint8)
    width = len(data) // len(chunk)
    first = data[:width].tobytes()
    if first == data[-width:].tobytes() and np.array_equal(data[width:], data[:-width]):
        return encode_constant(first, chunk.dtype.itemsize, len(chunk))
    return encode_planes(data, chunk.dtype.itemsize)


@lru_cache(maxsize=256)
def encode_constant(row: bytes, itemsize: int, n: int) -> bytes | None:
    """The bytes of a chunk of n equal rows."""
    return encode_planes(np.tile(np.frombuffer(row, np.uint8), n), itemsize)


def encode_planes(data: np.ndarray, itemsize: int) -> bytes | None:
    """The bytes of a chunk from those (n,) of its numbers, of itemsize bytes each."""
    from sim.files.deflate import count_room, deflate_planes

    n = len(data) // itemsize
    room = _take_room(len(data) + count_room(itemsize, n))
    planes, out = room[: len(data)], room[len(data) :]
    planes.reshape(itemsize, n)[...] = data.reshape(n, itemsize).T
    arguments = planes, n, out[len(STREAM_HEAD) :]
    if not _is_compiled(deflate_planes, arguments):
        _left_to_gzip[0] += len(data)
        code = zlib.compress(planes, LEVEL)
        return code if len(code) < len(data) else None
    end = len(STREAM_HEAD) + deflate_planes(*arguments)
    if end + SUM_BYTES >= len(data):
        return None
    out[: len(STREAM_HEAD)] = STREAM_HEAD
    out[end : end + SUM_BYTES] = list(zlib.adler32(planes).to_bytes(SUM_BYTES, "big"))
    return out[: end + SUM_BYTES].tobytes()


def _is_compiled(kernel: Any, arguments: tuple) -> bool:
    from geometry.compiled import cold_code
    from geometry.compiled.kernel import is_kernel, is_numba_loaded

    if not is_kernel(kernel) or not (is_numba_loaded() or _left_to_gzip[0] > SHORT):
        return False
    return cold_code.is_ready(kernel, arguments)


def _take_room(n: int) -> np.ndarray:
    """(n,) bytes of this thread, the same ones each time."""
    room = getattr(_own, "room", None)
    if room is None or len(room) < n:
        room = _own.room = np.empty(n, np.uint8)
    return room[:n]
