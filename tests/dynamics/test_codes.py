"""Words and codes: the numbers that compiled code calls by name are the places of their words."""

import re

import pytest

from dynamics import codes
from dynamics.cones import modes
from dynamics.motion import choose, mode, routh
from geometry.contact import contacts
from geometry.shapes.units import LENGTH_UNITS, LengthUnit
from sim.cli import main
from sim.engine import events
from sim.rows import records

LINES = {
    "sets": (codes.SET_KINDS, codes, "NONE ONE SEVERAL CONTINUUM"),
    "letters": (codes.CONTACT_LETTERS, mode, "LETTER_S LETTER_N LETTER_R LETTER_L LETTER_A"),
    "rules": (codes.RULES, choose, "CONTINUE STICK SEPARATE STOP RANDOM BRANCH"),
    "laws": (codes.LAWS, routh, "NEWTON POISSON STRONGE"),
    "impacts": (codes.IMPACT_CLASSES, routh,
                "NONE SLIDING C_STICKING R_STICKING C_REVERSED R_REVERSED STICK SLIP_FROM_REST JAM"),
    "types": (records.CONTACT_TYPES, contacts, "TYPE_A TYPE_B TYPE_C"),
    "events": (records.EVENT_KINDS, events, "START CONTACT IMPACT SEPARATION SLIP STICK EDGE_END MODE_LOST UNIQUENESS "
                                            "ACCUMULATION REST JAM BREAK BRIDGE RELEASE SLACK TAUT SAMPLE GOAL "
                                            "LEFT"),
}
OTHER_NAMES = {"impact without collision": "JAM"}  # what compiled code calls otherwise


@pytest.mark.parametrize("line", LINES)
def test_codes_are_the_places_of_their_words(line):
    words, module, names = LINES[line]
    assert [getattr(module, name) for name in names.split()] == list(range(len(words)))
    for word, name in zip(words, names.split(), strict=True):
        own = OTHER_NAMES.get(word, word.upper().replace(" ", "_").replace("-", "_"))
        assert name.removeprefix("LETTER_").removeprefix("TYPE_") == own


def test_modes_are_spelt_with_the_same_letters():
    assert set(modes.LETTERS) == set(modes.MEANING) == set(codes.CONTACT_LETTERS)


@pytest.mark.parametrize("command, words", [("run", codes.RULES), ("cone", codes.CONTACT_LETTERS)])
def test_the_command_line_explains_every_word(command, words, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    shown = set(re.findall(r"\w+", capsys.readouterr().out))
    assert set(words) <= shown


def test_units_and_their_type_are_the_same():
    assert tuple(LENGTH_UNITS) == LengthUnit.__args__
