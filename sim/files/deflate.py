"""Deflate (RFC 1951) for planes of bytes of a log, as a kernel: what repeats at one distance is a match, the rest goes
into the stream as it is.

The bytes of a column of a log either repeat those of the row before, or of one of the few rows that take turns (two
contacts, three coordinates), or look random. So each plane has one distance at which it is compared with itself, and
there is no search: many times as fast as gzip, and as small to a tenth. Codes are the fixed ones (RFC 1951,
3.2.6), planes where little repeats are blocks of bytes as they are (3.2.4).
"""

from __future__ import annotations

import numpy as np

from geometry.compiled.jit import jit, kernel
from sim.tolerances import REPEATING_BYTES

WINDOWS, WINDOW = 4, 64  # bytes of a plane that are looked at, to find out whether it repeats
# How far back bytes may repeat: 1 to 4, 6 and 8 rows that take turns (numbers of a row count: two coordinates of two
# contacts are 4).
DISTANCES, FARTHEST = np.array([1, 2, 3, 4, 6, 8]), 8
LONGEST, SHORTEST = 258, 3  # of a match
STRIDE = 32  # bytes that are compared at once
STORED_BYTES = 0xFFFF  # of one block that is put in as it is


def _reverse(code: int, size: int) -> int:
    """Codes are written from their highest bit on, all else from the lowest."""
    return int(f"{code:0{size}b}"[::-1], 2)


def _list_literals() -> tuple[np.ndarray, np.ndarray]:
    """(256,) code and its number of bits of each byte."""
    codes = [(0x30 + byte, 8) if byte < 144 else (0x190 + byte - 144, 9) for byte in range(256)]
    return np.array([_reverse(*code) for code in codes]), np.array([size for _, size in codes])


def _list_lengths() -> tuple[np.ndarray, np.ndarray]:
    """(259,) code with extra bits, and its number of bits, of each length of a match."""
    codes, sizes = np.zeros(LONGEST + 1, np.int64), np.zeros(LONGEST + 1, np.int64)
    length, symbol = SHORTEST, 257
    while symbol < 285:
        extra = max(0, (symbol - 261) // 4)
        size = 7 if symbol < 280 else 8
        code = _reverse(symbol - 256 if symbol < 280 else 0xC0 + symbol - 280, size)
        for more in range(1 << extra):
            if length < LONGEST:
                codes[length], sizes[length] = code | more << size, size + extra
            length += 1
        symbol += 1
    codes[LONGEST], sizes[LONGEST] = _reverse(0xC5, 8), 8
    return codes, sizes


def _list_distances() -> tuple[np.ndarray, np.ndarray]:
    """(9,) code with extra bits, and its number of bits, of distances 1 to 8."""
    codes, sizes = np.zeros(9, np.int64), np.zeros(9, np.int64)
    for distance in range(1, 9):
        pair, more = divmod(distance - 5, 2)  # beyond 4 two distances have one symbol and a bit
        symbol, more, extra = (distance - 1, 0, 0) if distance <= 4 else (4 + pair, more, 1)
        codes[distance], sizes[distance] = _reverse(symbol, 5) | more << 5, 5 + extra
    return codes, sizes


LITERALS, LITERAL_BITS = _list_literals()
LENGTHS, LENGTH_BITS = _list_lengths()
DISTANCE_CODES, DISTANCE_BITS = _list_distances()


@jit
def _count_equal(one, other):
    """How many bytes are equal from the first on; in strides, which the processor compares at
    once."""
    n, length = one.shape[0], 0
    while length + STRIDE <= n:
        a, b, differ = one[length : length + STRIDE], other[length : length + STRIDE], 0
        for i in range(STRIDE):
            differ |= a[i] ^ b[i]
        if differ != 0:
            break
        length += STRIDE
    while length < n and one[length] == other[length]:
        length += 1
    return length


@kernel
def deflate_planes(planes, n, out):
    """Write the planes, of n bytes each, as one deflate stream to `out`, which has room for `count_room`; returns the
    number of bytes."""
    place, bits, held, is_open = 0, 0, 0, False
    total = planes.shape[0]
    for start in range(0, total, n):
        distance, is_last = find_distance(planes, start, n), start + n >= total
        if distance > 0:
            if not is_open:
                held |= (1 << 1) << bits  # a block with fixed codes, and perhaps others after it
                bits, is_open = bits + 3, True
            place, bits, held = _pack(planes, start, n, distance, out, place, bits, held)
            continue
        if is_open:
            place, bits, held = _flush(out, place, bits + 7, held)  # the end of a block is seven zeros
            is_open = False
        place = _store(planes, start, n, is_last, out, place, bits, held)
        bits, held = 0, 0
        if is_last:
            return place
    if is_open:
        place, bits, held = _flush(out, place, bits + 7, held)
    held |= (1 | 1 << 1) << bits  # an empty block, the last one
    place, bits, held = _flush(out, place, bits + 10, held)
    if bits > 0:
        out[place] = held
        place += 1
    return place


@kernel
def find_distance(planes, start, n):
    """The distance at which bytes of a plane repeat most often, three in a row, in samples of it; 0 where they are
    few."""
    if n < WINDOWS * (FARTHEST + WINDOW):
        return 1
    best, most = 0, REPEATING_BYTES * WINDOWS * WINDOW
    for k in range(DISTANCES.shape[0]):
        distance, equal = DISTANCES[k], 0
        for w in range(WINDOWS):
            first = start + w * (n // WINDOWS) + FARTHEST
            here, back = planes[first : first + WINDOW], planes[first - distance : first - distance + WINDOW]
            for i in range(WINDOW - 2):
                equal += (here[i] ^ back[i] | here[i + 1] ^ back[i + 1] | here[i + 2] ^ back[i + 2]) == 0
        if equal > most:
            best, most = distance, equal
    return best


@kernel
def _pack(planes, start, n, distance, out, place, bits, held):
    """Write a plane with fixed codes; returns (place, bits, held) behind it."""
    i, end = start, start + n
    while i < end:
        length = 0
        if i - start >= distance:
            most = min(LONGEST, end - i)
            while length < most and planes[i + length] == planes[i + length - distance]:
                length += 1
                if length == STRIDE:
                    j = i + STRIDE
                    length += _count_equal(planes[j : i + most], planes[j - distance : i + most - distance])
                    break
        if length >= SHORTEST:
            held |= LENGTHS[length] << bits
            bits += LENGTH_BITS[length]
            held |= DISTANCE_CODES[distance] << bits
            bits += DISTANCE_BITS[distance]
            i += length
        else:
            held |= LITERALS[planes[i]] << bits
            bits += LITERAL_BITS[planes[i]]
            i += 1
        if bits >= 32:
            for k in range(4):
                out[place + k] = held >> 8 * k & 0xFF
            place, bits, held = place + 4, bits - 32, held >> 32
    return place, bits, held


@jit
def _flush(out, place, bits, held):
    """Write the whole bytes of the bits that are held."""
    while bits >= 8:
        out[place] = held & 0xFF
        place, bits, held = place + 1, bits - 8, held >> 8
    return place, bits, held


@kernel
def _store(planes, start, n, is_last, out, place, bits, held):
    """Write a plane as it is, from the next whole byte on; returns the place behind it."""
    end = start + n
    for first in range(start, end, STORED_BYTES):
        size = min(STORED_BYTES, end - first)
        held |= (1 if is_last and first + size == end else 0) << bits
        place, bits, held = _flush(out, place, bits + 3, held)
        if bits > 0:
            out[place] = held
            place += 1
        bits, held = 0, 0
        out[place], out[place + 1] = size & 0xFF, size >> 8
        out[place + 2], out[place + 3] = size & 0xFF ^ 0xFF, size >> 8 ^ 0xFF
        place += 4
        target, source = out[place : place + size], planes[first : first + size]
        for i in range(size):
            target[i] = source[i]
        place += size
    return place


def count_room(planes: int, n: int) -> int:
    """The bytes that so many planes of n bytes take at most: literals of nine bits."""
    return planes * (n + n // 8 + 16) + 16
