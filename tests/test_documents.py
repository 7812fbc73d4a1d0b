"""The pages keep their word: scenes are scenes, commands and tables are those of the code, links lead somewhere.

Nothing is run here; `tests/test_examples.py` runs the examples.
"""

import re
import subprocess
import tomllib
from importlib import import_module

import pytest
import typer

import scenes
from dynamics.codes import LAWS, RULES
from geometry.packages import OLD_NAMES, __version__
from sim.log import layout
from sim.rows import records
from sim.rows.account import ACCOUNT_FIELDS
from sim.rows.status import Status
from sim.scene import outline_schema, rest_schema, schema
from sim.scene.build import load_scene, parse_scene
from sim.scene.held import held_schema, insertion_schema
from sim.scene.prescribed import motion_schema
from sim.scene.scene_errors import OverlapError
from sim.sweep.table import FIELD_NAMES
from sim.values.quantities import Section
from tests.documents import (
    PAGES,
    ROOT,
    find_anchors,
    find_blocks,
    find_commands,
    find_links,
    read_page,
    strip_blocks,
)


def list_files(*suffixes):
    try:
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        paths = [ROOT / name for name in names.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.parts)]
    return [path for path in paths if path.suffix in suffixes and path.is_file()]


# ---- all pages -------------------------------------------------------------------------------------------------------


def test_all_pages_are_known_and_read_from_the_front_page():
    assert {str(path.relative_to(ROOT)) for path in list_files(".md")} == set(PAGES)
    targets = {target.partition("#")[0] for _, target in find_links("README.md")}
    assert set(PAGES) - {"README.md"} <= targets


def test_the_front_page_is_short():
    assert read_page("README.md").count("\n") <= 200


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for is_picture, target in find_links(page):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.is_file(), target
        assert not is_picture or path.suffix in (".png", ".gif"), target
        if anchor:
            assert anchor in find_anchors(str(path.resolve().relative_to(ROOT.resolve()))), target


def test_every_picture_of_the_gallery_is_shown():
    shown = {((ROOT / page).parent / target).resolve() for page in PAGES for is_picture, target in find_links(page)
             if is_picture}
    assert {path.resolve() for path in (ROOT / "outputs" / "gallery").iterdir()} == shown


@pytest.mark.parametrize("page", PAGES)
def test_lines_are_not_too_wide(page):
    for line in read_page(page).splitlines():
        assert len(line) <= 120 or line.startswith(("|", "!", "stiction ")), line


@pytest.mark.parametrize("page", PAGES)
def test_blocks_say_what_they_are(page):
    """Python and shell are run or parsed, scenes have a name to be saved under, fragments say so."""
    for info, _ in find_blocks(page):
        assert info in (["python"], ["sh"], ["sh", "run"]) or (info[0] == "toml" and len(info) > 1), info
    assert read_page(page).count("```") == 2 * len(find_blocks(page))


@pytest.mark.parametrize("page", PAGES)
def test_files_and_names_of_the_code_exist(page):
    for name in re.findall(r"`((?:sim|dynamics|geometry|scenes|tests)/[\w/.*]+)`", read_page(page)):
        assert list(ROOT.glob(name.rstrip("/"))), name
    for name in re.findall(r"`((?:stiction|sim|dynamics|geometry|tests)(?:\.\w+)+)[`(]", strip_blocks(page)):
        assert can_find(name), name
    python = "".join(body for info, body in find_blocks(page) if info == ["python"])
    for name in re.findall(r"\bstiction\.(\w+)", python):
        assert can_find(f"stiction.{name}"), name


def can_find(name):
    """Is there a module of this name, or something in one?"""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        for part in parts[n:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_names_that_are_not_there_are_not_found():
    assert can_find("sim.log.sink.H5Sink") and can_find("stiction.simulate")
    assert not can_find("sim.log.sink.H5Sank") and not can_find("sim.lag") and not can_find("stiction.stimulate")


def test_code_cites_pages_that_ship():
    """A comment, a docstring or a setting that names a page names one that is here."""
    pattern = re.compile(r"[\w/]*\w\.md\b|\b(?:DESIGN|LAYOUT|STYLE)\b|README, [\"“]|\bground_truths\b")
    assert pattern.search("see DESIGN section 3") and pattern.search('see README, "Conventions"')
    for path in list_files(".py", ".pyi", ".toml"):
        if path.name == "test_documents.py":
            continue
        for name in pattern.findall(path.read_text(encoding="utf-8")):
            assert name in PAGES, f"{path.relative_to(ROOT)}: {name}"


# ---- commands --------------------------------------------------------------------------------------------------------


def get_program():
    from sim.cli import app

    return typer.main.get_command(app)


@pytest.mark.parametrize("page", PAGES)
def test_commands_can_be_given(page):
    """Each command exists and takes these arguments; nothing is run. A name alone speaks of the command."""
    program = get_program()
    for words in find_commands(page):
        command = program.commands[words[0]]
        if len(words) > 1 and hasattr(command, "commands"):
            words, command = words[1:], command.commands[words[1]]
        if len(words) > 1:
            command.make_context(words[0], words[1:])


def test_wrong_commands_are_refused():
    command = get_program().commands["run"]
    with pytest.raises(Exception, match="No such option"):
        command.make_context("run", ["ladder", "--chioce", "stop"])


def test_every_command_and_option_is_told():
    program = get_program()
    assert {words[0] for words in find_commands("README.md")} == set(program.commands)
    text = "\n".join(map(read_page, PAGES))
    groups = [each for each in program.commands.values() if hasattr(each, "commands")]
    for name, command in [*program.commands.items(), *(each for group in groups for each in group.commands.items())]:
        for option in command.params:
            if option.param_type_name == "option" and option.name != "help":
                assert any(re.search(rf"(?<![\w-]){flag}\b", text) for flag in option.opts), f"{name} {option.opts}"


def test_targets_of_make_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"(?:^    |`)make ([\w-]+)", read_page(page), re.MULTILINE)}
    assert {"demo", "test", "test-fast", "wheel", "bench", "lint"} <= named <= targets


# ---- scenes ----------------------------------------------------------------------------------------------------------

SCENES = "scenes/README.md"


def find_scenes():
    """{file name: text} of the whole scenes of the page."""
    return {info[1]: body for info, body in find_blocks(SCENES) if info[0] == "toml" and info[1].endswith(".toml")}


def find_fragments():
    """[(name of the built-in scene that it changes, or "", text)]."""
    return [(" ".join(info[3:]), body) for info, body in find_blocks(SCENES) if info[:2] == ["toml", "fragment"]]


def test_there_are_examples():
    assert len(find_scenes()) == 5 and len(find_fragments()) == 9
    assert all(len(info) > 1 for page in PAGES for info, _ in find_blocks(page) if info[0] == "toml")


@pytest.mark.parametrize("name", find_scenes())
def test_scene_examples_are_scenes(name):
    text = find_scenes()[name]
    assert parse_scene(text).summary == text.splitlines()[0].lstrip("# ")


def find_alternatives():
    """The scene with each line that stands there as a comment in the place of the line with its key."""
    sections = re.split(r"(?m)^(?=\[)", find_scenes()["scene.toml"])
    for i, section in enumerate(sections):
        for line, key in re.findall(r"^# ((\w+) = .*)", section, re.MULTILINE):
            other = re.sub(rf"^{key} = .*\n", "", section, flags=re.MULTILINE) + line + "\n"
            yield pytest.param("".join([*sections[:i], other, *sections[i + 1:]]), id=line)


@pytest.mark.parametrize("text", list(find_alternatives()))
def test_alternatives_of_the_scene_example_are_valid(text):
    try:
        parse_scene(text)
    except OverlapError:
        pass  # another outline at the same pose: it was read


@pytest.mark.parametrize("base, fragment", find_fragments())
def test_fragments_belong_into_a_scene(base, fragment):
    """A fragment takes the place of what the scene says, and adds obstacles and goals."""
    text = scenes.path(base).read_text(encoding="utf-8") if base else find_scenes()["scene.toml"]
    for key in tomllib.loads(fragment):
        if key not in ("obstacle", "goal"):
            text = re.sub(rf"^(?:\[{key}\]|{key} =)(?:.*\n)*?(?=^$|^\[)", "", text, count=1, flags=re.MULTILINE)
    parse_scene(fragment + text if fragment.startswith("gravity") else text + "\n" + fragment)


def test_every_key_of_a_scene_is_told():
    text = read_page(SCENES)
    modules = (schema, held_schema, insertion_schema, motion_schema, outline_schema, rest_schema)
    sections = [value for module in modules for value in vars(module).values()
                if isinstance(value, type) and issubclass(value, Section) and value is not Section]
    keys = {name for section in sections for name in section.model_fields}
    assert len(keys) > 45
    for word in keys | {*RULES, *LAWS, "smooth", "linear"}:
        assert re.search(rf"\b{word}\b", text), word


def test_every_built_in_scene_is_listed_with_its_title():
    listed = re.findall(r"^\* `(\w+)`: (.+(?:\n  .+)*)", read_page(SCENES), re.MULTILINE)
    assert [(name, text.replace("\n ", "")) for name, text in listed] == [
        (name, load_scene(name).summary) for name in scenes.names()]


# ---- logs and sweeps -------------------------------------------------------------------------------------------------

LOG = "sim/log/README.md"
SWEEP = "sim/sweep/README.md"


def find_rows(page):
    """The rows of all tables of a page."""
    return re.findall(r"^\|.*\|$", read_page(page), re.MULTILINE)


def test_every_dataset_is_listed():
    for table in layout.TABLES:
        (row,) = [row for row in find_rows(LOG) if row.startswith(f"| `/{table}/` |")]
        for spec in layout.LAYOUTS[table]:
            shared = table in ("events", "impulses") and spec.name in {
                column.name for column in layout.LAYOUTS["contacts"]} | {"pose"}
            assert shared or f"`{spec.name}`" in row, f"/{table}/{spec.name}"


def test_the_version_of_the_format_is_the_last_in_its_table():
    versions = [int(row.split("|")[1]) for row in find_rows(LOG) if re.match(r"\| \d+ \| [^`]*(?:`/|the first)", row)]
    assert versions == list(range(1, layout.FORMAT_VERSION + 1))
    for name, version in layout.ADDED.items():
        assert any(row.startswith(f"| {version} |") and f"`/{name}`" in row for row in find_rows(LOG)), name


def test_every_word_of_a_log_is_told():
    rows = "\n".join(find_rows(LOG))
    for words in (records.EVENT_KINDS, records.SET_KINDS, records.CONTACT_TYPES, records.CONTACT_LETTERS,
                  records.IMPACT_CLASSES):
        for word in words:
            assert f"`{word}`" in rows, word
    assert re.findall(r"^\| (\d+) \| `([A-Z_]+)` \| .", rows, re.MULTILINE) == [
        (str(int(status)), status.name) for status in sorted(Status)]


def test_entries_of_the_account_that_pages_name_exist():
    names = {name for name, *_ in ACCOUNT_FIELDS}
    named = set(re.findall(r"account\.(\w+)", "\n".join(map(read_page, PAGES)))) - {"describe"}
    assert named and named <= names


def test_every_column_and_outcome_of_a_sweep_is_told():
    first = [re.findall(r"`([^`]+)`", row.split("|")[1]) for row in find_rows(SWEEP)]
    told = [name for names in first for name in names]
    for name in (*FIELD_NAMES, *schema.OUTCOMES):
        assert told.count(name) == 1, name


# ---- changes ---------------------------------------------------------------------------------------------------------


def test_the_changelog_has_this_version_first():
    versions = re.findall(r"^## (\S+) - (\d{4}-\d\d-\d\d)$", read_page("CHANGELOG.md"), re.MULTILINE)
    assert versions[0][0] == __version__
    assert versions == sorted(versions, key=lambda pair: [*map(int, pair[0].split("."))], reverse=True)


def test_names_that_the_changelog_calls_old_still_import():
    deprecated = read_page("CHANGELOG.md").partition("### Deprecated")[2].partition("###")[0]
    named = re.findall(r"`((?:sim|dynamics|geometry)\.\w+)`", deprecated)
    assert len(named) > 5
    for name in named:
        assert name in OLD_NAMES.homes and can_find(name), name
