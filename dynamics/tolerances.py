"""Every tolerance of dynamics, in one place: the search, sets, cones, spaces, and the motion of one mode.

Each says what it is relative to (or its unit), the reason for its size, and what a larger and a smaller one would do.
Rounding leaves errors of about 1e-15 times the condition of the contact geometry (1 to 1e4 in practice).
"""

from __future__ import annotations

from typing import Any, NamedTuple

EPSILON = 2.220446049250313e-16  # of float64

# Two directions closer than this are one, and a direction this close to a plane lies in it: a sine, so no unit and no
# size of a part or a force enters. Larger: contacts whose normals meet at such an angle are taken as parallel. Smaller:
# a scene that is turned (rounding of about 1e-16 times the condition of its contacts) loses what lies exactly on a
# boundary.
ANGLE = 1e-10

# What the rounding of a force, or of an acceleration at a contact, is relative to the forces of the scene: it carries
# the condition of the contact geometry. Larger: forces and accelerations that are small, but there, are taken for none.
# Smaller: a contact without force is lost and found again.
FORCE_ROUNDING = 1e-9


# --- the search for accelerations ---


class Tolerances(NamedTuple):
    """Thresholds of the search, which are passed to it; all dimensionless.

    The search first makes the problem dimensionless: normals, tangents and friction edges get length one, and every
    acceleration is divided by `scale`, the largest of |w|, |b_i|/|N_i| and |d_i|/|T_i|. The numbers are relative to
    that, so a part of a millimetre and one of a kilometre, a force of a nanonewton and one of a giganewton, behave
    alike.

    accept: how far an acceleration may violate a constraint (gap, slip sign, edge of the friction cone) and still be a
        member. Larger: answers that are not exact are let in, and thresholds such as tan(slope) = mu blur by as much.
        Smaller: members that sit exactly on a boundary are lost to rounding.
    angle: below this sine two directions are parallel, and a direction lies in a plane. Larger: contacts closer than
        angle * rho become one plane. Smaller: the common line of two nearly equal planes is noise.
    merge: two accelerations closer than this are one. It exceeds `accept`, because the condition of the contact
        geometry stands between a violated constraint and a shifted acceleration. Larger: two answers close to the
        point where they meet are counted as one. Smaller: one answer is counted twice.
    letter: a gap or slip acceleration below this is zero when a member gets its letters (s, n, r, l).
    force: residual of the force balance at which the least-norm forces are accepted, relative to |a - w|.
    """

    accept: float = 1e-10
    angle: float = ANGLE
    merge: float = 1e-8
    letter: float = FORCE_ROUNDING
    force: float = 1e-9


DEFAULT_TOLERANCES = Tolerances()

# Sine between two directions, or planes, below which what they have in common is made to fit them: it is known to
# 1e-16 / sine, and must be theirs to rounding. Larger: time is spent in vain, and symmetric answers lose last bits.
# Smaller: the common line lies in neither plane, and its members are lost.
NEARLY_ONE = 1e-3

# Sine up to which a cone of edges is thin: it also gets rows that follow from the others, at its ends. Reason: a point
# that lies d beyond an end violates the others by d times the thickness only, which must not fall below `accept`.
# Larger: rows are made in vain. Smaller: accelerations are taken that need contacts that pull.
THIN = 1e-3

# An earlier pair of planes fixes the line of two others about as well if the square of its sine is above this share of
# theirs: then the line is walked once only. Larger: a line is walked twice, which `merge` puts right. Smaller: it is
# walked where it is known less well.
AS_CLEAR = 0.01

# Square of the sine between a line of accelerations and the plane of two friction edges, below which they are taken as
# parallel and the general search decides. Reason: where they meet is known to 1e-16 / sine. Larger: time is spent in
# vain. Smaller: a member is shifted by more than rounding.
LINE_IN_PLANE = 1e-12

# A corner of a polygon of accelerations is a direction at infinity where its weight is below this share of it. Reason:
# weights are differences that carry rounding. Larger: far vertices become rays. Smaller: rays become far vertices.
AT_INFINITY = 1e-12
# Two directions at infinity are opposite where their cosine is nearer to -1 than this (an angle of 1.4e-6 rad). Larger:
# a very blunt wedge is taken for a half-plane. Smaller: a half-plane has no vertex.
OPPOSITE = 1e-12

# Growth of the boxes that hold half-spaces, relative: above the rounding of their sides. Larger: more half-spaces are
# looked at. Smaller: one that cuts may be passed over.
BOX_GROWTH = 1e-12
# A box is flat where no half-space is farther than this from the span of its longer axes (both of order one). Reason:
# what is left of a difference must be known to a few digits to be a direction. Larger: boxes are thicker than need be,
# and more half-spaces are looked at. Smaller: an axis is rounding, for nothing.
FLAT_BOX = 1e-12

# --- forces that give an acceleration ---

# The search along a line has ended where the slope of the dual is below the first share of that at its start, or the
# bracket below the second share of its end. Reason: rounding, with room for sums. Larger: more steps of Newton's
# method. Smaller: places of a line are looked at in vain.
SLOPE_ZERO = 1e-12
LINE_BRACKET = 1e-15
# Forces balance to rounding where the residual is below this share of their sum; no step makes it smaller. Larger: the
# last digits are lost. Smaller: steps are made in vain.
BALANCED = 1e-15
# ... and below this share, if a whole step of Newton's method does not halve it: the condition of the contacts stands
# between the two. Larger: the last digits are lost. Smaller: the maximum is sought in the noise of sums.
NEARLY_BALANCED = 1e-12
# What is added to the Hessian of the dual, relative to its trace, for the first guess and for each step. Reason: where
# forces are not unique it is singular, and rounding of about 1e-16 times its terms could make it indefinite; the step
# also meets cones, whose terms differ more. Larger: more steps. Smaller: a step in a direction without meaning.
GUESS_SHIFT = 1e-14
STEP_SHIFT = 1e-13

# A force this near to an edge of its cone is on it, and one this small is none, relative to the largest that its
# row could have at the same dual point: rounding, with room. Larger: forces that can change both ways are said to
# change one way only. Smaller: rounding says that forces are not unique.
ON_EDGE = 1e-12

# An edge depends on others where less than this share of its length is left when its parts along them are taken away:
# then forces are not unique. Larger: forces of contacts that nearly oppose each other are not called unique. Smaller:
# forces are called unique where rounding decides.
DEPENDENT_EDGE = 1e-9
# Square of the distance from the origin below which the hull of directions holds it, so that they lie in no half-space:
# a sine of 1e-10, as ANGLE. Larger and smaller: as DEPENDENT_EDGE.
HOLDS_ORIGIN = 1e-20

# A force along an edge may be negative by this share of the largest: rounding, which is then set to zero. Larger:
# forces that pull are taken for none, and the balance is off by as much. Smaller: legal forces are not found.
NEGATIVE_FORCE = 1e-12
# What the rounding of forces leaves in their sum, relative to the largest: ten units in the last place. Larger: forces
# that do not balance are taken. Smaller: those that do are refused.
FORCE_ULPS = 2e-15
# Forces larger than this, relative to the change of acceleration that they make, are not told from none: their rounding
# is 1e-5 of it. So are contacts opposed to within ANGLE, below which two planes are one.
LARGEST_FORCE = 1.0 / ANGLE

# --- acceleration sets ---

# Sine between two planes above which the search decides as it does for any others: their line is known to 1e-9. Larger:
# doubts are raised without need. Smaller: a set may be wrong and not say so.
CLEAR = 1e-7
# Sine between two planes below which they are meant to be one: rounding of a scene that is far from its origin. Larger:
# planes that were meant to be two are one without a word. Smaller: a flat floor raises doubts.
ONE_PLANE = 1e-12
# The certificate holds if no residual exceeds this share of the accelerations. Reason: that of an honest member is
# `Tolerances.accept` times the condition of its contacts. Larger: wrong members pass. Smaller: right ones are doubted.
CERTIFIED = 1e-8
# ... plus this share of the largest force, which is what its rounding leaves in the balance.
CERTIFIED_FORCES = 1e-14
# A normal force above this share of the largest counts as pushing where a set is explained: FORCE_ROUNDING, in words.
# Larger: a contact that pushes weakly is not named. Smaller: one is named that does not push.
PUSHES = 1e-9

# --- wrench cones, contact modes and insertions ---
# Rows, generators and face normals get length one before anything is compared, with ANGLE.

# The line common to two planes that meet at a sine s is known to EPSILON / s only; that, times this, is added to ANGLE.
# Larger: cones of contacts that nearly agree are undecided. Smaller: rays are lost, or are there twice.
ROUNDING = 16.0


def widen(sine: Any) -> Any:
    """How close to zero counts as zero for a direction found from two others at this sine (number or array)."""
    return ANGLE + ROUNDING * EPSILON / sine


# A wrench this close to a boundary (relative to its size) lies on it: inside where the boundary belongs to the cone.
# Larger: wrenches outside are let in. Smaller: those on the boundary are lost to rounding.
MEMBER = 1e-10

# Violation of the conditions of equilibrium of one contact, relative to the force, that is rounding: the few products
# of its frame. Larger: a contact holds what it cannot. Smaller: a force on the edge of its cone is not held.
EQUILIBRIUM = 1e-12

# Two directions of insertion [rad] closer than this are one, and an interval narrower is none: rounding of arctangents,
# with room. Larger: narrow intervals are lost. Smaller: an interval is told as two that meet.
SAME_DIRECTION = 1e-12

# --- dual spaces ---

# Singular values of a matrix with unit columns, below this, count as zero: the rank of a set of contacts. The numbers
# beside it, up to RANK_WARNING, are reported as badly conditioned. Larger: constraints are lost. Smaller: rounding
# counts as a constraint, with forces of 1e10.
RANK = 1e-10
RANK_WARNING = 1e-6

# A matrix that must be symmetric is so to this, relative to its largest entry; and one that must be a rotation, in each
# entry of R R^T - 1. Reason: entries are typed in or computed with a few products. Larger: slips of the pen pass.
# Smaller: matrices that are computed are refused.
SYMMETRIC = 1e-9
ROTATION = 1e-9

# --- what is zero at a contact: a speed, a time (see `dynamics/motion/scales.py`) ---

# What a speed is zero up to, relative to the typical speed of a scene, when nothing moves: a few hundred roundings.
# Larger: slow slip is taken for none. Smaller: rounding slips.
SPEED_ROUNDING = 1e-13

# A gap rate or slip below this share of the speeds that it is the difference of is zero. Reason: it carries their
# rounding, times the condition of the contact geometry; what a run projects on its constraints is as exact. Larger: a
# slow slip is taken for none, and its friction is not known. Smaller: rounding slips.
SPEED_SHARE = 1e-11

# How far apart two times are, relative to them, that a run tells from each other: a few units in the last place.
# Larger: events are located less well, and what moves fast has a larger zero. Smaller: an event is sought between two
# doubles.
TIME_GRID = 1e-15

# --- the motion of one mode ---

# Smallest sine between two rows that still counts as independent when a mode begins. Below it two constraints are taken
# for one: their forces would be known to less than nine digits. A mode that has begun ends where the sine of its two
# rows has become a quarter of that, so that it does not begin anew at once. Larger: a narrow wedge does not hold.
# Smaller: forces are noise.
INDEPENDENT = 1e-7
DEPENDENT = 0.25 * INDEPENDENT

# Relative size of the determinant of a sliding basis below which steps that become too small are put down to it.
# Larger: an honest run that is hard ends in an impulse without collision. Smaller: one in Painleve's paradox ends as
# stiff.
SINGULAR_BELOW = 1e-3

# A step of Newton's method to the constraints is the last one if it is below this, in sizes of the part: what is left
# is of the order of its square. Larger: gaps stay open. Smaller: a step is made in vain.
PROJECTED = 1e-9

# An equation is clearer than another if the share of it that is new exceeds that of the other by this, relative: above
# rounding, so that of equal ones the first is taken. Larger: the choice is less well conditioned. Smaller: rounding
# chooses.
CLEARER = 1e-9

# How far the motion of two contacts that carry a mode may be from the chosen acceleration, relative to the sizes of
# both, before a preload makes up the difference. Reason: INDEPENDENT rows leave rounding of 1e-9 or more in it. Larger:
# a member of a continuum is not followed. Smaller: rounding is a preload, which does work.
PRELOAD = 1e-7

# Least principal minor of two contacts, relative to its terms, that says without a search that the acceleration is
# unique: FORCE_ROUNDING of a determinant. Larger: more searches. Smaller: an ambiguity is passed over.
UNIQUE_MINOR = 1e-9

# Sine below which an edge of a cone lies in a plane. Reason: the edges carry the rounding of the contact geometry.
# Larger: a cone with a facet more slender than that is taken for flat. Smaller: a facet has edges on both its sides.
IN_PLANE = 1e-9

# Growth of kinetic energy that counts as rounding: in an impact of several contacts, relative to the energy; in one of
# a single contact, relative to the terms of the sum. Reason: the latter is a closed form, the former comes from a
# search. Larger: Newton's restitution adds energy. Smaller: it is scaled down without need.
IMPACT_ENERGY_ROUNDING = 1e-12
ROUTH_ENERGY_ROUNDING = 1e-14

# --- long steps of a stiff motion (see `dynamics/motion/collocation.py`) ---

# Newton's method has converged where what is left of pose and velocity is below this share of the error that a step may
# have. Reason: it must not be seen beside that error, also in forces of a stiff load. Larger: forces are wrong by
# stiffness times it. Smaller: one more look at all nodes for nothing.
NEWTON_LEFT = 1e-3

# ... or below this, where no correction is smaller than the one before: the rounding of a pose, times a stiffness and
# the square of the step. Reason: it is below the error that the step may have. Larger: it is not. Smaller: long steps
# are refused for the sake of rounding.
NEWTON_ROUNDING = 1.0

# Differences of pose and velocity by which the acceleration is differentiated, relative to the size and the speed of
# the part. Reason: rounding of 1e-15 of the size leaves nine digits, and the bend of what is not linear six. Larger:
# the bend shows, and Newton's method takes one more step. Smaller: rounding does.
DIFFERENCE = 1e-6
