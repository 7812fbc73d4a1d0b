"""The bytes of an HDF5 file, made safe to read: of one that was never closed, and of one that is damaged.

A file whose writer was killed or is still at work carries a mark of being open and an old end-of-file address in its
first 48 bytes, the superblock. HDF5's own way around is to open it as one that is being written (swmr); but then it
answers a damaged file with a hundred retries, each waiting twice as long as the one before, which never end. So the
file is shown to HDF5 with the superblock of a closed file: mark cleared, end set to the size of the file. Damage is
then found at once.

Superblock, version 3 (HDF5 File Format Specification, II.A): signature (8), version (1), sizes of offsets and lengths
(2), flags (1), base (8), extension (8), end of file (8), root (8), checksum (4).

All that HDF5 reads to find its way has a checksum, but for the heaps of texts of any length (III.E), which older
versions of this program wrote: a wrong length there sends HDF5 round in a circle for ever. They are looked at here.
Heap: "GCOL", version (1), reserved (3), size (8), then objects: index (2), references (2), reserved (4), length (8),
content, padded to 8. Index 0 is the free rest, and its length counts its own head.
"""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK_BYTES = 48
FLAGS, END, CHECKSUM = 11, 28, 44  # where they start
HEAP_SIGNATURE = b"GCOL"
HEAD_BYTES = 16  # of a heap, and of each object in it
MASK = 0xFFFFFFFF


def is_marked_open(superblock: bytes) -> bool:
    """Does the start of an HDF5 file say that it was not closed? (Version 3 is the one that has the mark.)"""
    return len(superblock) >= SUPERBLOCK_BYTES and superblock[8:11] == b"\x03\x08\x08" and superblock[FLAGS] != 0


class SafeFile(io.RawIOBase):
    """The bytes of a file as they are now; `unfinished`: are they shown with the superblock of a closed file?

    Nothing is locked, so that a reader never blocks a writer. Raises OSError for bytes that are not there, or that
    would lead HDF5 astray.
    """

    def __init__(self, path: Path):
        self._raw = open(path, "rb", buffering=0)
        self._size = os.fstat(self._raw.fileno()).st_size
        self.start = self._raw.read(SUPERBLOCK_BYTES)
        self.unfinished = is_marked_open(self.start)
        self._shown = close_superblock(self.start, self._size) if self.unfinished else self.start
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer) -> int:
        view = memoryview(buffer).cast("B")
        self._fill(self._place, view)
        if self._place < SUPERBLOCK_BYTES:
            patch = self._shown[self._place : self._place + len(view)]
            view[: len(patch)] = patch
        if view[: len(HEAP_SIGNATURE)] == HEAP_SIGNATURE:
            self._check_heap(self._place)
        self._place += len(view)
        return len(view)

    def _fill(self, place: int, view: memoryview) -> None:
        self._raw.seek(place)
        count = 0
        while count < len(view):  # a raw file may give less than asked
            got = self._raw.readinto(view[count:])
            if not got:
                raise OSError(f"the file ends at {place + count} bytes, before what it says is there")
            count += got

    def _check_heap(self, place: int) -> None:
        """Do the objects of a heap follow one another to its end?"""
        head = bytearray(HEAD_BYTES)
        self._fill(place, memoryview(head))
        end = place + struct.unpack("<Q", head[8:])[0]
        here = place + HEAD_BYTES
        while here + HEAD_BYTES <= end <= self._size:
            self._fill(here, memoryview(head))
            index, length = struct.unpack("<H6xQ", head)
            step = length if index == 0 else HEAD_BYTES + (length + 7) // 8 * 8
            if step < HEAD_BYTES:
                break
            here += step
        if not end - HEAD_BYTES < here <= end <= self._size:
            raise OSError(f"the texts at byte {place} are damaged")

    def close(self) -> None:
        self._raw.close()
        super().close()


def close_superblock(superblock: bytes, size: int) -> bytes:
    """The superblock with the mark cleared and the end of the file at `size`."""
    block = bytearray(superblock)
    block[FLAGS] = 0
    block[END : END + 8] = struct.pack("<Q", size)
    block[CHECKSUM:] = struct.pack("<I", compute_checksum(bytes(block[:CHECKSUM])))
    return bytes(block)


def compute_checksum(data: bytes) -> int:
    """Bob Jenkins' lookup3 (hashlittle, 2006), the checksum of HDF5's metadata."""
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    if not data:
        return c
    blocks = -(-len(data) // 12)
    words = struct.unpack(f"<{3 * blocks}I", data.ljust(12 * blocks, b"\0"))
    for k in range(0, len(words), 3):
        a, b, c = (a + words[k]) & MASK, (b + words[k + 1]) & MASK, (c + words[k + 2]) & MASK
        if k + 3 < len(words):
            a, b, c = mix_words(a, b, c)
    for turn_c, turn_a, turn_b in ((14, 11, 25), (16, 4, 14)):
        c = ((c ^ b) - rotate(b, turn_c)) & MASK
        a = ((a ^ c) - rotate(c, turn_a)) & MASK
        b = ((b ^ a) - rotate(a, turn_b)) & MASK
    return ((c ^ b) - rotate(b, 24)) & MASK


def mix_words(a: int, b: int, c: int) -> tuple[int, int, int]:
    """The mixing step of lookup3."""
    for turn_c, turn_a, turn_b in ((4, 6, 8), (16, 19, 4)):
        a, c = ((a - c) & MASK) ^ rotate(c, turn_c), (c + b) & MASK
        b, a = ((b - a) & MASK) ^ rotate(a, turn_a), (a + c) & MASK
        c, b = ((c - b) & MASK) ^ rotate(b, turn_b), (b + a) & MASK
    return a, b, c


def rotate(word: int, count: int) -> int:
    """A 32-bit word turned left."""
    return (word << count | word >> (32 - count)) & MASK
