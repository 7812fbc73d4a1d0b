"""The log file: what is written comes back, whatever happens to the process, the disk or the file."""

import errno
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.files import growing_file
from sim.files.chunk_code import encode_chunk, encode_planes
from sim.files.columns import FILTERS
from sim.files.deflate import count_room, deflate_planes
from sim.files.unfinished import compute_checksum
from sim.files.write_error import WriteError
from sim.log import layout
from sim.log.bodies import BodyRecord, SceneRecord
from sim.log.reading import describe_file, read_trajectory
from sim.log.sink import H5Sink
from sim.rows.account import Account
from sim.rows.records import CONTACT_DTYPE, EVENT_DTYPE, STEP_DTYPE
from sim.rows.status import Status
from tests.sim.synthetic import BOX, FLOOR, check_rows, make_record, make_rows, make_slide, write_log

ROOT = Path(__file__).parents[3]
NO_ROWS = (np.zeros(0, STEP_DTYPE), np.zeros(0, CONTACT_DTYPE), np.zeros(0, EVENT_DTYPE), np.zeros(0, CONTACT_DTYPE))
TABLES = ("steps", "contacts", "events", "impulses")


def assert_same_tables(trajectory, rows):
    for name, table in zip(("steps", "contacts", "event_rows", "impulses"), rows, strict=True):
        assert getattr(trajectory, name).tobytes() == table.tobytes(), name


def run_script(code, *arguments, **options):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)  # fmt: skip


# ------------------------------------------------------------------------------------------------------ round trip


def test_every_bit_comes_back(tmp_path):
    account = Account(penetration=1e-15, energy_start=0.5, n_steps=7, wall_solve=0.25)
    rows = write_log(tmp_path / "a.h5", 3000, account=account, message="fine")
    read = read_trajectory(tmp_path / "a.h5")
    assert_same_tables(read, rows)
    assert (read.status, read.account, read.message) == (Status.COMPLETED, account, "fine")
    record = make_record()
    assert read.record.text == record.text and read.record.summary == record.summary
    assert [body.name for body in read.record.obstacles] == ["obstacle 0", "obstacle 1"]
    assert [body.mu for body in read.record.obstacles] == [0.3, 0.8]
    assert np.array_equal(read.record.workpiece.outline.vertices, BOX)
    assert np.array_equal(read.record.obstacles[0].outline.vertices, FLOOR)
    assert (read.record.workpiece.mass, read.record.workpiece.rho) == (1.0, 0.04)


def test_chunks_of_any_size_join_to_the_same_tables(tmp_path, rng):
    rows = make_rows(0, 5000, np.random.default_rng(3))
    with H5Sink(tmp_path / "a.h5", make_record()) as sink:
        start = [0, 0, 0, 0]
        while start[0] < 5000:
            end = [min(a + int(rng.integers(0, 1500)), len(table)) for a, table in zip(start, rows, strict=True)]
            sink.write(*(table[a:b] for a, b, table in zip(start, end, rows, strict=True)))
            start = end
        sink.write(*(table[a:] for a, table in zip(start, rows, strict=True)))
        sink.close(Status.COMPLETED, Account())
    assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)


def test_a_log_without_rows(tmp_path):
    with H5Sink(tmp_path / "a.h5", make_record()) as sink:
        sink.close(Status.NO_SOLUTION, Account(), "at the start")
    read = read_trajectory(tmp_path / "a.h5")
    assert len(read) == 0 and read.status is Status.NO_SOLUTION and read.message == "at the start"
    assert any("0 steps" in line for line in describe_file(tmp_path / "a.h5"))


def test_saved_and_read_again(tmp_path):
    trajectory = make_slide()
    path = trajectory.save(tmp_path / "new" / "folder" / "slide.h5")
    read = read_trajectory(path)
    assert_same_tables(read, [trajectory.steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses])
    assert read.account == trajectory.account
    assert np.array_equal(read.not_unique, trajectory.not_unique)


def test_plain_h5py_reads_it_with_units(tmp_path):
    rows = write_log(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert file.attrs["format"] == b"stiction trajectory" and file.attrs["format_version"] == 5
        assert file.attrs["status"] == 1 and file.attrs["account"]["n_steps"] == 7
        pose = file["steps/pose"]
        assert pose.dtype == np.float64 and pose.shape == (30, 3)
        assert np.array_equal(pose[:, 0], rows[0]["x"])
        assert pose.attrs["unit"] == b"m, m, rad" and list(pose.attrs["columns"]) == [b"x", b"y", b"theta"]
        assert list(file["contacts/letter"].attrs["values"]) == [b"s", b"n", b"r", b"l", b"a"]
        assert list(file["committed"]) == [30, 60, 3, 3, 0]
        for table in TABLES:
            for dataset in file[table].values():
                assert {"unit", "meaning"} <= set(dataset.attrs), dataset.name


def test_a_log_of_version_3_is_read(tmp_path):
    """Rows as they were: not compressed, integers of 8 bytes."""
    rows = write_log(tmp_path / "a.h5", 3000)
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file.attrs["format_version"] = 3
        for table in TABLES:
            for name, dataset in list(file[table].items()):
                values, attributes = dataset[...], dict(dataset.attrs)
                del file[table][name]
                kind = "i8" if values.dtype.kind == "i" else "f8"
                older = file[table].create_dataset(name, data=values, dtype=kind, maxshape=(None, *values.shape[1:]),
                                                          chunks=(1024, *values.shape[1:]))
                older.attrs.update(attributes)
    assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)


def test_rows_are_small_and_come_back_whatever_they_are(tmp_path, rng):
    """Columns of zeros, of one value, smooth ones, and random bits with infinities and NaN."""
    n = 20_000
    steps = np.zeros(n, STEP_DTYPE)
    steps["time"], steps["load_fy"], steps["x"] = np.arange(n) * 1e-3, -9.81, np.sin(np.arange(n) * 1e-4)
    steps["y"] = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    steps["vx"][5000:] = -0.0
    steps["work_impact"][n - 1] = -1.0
    steps["set_kind"] = -1
    for hint in (None, n):
        with H5Sink(tmp_path / "a.h5", make_record(), rows_hint=hint) as sink:
            for first in range(0, n, 700):
                sink.write(steps[first : first + 700], *NO_ROWS[1:])
            sink.close(Status.COMPLETED, Account())
        assert_same_tables(read_trajectory(tmp_path / "a.h5"), (steps, *NO_ROWS[1:]))
        assert (tmp_path / "a.h5").stat().st_size < 40 * n
    steps["n_contacts"][7] = 2**31
    with pytest.raises(ValueError, match="n_contacts 2147483648"), H5Sink(tmp_path / "b.h5", make_record()) as sink:
        sink.write(steps, *NO_ROWS[1:])


@pytest.mark.parametrize("dtype", ["f8", "i8", "i4", "i1", "S7"])
@pytest.mark.parametrize("n", [1, 5, 300, 5000, 70_000])
def test_any_hdf5_reads_an_encoded_chunk(tmp_path, rng, dtype, n):
    for columns in ((), (3,)):
        noise = rng.integers(0, 256, n * np.dtype(dtype).itemsize * (3 if columns else 1), np.uint8)
        for data in (noise, noise // 100, np.zeros_like(noise), np.where(np.arange(len(noise)) % 8 < 6, noise, 63)):
            chunk = data.astype(np.uint8).view(dtype).reshape(n, *columns)
            code = encode_chunk(chunk)
            if code is None:
                continue
            assert len(code) < chunk.nbytes
            with h5py.File(tmp_path / "a.h5", "w") as file:
                dataset = file.create_dataset("a", chunk.shape, dtype, chunks=chunk.shape, **FILTERS)
                dataset.id.write_direct_chunk((0,) * chunk.ndim, code)
                assert dataset[...].tobytes() == chunk.tobytes()


def test_planes_of_any_length_are_a_deflate_stream(rng):
    """Read by zlib, of plane by plane what repeats, at any distance, and what does not."""
    for n in (1, 2, 9, 255, 287, 288, 289, 1000, 0xFFFF + 10):
        noise = rng.integers(0, 256, n).astype(np.uint8)
        planes = [noise, np.zeros(n, np.uint8), np.resize(noise[:2], n), np.resize(noise[:8], n), noise // 64,
                  np.repeat(noise, 5)[:n], np.repeat(noise, 300)[:n]]
        for order in (planes, planes[::-1], planes[1:2], planes[:1], planes[5:]):
            data = np.concatenate(order)
            out = np.zeros(count_room(len(order), n), np.uint8)
            size = deflate_planes(data, n, out)
            assert zlib.decompress(out[:size].tobytes(), -zlib.MAX_WBITS) == data.tobytes()
        if n == 1000:
            code = encode_planes(np.concatenate(planes[1:4]).reshape(3, n).T.reshape(-1), 3)
            assert len(code) < 120 and zlib.decompress(code) == np.concatenate(planes[1:4]).tobytes()


def test_every_field_is_stored_exactly_once():
    for table in TABLES:
        stored = [field for spec in layout.LAYOUTS[table] for field in spec.fields]
        assert sorted(stored) == sorted(layout.TABLE_DTYPES[table].names)


# --------------------------------------------------------------------------- C03: large and non-ASCII metadata


def test_c03_large_and_foreign_metadata(tmp_path):
    angle = np.linspace(0.0, 2.0 * np.pi, 5000, endpoint=False)
    outline = np.column_stack((np.cos(angle), np.sin(angle)))
    text = "# " + "größe 日本 " * 10_000
    record = SceneRecord("Läufe", "日本", text, "Prüfstand/szene.toml",
                         BodyRecord("Führung-β", Polygon(outline), mass=2.0, rho=1.0),
                         (BodyRecord("a/b", Polygon(FLOOR), mu=0.1), BodyRecord("a/b", Polygon(BOX), mu=0.2),
                          BodyRecord("", Polygon(BOX), mu=0.3)))  # fmt: skip
    path = tmp_path / "Prüfstand" / "日本" / "läufe.h5"
    write_log(path, record=record, message="ß" * 2000)
    read = read_trajectory(path)
    assert read.record.text == text and isinstance(read.record.text, str)
    assert read.record.workpiece.name == "Führung-β"
    assert np.array_equal(read.record.workpiece.outline.vertices, outline)
    assert [(body.name, body.mu) for body in read.record.obstacles] == [("a/b", 0.1), ("a/b", 0.2), ("", 0.3)]
    assert read.record.name == "Läufe" and read.record.source == "Prüfstand/szene.toml"
    assert read.message == "ß" * 512
    with h5py.File(path, "r") as file:
        assert "Führung-β" in file["bodies"]


# ------------------------------------------------------------------------------------------- C01: the run is killed

WRITER = """
import sys, time
import numpy as np
from tests.sim.synthetic import make_record, make_rows
from sim.log.sink import H5Sink
rng = np.random.default_rng(int(sys.argv[2]))
sink = H5Sink(sys.argv[1], make_record())
first = 0
while True:
    n = int(rng.integers(1, 400))
    sink.write(*make_rows(first, n, rng))
    first += n
    print(sink.committed["steps"], flush=True)
"""
COMMITS = {"seldom": "", "at once": "import sim.files.growing_file as f; f.COMMIT_AFTER = 0.0\n",
           "now and then": "import sim.files.growing_file as f; f.COMMIT_AFTER = 0.02\n"}


@pytest.mark.parametrize("seed", range(20))
def test_c01_killed_at_any_moment(tmp_path, seed):
    path, other = tmp_path / "a.h5", tmp_path / "other.h5"
    write_log(other)
    untouched = other.read_bytes()
    writer = run_script(COMMITS[list(COMMITS)[seed % 3]] + WRITER, path, seed)
    reported = int(writer.stdout.readline())
    time.sleep(random.Random(seed).uniform(0.0, 0.25))
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().split("\n")
    writer.communicate()
    reported = max([reported, *(int(line) for line in rest[:-1] if line)])
    read = read_trajectory(path)
    assert read.status is Status.RUNNING
    assert len(read) >= reported > 0, f"seed {seed}: rows that were committed are lost"
    check_rows(read, seed)
    assert any("RUNNING" in line for line in describe_file(path))
    assert other.read_bytes() == untouched
    repaired = read.save(tmp_path / "repaired.h5")
    with h5py.File(repaired, "r") as file:
        assert len(file["steps/time"]) == len(read)


def find_headers(content):
    """(first byte, end) of every object header in an HDF5 file (File Format Specification, IV.A.1.b)."""
    for match in re.finditer(b"OHDR\x02", content):
        place, flags = match.end() + 1, content[match.end()]
        place += (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        width = 1 << (flags & 3)
        end = place + width + int.from_bytes(content[place : place + width], "little") + 4
        if compute_checksum(content[match.start() : end - 4]) == int.from_bytes(content[end - 4 : end], "little"):
            yield match.start(), end


def test_c01_no_header_lies_across_two_pages(tmp_path):
    """A kill between two pages of a write would leave half of the new one, under a checksum that is not its own."""
    write_log(tmp_path / "a.h5", 3000)
    headers = list(find_headers((tmp_path / "a.h5").read_bytes()))
    assert len(headers) > 60
    assert [(start, end) for start, end in headers if end - start <= 4096 and start // 4096 != (end - 1) // 4096] == []


def test_c01_readers_follow_a_running_writer(tmp_path):
    writer = run_script(COMMITS["now and then"] + WRITER, tmp_path / "a.h5", 1)
    try:
        writer.stdout.readline()
        lengths = []
        for _ in range(15):
            read = read_trajectory(tmp_path / "a.h5")
            check_rows(read, 1)
            lengths.append(len(read))
            with h5py.File(tmp_path / "a.h5", "r", swmr=True, locking=False):
                pass
        assert lengths == sorted(lengths) and lengths[-1] > lengths[0]
        assert writer.poll() is None, writer.stderr.read()
    finally:
        writer.kill()
        writer.communicate()


def test_c01_interrupted_between_chunks(tmp_path):
    with pytest.raises(KeyboardInterrupt), H5Sink(tmp_path / "a.h5", make_record()) as sink:
        sink.write(*make_rows(0, 30, np.random.default_rng(0)))
        raise KeyboardInterrupt
    read = read_trajectory(tmp_path / "a.h5")
    assert read.status is Status.INTERRUPTED and len(read) == 30


def test_c01_an_error_of_the_caller(tmp_path):
    with pytest.raises(ZeroDivisionError), H5Sink(tmp_path / "a.h5", make_record()) as sink:
        sink.write(*make_rows(0, 30, np.random.default_rng(0)))
        raise ZeroDivisionError("in a callback")
    read = read_trajectory(tmp_path / "a.h5")
    assert read.status is Status.FAILED and read.message == "ZeroDivisionError: in a callback" and len(read) == 30


# ------------------------------------------------------------------------------------------------------- full disk

FULL = """
import resource, sys
import numpy as np
import sim.files.growing_file
from tests.sim.synthetic import make_record, make_rows
from sim.rows.account import Account
from sim.files.write_error import WriteError
from sim.log.sink import H5Sink
if sys.argv[2] == "unreserved":  # a file system that cannot reserve and finds out too late
    sim.files.growing_file.reserve_space = lambda *arguments: None
limit = 4_000_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
rng, first = np.random.default_rng(0), 0
try:
    with H5Sink(sys.argv[1], make_record()) as sink:
        while first < 100_000:
            sink.write(*make_rows(first, 500, rng))
            first += 500
except WriteError as error:
    print(error.status.name, first, error.rows_kept, error, sep="\t")
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX")
@pytest.mark.parametrize("kind", ["reserved", "unreserved"])
def test_c01_full_disk(tmp_path, kind):
    path = tmp_path / "a.h5"
    process = run_script(FULL, path, kind)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, f"{process.returncode}\n{errors}"
    assert errors == ""
    status, first, kept, message = output.split("\t", maxsplit=3)
    assert status == "DISK_FULL" and int(first) > 2000
    assert str(path) in message and os.strerror(errno.EFBIG) in message and f"first {kept} steps" in message
    read = read_trajectory(path)
    check_rows(read, 0)
    # within a write what was not committed is lost
    assert len(read) == int(kept) and (kept == first if kind == "reserved" else 500 <= int(kept) <= int(first))
    if kind == "reserved":
        assert read.status is Status.DISK_FULL and "too large" in read.message
    else:
        assert read.status is Status.RUNNING
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("hint", [32, 1024])
def test_c01_what_is_reserved_is_enough(tmp_path, monkeypatch, rng, hint):
    """A write never makes the file longer than what was reserved before, bookkeeping of HDF5 included."""
    reserved = []
    monkeypatch.setattr(growing_file, "reserve_space", lambda descriptor, path, size: reserved.append(size))
    with H5Sink(tmp_path / "a.h5", make_record(), rows_hint=hint) as kept:
        first, spare = 0, []
        for _ in range(60):
            n = int(rng.integers(1, 1500))
            kept.write(*make_rows(first, n, rng))
            spare.append(reserved[-1] - kept._file._file.id.get_filesize())
            first += n
        kept.close(Status.COMPLETED, Account())
    assert min(spare) > 64 * 1024


@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX")
def test_c01_disk_is_full_from_the_start(tmp_path):
    code = FULL.replace("limit = 4_000_000", "limit = 20_000")
    (tmp_path / "a.h5").write_text("an older result")
    process = run_script(code, tmp_path / "a.h5", "reserved")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and errors == "" and output.startswith("DISK_FULL\t0\t0")
    assert (tmp_path / "a.h5").read_text() == "an older result" and len(list(tmp_path.iterdir())) == 1


def test_no_space_is_wasted_after_the_end(tmp_path):
    write_log(tmp_path / "a.h5", 10)
    assert (tmp_path / "a.h5").stat().st_size < 1_500_000
    make_slide(rate=50.0).save(tmp_path / "b.h5")
    assert (tmp_path / "b.h5").stat().st_size < 120_000


# ------------------------------------------------------------------------------------------ older files and places


def test_an_older_file_stays_until_the_first_rows(tmp_path):
    rows = write_log(tmp_path / "a.h5", 20)
    with pytest.raises(ZeroDivisionError), H5Sink(tmp_path / "a.h5", make_record()):
        raise ZeroDivisionError
    assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)
    with pytest.raises(KeyboardInterrupt), H5Sink(tmp_path / "a.h5", make_record()):
        raise KeyboardInterrupt
    assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)
    with H5Sink(tmp_path / "a.h5", make_record()) as sink:
        sink.close(Status.NO_SOLUTION, Account())
    assert not sink.in_place
    assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)
    assert len(list(tmp_path.iterdir())) == 1
    with H5Sink(tmp_path / "a.h5", make_record()) as sink:
        assert not sink.in_place
        assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)
        sink.write(*make_rows(0, 5, np.random.default_rng(1)))
        assert len(read_trajectory(tmp_path / "a.h5")) == 5 and sink.in_place
        sink.close(Status.COMPLETED, Account())
    assert len(list(tmp_path.iterdir())) == 1


def test_a_reader_keeps_the_file_that_is_replaced(tmp_path):
    write_log(tmp_path / "a.h5", 20)
    with h5py.File(tmp_path / "a.h5", "r") as old:
        write_log(tmp_path / "a.h5", 7)
        assert len(old["steps/time"]) == 20
    assert len(read_trajectory(tmp_path / "a.h5")) == 7


def test_two_runs_to_one_name_do_not_mix(tmp_path):
    first, second = H5Sink(tmp_path / "a.h5", make_record()), H5Sink(tmp_path / "a.h5", make_record())
    rows = make_rows(0, 11, np.random.default_rng(1))
    first.write(*make_rows(0, 5, np.random.default_rng(0)))
    second.write(*rows)
    first.write(*make_rows(5, 5, np.random.default_rng(0)))
    second.close(Status.COMPLETED, Account())
    first.close(Status.COMPLETED, Account())
    assert_same_tables(read_trajectory(tmp_path / "a.h5"), rows)


def test_a_link_is_followed(tmp_path):
    target = tmp_path / "data" / "a.h5"
    target.parent.mkdir()
    try:
        (tmp_path / "link.h5").symlink_to(target)
    except OSError:
        pytest.skip("no links here")
    write_log(tmp_path / "link.h5", 4)
    assert (tmp_path / "link.h5").is_symlink() and len(read_trajectory(target)) == 4


@pytest.mark.parametrize("place", ["folder", "file/in/a/file.h5", os.devnull])
def test_impossible_places_are_refused_at_once(tmp_path, place):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match="cannot write the log") as caught:
        H5Sink(tmp_path / place, make_record())
    assert caught.value.status is Status.WRITE_FAILED and caught.value.filename == str(tmp_path / place)


def test_a_closed_log_takes_no_rows(tmp_path):
    sink = H5Sink(tmp_path / "a.h5", make_record())
    sink.close(Status.COMPLETED, Account())
    sink.close(Status.FAILED, Account())
    with pytest.raises(ValueError, match="is closed"):
        sink.write(*NO_ROWS)
    assert read_trajectory(tmp_path / "a.h5").status is Status.COMPLETED


def test_outlines_with_arcs_and_holes_come_back_bit_for_bit(tmp_path):
    part = Outline.capsule(0.1, 0.03).with_holes(Outline.disc(0.01, (0.02, 0.003))).rotated(0.3)
    wall = Outline.from_vertices([(-1, -1), (1, -1), (1, 0), (-1, 0)], [0, 0, 0.1, -0.3]).translated(0.1, 1 / 3)
    record = SceneRecord("arcs", "", "", "", BodyRecord("part", part, mass=1.0, rho=0.1, drawing="a.dxf", sha256="ab"),
                         (BodyRecord("wall", wall), BodyRecord("box", Polygon(BOX))))  # fmt: skip
    write_log(tmp_path / "a.h5", record=record)
    read = read_trajectory(tmp_path / "a.h5").record
    for body, other in zip((read.workpiece, *read.obstacles), (record.workpiece, *record.obstacles), strict=True):
        assert body.outline == other.outline and type(body.outline) is type(other.outline)
        assert (body.drawing, body.sha256) == (other.drawing, other.sha256)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        bodies = file["bodies"]
        assert bodies["box"].shape == (4, 2) and "columns" not in bodies["box"].attrs
        assert bodies["part"].shape == (5, 6) and bodies["part"][4].tolist()[4:] == [-0.01, 1.0]
        assert [name.decode() for name in bodies["part"].attrs["columns"]][4:] == ["radius", "loop"]
        assert bodies["part"].attrs["drawing"] == b"a.dxf" and bodies["part"].attrs["sha256"] == b"ab"
