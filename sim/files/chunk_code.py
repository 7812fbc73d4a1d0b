"""One chunk of an HDF5 dataset with the filters shuffle and gzip, as the bytes that HDF5 would read.

HDF5's own filters take longer than all else that a log costs: most bytes of a motion are the low bytes of its numbers,
which are as good as random, and gzip looks at each of them in vain. So each *plane* (the first bytes of all numbers of
a chunk, their second bytes, ...) is looked at by samples: where bytes repeat it is compressed, elsewhere it is put into
the stream as it is, as RFC 1951 allows block by block. Any HDF5 reads the result.

How often bytes repeat: of two bytes drawn from a window, the chance that they are equal, 1/256 for random bytes. Its
logarithm to the base 1/2 is the (collision) entropy of a byte in bits.
"""

from __future__ import annotations

import itertools
import zlib
from functools import lru_cache

import numpy as np

from sim.tolerances import REPEATING_BYTES

LEVEL = 1  # of gzip
WINDOWS, WINDOW = 4, 64  # bytes of a plane that are looked at
STORED_BYTES = 0xFFFF  # of one block that is put in as it is
STREAM_HEAD = b"\x78\x01"  # RFC 1950: deflate, window of 32 KiB, fastest


def encode_chunk(chunk: np.ndarray) -> bytes | None:
    """The bytes of a C-contiguous chunk after shuffle and gzip; None where they would be no fewer than as they are."""
    rows = chunk.reshape(len(chunk), -1).view(np.uint8)
    if (rows == rows[0]).all():
        return encode_constant(rows[0].tobytes(), chunk.dtype.itemsize, len(chunk))
    return encode_planes(np.ascontiguousarray(rows.reshape(-1, chunk.dtype.itemsize).T))


@lru_cache(maxsize=256)
def encode_constant(row: bytes, itemsize: int, n: int) -> bytes | None:
    """The bytes of a chunk of n equal rows."""
    rows = np.tile(np.frombuffer(row, np.uint8), n)
    return encode_planes(np.ascontiguousarray(rows.reshape(-1, itemsize).T))


def encode_planes(planes: np.ndarray) -> bytes | None:
    """The bytes of a chunk from its planes (k, n) uint8."""
    packs = find_repeating(planes)
    if not packs.any():
        return None
    parts = [STREAM_HEAD]
    groups = [(pack, list(members)) for pack, members in itertools.groupby(range(len(planes)), key=packs.__getitem__)]
    for place, (pack, members) in enumerate(groups):
        data = planes[members[0] : members[-1] + 1].reshape(-1)
        parts += [deflate(data, place == len(groups) - 1)] if pack else store(data, place == len(groups) - 1)
    parts.append(zlib.adler32(planes.reshape(-1)).to_bytes(4, "big"))
    stream = b"".join(parts)
    return stream if len(stream) < planes.size else None


def find_repeating(planes: np.ndarray) -> np.ndarray:
    """(k,) bool: the planes (k, n) uint8 in whose windows bytes repeat."""
    k, n = planes.shape
    if n <= WINDOWS * WINDOW:
        return np.ones(k, bool)
    starts = np.arange(WINDOWS) * (n // WINDOWS)
    samples = np.stack([planes[:, start : start + WINDOW] for start in starts], axis=1)  # (k, windows, window)
    cell = (np.arange(k * WINDOWS) * 256)[:, None] + samples.reshape(k * WINDOWS, WINDOW)
    counts = np.bincount(cell.reshape(-1), minlength=k * WINDOWS * 256).reshape(k, -1)
    pairs = np.einsum("ij,ij->i", counts, counts) - WINDOWS * WINDOW
    return pairs >= REPEATING_BYTES * WINDOWS * WINDOW * (WINDOW - 1)


def deflate(data: np.ndarray, is_last: bool) -> bytes:
    """Blocks of compressed bytes, up to the edge of a byte."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush(zlib.Z_FINISH if is_last else zlib.Z_FULL_FLUSH)


def store(data: np.ndarray, is_last: bool) -> list[bytes | np.ndarray]:
    """Blocks of bytes as they are (RFC 1951, 3.2.4): last block or not, length, its complement, the bytes."""
    parts = []
    for start in range(0, len(data), STORED_BYTES):
        block = data[start : start + STORED_BYTES]
        ends = is_last and start + STORED_BYTES >= len(data)
        size = len(block)
        parts += [bytes((ends,)) + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little"), block]
    return parts
