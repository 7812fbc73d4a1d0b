"""The pages of the documentation, as the tests of them read them: their text, blocks, headings, links and commands."""

import re
import shlex
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CHANGELOG.md", "scenes/README.md", "sim/README.md", "sim/log/README.md", "sim/sweep/README.md",
         "sim/feeding/README.md", "dynamics/README.md", "geometry/README.md", "tests/README.md")


@cache
def read_page(page):
    return (ROOT / page).read_text(encoding="utf-8")


def find_blocks(page):
    """[(words after the fence, body)] of all fenced blocks, in order."""
    blocks = re.findall(r"^```(.+)\n((?:.*\n)*?)^```$", read_page(page), re.MULTILINE)
    return [(info.split(), body) for info, body in blocks]


def strip_blocks(page):
    """The text without fenced blocks."""
    return re.sub(r"^```(?:.*\n)*?^```$", "", read_page(page), flags=re.MULTILINE)


def split_commands(body):
    """The words of each command `stiction ...` in a block of the shell."""
    return [shlex.split(line, comments=True)[1:] for line in body.splitlines() if line.startswith("stiction ")]


def find_commands(page):
    """The words of all commands of a page, in blocks and in running text."""
    blocks = [words for info, body in find_blocks(page) if info[0] == "sh" for words in split_commands(body)]
    inline = [shlex.split(text) for text in re.findall(r"`stiction ([a-z][^`]*)`", strip_blocks(page))]
    return blocks + inline


def find_anchors(page):
    """What links may name: the headings of a page, in the manner of GitHub."""
    headings = re.findall(r"^#+ (.+)$", strip_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def find_links(page):
    """[(is it a picture, target)] of all links."""
    return [(bool(mark), target) for mark, target in re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", strip_blocks(page))]
