"""Every way a run can end: a code that never changes, one sentence that says what happened, one that says what to do.

The compiled engine returns the codes and log files store them, so a code keeps its meaning for ever: add at the end,
never renumber. `RUNNING` is what a log says while it is written; a killed run leaves it behind.
"""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How a run ended. `int(status)` is the stable code, `happened` and `advice` are for people."""

    happened: str
    advice: str

    def __new__(cls, code: int, happened: str = "", advice: str = "") -> Status:
        member = int.__new__(cls, code)
        member._value_ = code
        member.happened = happened
        member.advice = advice
        return member

    RUNNING = (
        0,
        "The run has not ended: it is still going on, or it was killed.",
        "If nothing is running, use the rows that are there, or run the scene again.",
    )
    COMPLETED = (
        1,
        "The run reached its end.",
        "Nothing needs to be done.",
    )
    INTERRUPTED = (
        2,
        "The run was interrupted by the user.",
        "The rows up to the interruption are kept; run the scene again for the rest.",
    )
    NO_SOLUTION = (
        3,
        "No acceleration satisfies the contact laws in this state (Painlevé's inconsistency).",
        "Rigid bodies with Coulomb friction have no answer here: look at the state with `stiction accelerations`, and "
        "lower the friction or change the shape if the part is not meant to jam.",
    )
    NOT_UNIQUE = (
        4,
        "Several accelerations satisfy the contact laws in this state, and the rule of choice is to stop.",
        'See them all with `stiction accelerations`, or let the run go on with run.choice = "continue", "stick" or '
        '"separate".',
    )
    NO_IMPACT_SOLUTION = (
        5,
        "No velocity after an impact satisfies the impact laws.",
        "Look at the last event; lower the friction or the restitution of the pairs that it names.",
    )
    STALLED = (
        6,
        "So much happened, or had to be computed, that the time hardly got on.",
        "See the last events: a part that rattles for ever comes to rest with a restitution below 1; a speed or load "
        "that is huge for its size wants a shorter duration; events at one instant show an edge between two modes: "
        "change the start a little.",
    )
    STEP_LIMIT = (
        7,
        "The run used up the number of steps that it was allowed.",
        "Ask for a shorter duration, or allow more steps.",
    )
    CAPACITY = (
        8,
        "More contacts were closed at once than the buffers hold.",
        "Simplify the outlines where many vertices touch at one time, or report the scene as a defect.",
    )
    CONSTRAINT_LOST = (
        9,
        "A closed contact could not be held to the tolerance.",
        "Use a smaller step or a tighter tolerance; if that does not help, report the scene as a defect.",
    )
    STEP_TOO_SMALL = (
        10,
        "The step size fell below what the time can resolve.",
        "Look for a load or a speed that is very large for the scene, or loosen the tolerance.",
    )
    DISK_FULL = (
        11,
        "The log could not be written because the disk or the quota is full.",
        "The rows up to the last flush are kept; free some space and run the scene again.",
    )
    WRITE_FAILED = (
        12,
        "The log could not be written.",
        "The rows up to the last flush are kept; read the cause, then run the scene again, perhaps to another place.",
    )
    FAILED = (
        13,
        "The run ended with an error in the program.",
        "The rows up to the last flush are kept; please report the message with the scene.",
    )
    NOT_FINITE = (
        14,
        "A position, a velocity or a force became infinite or undefined.",
        "Look for values in the scene that are extremely large or small; otherwise report the scene as a defect.",
    )
    LAWS_BROKEN = (
        15,
        "The run reached its end, but its account shows that a law of mechanics was not kept.",
        "Do not trust the motion: see the residuals, use a tighter tolerance or a smaller step, and report the scene "
        "as a defect if that does not help.",
    )

    SPLIT = (
        16,
        "Several motions are possible from here: each is followed as a branch of its own.",
        "Read the branches, or look at them with `stiction replay`.",
    )
    MERGED = (
        17,
        "From here on the motion is that of another branch.",
        "See the branch that it names.",
    )
    NOT_FOLLOWED = (
        18,
        "This branch was not followed, because the limit of branches or of their depth was reached.",
        "Raise run.max_branches or run.max_depth, or shorten the run.",
    )

    JAMMED = (
        19,
        "The part is jammed: obstacles that move leave it no room, or none that friction lets it take, and the forces "
        "on it have no bound.",
        "The last row names the contacts; let the obstacles stop or turn before, or give the part a way out.",
    )
    CONTROLLER_FAILED = (
        20,
        "The controller raised an error, or gave no wrench.",
        "The rows up to its last sample are kept; the message says what it was and where. A controller returns three "
        "finite numbers, fx, fy and torque.",
    )

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    @property
    def completed(self) -> bool:
        """Did the run reach the end that was asked for?"""
        return self is Status.COMPLETED

    def describe(self) -> str:
        """One line: the name, what happened and what to do about it."""
        return f"{self.name}: {self.happened} {self.advice}"


def describe_failure(error: BaseException) -> tuple[Status, str]:
    """How a run ended that an error broke off, and what there is to say of it. An error may name its status itself."""
    if isinstance(error, KeyboardInterrupt):
        return Status.INTERRUPTED, ""
    status = getattr(error, "status", None)
    if isinstance(status, Status):
        return status, str(error)
    return Status.FAILED, f"{type(error).__name__}: {error}"


def find_status(code: int) -> Status:
    """The status of a code; `FAILED` for a code that this version does not know (a log of a newer program)."""
    try:
        return Status(int(code))
    except ValueError:
        return Status.FAILED
