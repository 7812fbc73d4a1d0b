"""Rules of choice among members of a set, by their letters (0 s, 1 n, 2 r, 3 l)."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.motion.choose import CONTINUE, RULES, SEPARATE, STICK, UNKNOWN_LETTER, choose_member

MEMBERS = np.array([[0.0, -10.0, 0.0], [4.0, -7.0, 3.0], [0.0, 0.0, 0.0]])
LETTERS = np.array([[0, 0], [3, 0], [1, 1]])  # free, slides at one contact, stuck
NEW = np.array([UNKNOWN_LETTER, UNKNOWN_LETTER])


def test_rules_are_named():
    assert RULES == ("continue", "stick", "separate", "stop", "random", "branch")


@pytest.mark.parametrize(("rule", "index"), [(CONTINUE, 2), (STICK, 2), (SEPARATE, 0)])
def test_without_a_past(rule, index):
    assert choose_member(MEMBERS, LETTERS, NEW, rule) == index


def test_continue_keeps_the_mode():
    assert choose_member(MEMBERS, LETTERS, np.array([3, 0]), CONTINUE) == 1


def test_continue_keeps_most_contacts_when_the_mode_is_gone():
    assert choose_member(MEMBERS[:2], LETTERS[:2], np.array([1, 1]), CONTINUE) == 1


def test_ties_go_to_the_smallest_acceleration():
    members = np.array([[2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    letters = np.array([[2], [3], [3]])
    assert choose_member(members, letters, np.array([UNKNOWN_LETTER]), CONTINUE) == 1
