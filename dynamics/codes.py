"""The words of the codes of mechanics: compiled code and files hold the place of a word in its line, users read it.

So a line keeps its order for ever, and new words come at its end.
"""

from __future__ import annotations

from typing import Literal, get_args

# What a set of accelerations (or of velocities after an impact) is, by the number of its members.
SET_KINDS = ("none", "one", "several", "continuum")
NONE, ONE, SEVERAL, CONTINUUM = range(len(SET_KINDS))

# What a contact does (Balkcom): separates, rolls, slides with T.v > 0, slides with T.v < 0, approaches.
CONTACT_LETTERS = ("s", "n", "r", "l", "a")

# Rules of choice where a set has several members; see `dynamics.motion.choose`.
Rule = Literal["continue", "stick", "separate", "stop", "random", "branch"]
RULES: tuple[Rule, ...] = get_args(Rule)

# Laws of the impact of a single contact; see `dynamics.motion.routh`.
Law = Literal["newton", "poisson", "stronge"]
LAWS: tuple[Law, ...] = get_args(Law)

# Loads of one scene besides the weight and constant forces, at most: a run keeps the work of each.
MOST_LOADS = 32

# Contacts that a controller may name, each with a force of its own: in the plane three are independent. Larger: a state
# of a run takes more room.
MOST_NAMED = 6

# Classes of the impact of a single contact (Wang & Mason; the last three are ours); see `dynamics.motion.routh`.
IMPACT_CLASSES = (
    "none", "sliding", "C-sticking", "R-sticking", "C-reversed", "R-reversed", "stick", "slip from rest", "jam",
)  # fmt: skip
