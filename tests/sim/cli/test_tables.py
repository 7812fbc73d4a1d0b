"""Tables lose nothing, however narrow the place: no digit, no exponent, no column."""

import re

import pytest

from sim.cli.reports.console import PlainConsole, make_table

NUMBERS = ["1.23456789e-17", "-9.87654321e+123", "0.000123456789012345"]
WORDS = "a wall with quite a long name, and more of it"


def make(columns=6):
    table = make_table("Numbers", ["name", *[f"n{i} [m]" for i in range(columns)]], words=("name",))
    for _ in range(3):
        table.add_row(WORDS, *(NUMBERS[i % 3] for i in range(columns)))
    return table


def show(width, terminal):
    console = PlainConsole(highlight=False, soft_wrap=True, markup=False, force_terminal=terminal, width=width,
                           no_color=True)
    with console.capture() as capture:
        console.print(make())
    return re.sub(r"\x1b\[[0-9;]*m", "", capture.get())


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("width", [1, 20, 60, 80, 120, 400])
def test_every_number_is_there(width, terminal):
    shown = show(width, terminal)
    for number in NUMBERS:
        assert shown.count(number) == 6
    assert "…" not in shown and all(f"n{i} [m]" in shown for i in range(6))


@pytest.mark.parametrize("width", [1, 80, 400])
def test_a_pipe_gets_each_row_in_one_line_whatever_its_width(width):
    lines = show(width, terminal=False).splitlines()
    assert len(lines) == 5 and sum(WORDS in line for line in lines) == 3
    assert show(width, terminal=False) == show(80, terminal=False)


def test_a_terminal_folds_words_before_it_breaks_rows():
    lines = show(130, terminal=True).splitlines()
    assert max(map(len, lines)) <= 130 and not any(WORDS in line for line in lines)
    first_column = "".join(line[:18] for line in lines[2:])
    assert " ".join(first_column.split()).startswith("a wall with quite a long name, and more of it")
