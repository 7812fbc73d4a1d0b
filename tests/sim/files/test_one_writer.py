"""Files are written at one place, whole or not at all, and read through one opener: nobody goes past `sim.files`."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RENAMES = {"os.replace", "os.rename", "os.link", "os.renames", "shutil.move", "shutil.copy"}
WRITES = {"write_text", "write_bytes", "rename", "savetxt", "tofile", "NamedTemporaryFile", "mkstemp", "TemporaryFile"}


def find_calls(text):
    """What touches files in a source: (kind, the call as it is written)."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name, call = ast.unparse(node.func), ast.unparse(node)
        words = [word.value for word in (*node.args, *(keyword.value for keyword in node.keywords))
                 if isinstance(word, ast.Constant) and isinstance(word.value, str)]
        if name == "h5py.File":
            found.append(("read" if words == ["r"] else "grow", call))
        elif name in RENAMES or name.rpartition(".")[2] in WRITES:
            found.append(("write", call))
        elif name == "open" or name.endswith("fdopen") or (name.endswith(".open") and not name.startswith("partial")):
            if any(set(word) <= set("rwxabt+") and set(word) & set("wxa+") for word in words):
                found.append(("write", call))
        elif name.endswith("savefig") and not call.startswith(f"{name}(memory"):
            found.append(("write", call))
    return found


def test_every_file_is_written_by_one_writer_and_read_by_one_opener():
    places = {"read": set(), "grow": set(), "write": set()}
    for path in (ROOT / "sim").rglob("*.py"):
        for kind, _ in find_calls(path.read_text(encoding="utf-8")):
            places[kind].add(path.relative_to(ROOT / "sim").as_posix())
    assert places == {"read": {"files/opening.py"}, "grow": {"files/growing_file.py"},
                      "write": {"files/partial_file.py", "files/spool.py"}}


@pytest.mark.parametrize("line, kind", [
    ("h5py.File(path, 'r', swmr=True)", "read"), ("h5py.File(path, 'w', libver='v110')", "grow"),
    ("h5py.File(path)", "grow"), ("open(path, 'w')", "write"), ("open(path, mode='ab')", "write"),
    ("path.open('r+b')", "write"), ("path.write_text('')", "write"), ("os.replace(a, b)", "write"),
    ("path.rename(b)", "write"), ("tempfile.NamedTemporaryFile()", "write"), ("figure.savefig(path)", "write"),
])
def test_what_goes_past_them_is_found(line, kind):
    assert [found for found, _ in find_calls(line)] == [kind]


@pytest.mark.parametrize("line", ["open(path)", "open(path, 'rb')", "partial.open('w')", "text.replace('a', 'b')",
                                  "figure.savefig(memory, dpi=1)"])
def test_what_does_not_is_let_be(line):
    assert find_calls(line) == []
