"""Every tolerance of shapes, contacts and formations, in one place.

Each says what it is relative to (or its unit), the reason for its size, and what a larger and a smaller one would do.
A double keeps 16 digits; what is computed from a few of them, and turned, is wrong by some 1e-15 of the largest.
"""

from __future__ import annotations

# Stands in for zero where a length is divided by. No tolerance: it only has to be positive, and its root too. Larger:
# lengths that are not zero are changed. Smaller: its reciprocal overflows.
TINY = 1e-300

# --- outlines and the boundary of all obstacles ---

# Two neighbouring vertices closer than this are one, and a vertex this near to the line through its neighbours is no
# corner. Relative to the diagonal of the outline's bounding box. Reason: drawing programs and unit conversions repeat a
# vertex with an error in its last digits; 2e-12 of a metre is far below any machined feature and far above rounding.
# Larger: the outline moves by as much, and features below it vanish. Smaller: a repeated vertex is an edge without a
# direction.
VERTEX_TOLERANCE = 2e-12
# ... plus this many units in the last place of the largest coordinate, for outlines given far from their origin.
VERTEX_ULPS = 4

# Two features of different obstacles closer than this are in contact, relative to the largest obstacle. Reason: blocks
# that are drawn as touching do so up to rounding; 4e-12 of a metre is far below a real gap (2e-9 m must stay a gap) and
# far above rounding. Larger: real gaps and steps are closed. Smaller: a part is caught in a seam that was drawn closed.
SEAM_TOLERANCE = 4e-12
# ... plus this many units in the last place of the largest coordinate, for scenes far from the origin.
SEAM_ULPS = 32

# An edge of an obstacle is deep inside the union of all where it is farther than this from the union's outline,
# relative to the extent of all obstacles. Reason: that outline is computed to 1e-12 of the extent, or somewhat worse
# where many edges nearly meet. Larger: fewer edges of a heap are left out, which takes longer. Smaller: rounding
# decides.
DEEP = 1e-6

# A corner of an obstacle that touches no other is flat where the sine of its turn is below this: rounding only. Larger:
# blunt corners are passed over. Smaller: a vertex in the middle of a straight edge is a corner.
FLAT_TURN = 1e-14

# --- contacts ---

# Boxes are apart where they are farther apart than is asked for and this, relative to the largest coordinate. Reason:
# they are turned and compared in doubles, which leaves some 1e-15. Larger: pairs are looked at in vain. Smaller: one
# that counts is left out.
BOX_ROUNDING = 1e-13

# A gap counts as closed up to this, relative to the largest coordinate in the world: a start may be this deep, and so
# may a pose of a formation, or this far beyond the end of an edge. Reason: coordinates that are computed in double
# precision and turned carry a few units in the last place (1e-16), text with 12 digits carries 1e-12. Larger: parts
# sink in visibly deeper. Smaller: a start that is drawn as touching is refused, or falls for a moment.
TOUCH = 1e-12

# A pair that touches without holding anything has sunk in where its gap is below minus this many touch distances.
# Reason: half of what still counts as touching. Larger: it is noticed when it is about to count as an overlap. Smaller:
# rounding sinks.
SUNK = 0.5

# A contact that comes is located to this many touch distances. Reason: a thousandth of what counts as contact cannot be
# seen, and is still above rounding. Larger: parts start to touch with a gap. Smaller: the search runs on in rounding.
LOCATED_GAP = 1e-3

# A pair that touches bounces where the square of its gap rate is above this, times the touch distance and the bound of
# the gap's second derivative: it rises by half of this, in touch distances, at least. Such a pair is back at the gap
# that it left, a slower one at SUNK. Larger: low bounces come back too deep. Smaller: rounding bounces.
LEAVING = 0.1

# Depth, in touch distances, up to which a crossing that no step showed is put down to the rounding of a very long path.
# Larger: a vertex that comes from behind, through another edge, is taken for one. Smaller: a far flight misses.
ROUGH = 1e6

# Angle below which two directions count as equal [rad]: normals of one face, edges that are flush. Reason: two edges
# that touch at both ends to rounding differ by less. Larger: a very slender fan of normals is taken for a single one.
# Smaller: faces that lie on each other touch at one end only.
ANGLE_TOLERANCE = 1e-9

# --- prescribed motions ---

# What counts as a jump where two pieces meet, relative to the sum of the sizes of the terms. Reason: the coefficients
# of a spline carry a few units of rounding. Larger: jumps are treated as smooth. Smaller: rounding is an event.
MOTION_JUMP = 1e-9

# --- contact formations ---

# A normal must have length one to this. Reason: components that are given as text or by sines are rounded once. Larger:
# gaps are wrong by as much. Smaller: normals that are computed are refused.
UNIT_LENGTH = 1e-12

# A gap counts as 0 (a double root at its extremum, two contacts that are one) up to this, relative to the lengths of
# the formation, all measured from the middle of its own points. Reason: rounding of coordinates, 1e-15, with room.
# Larger: two poses closer than about sqrt(2e-12) = 1.4e-6 rad, its root, are told as one branch point. Smaller: a
# branch point is told as two poses, or as none.
FORMATION_GAP = 1e-12
# A root is found where a step of Newton's method changes it by less than this, relative to it: the last place of a
# double, 2.2e-16. Larger: roots lose a digit. Smaller: steps are made in vain.
ROOT_ROUNDING = 2.3e-16
# FORMATION_GAP, plus this many times the largest coordinate, for formations far from the origin: 16 roundings of it.
FORMATION_ROUNDINGS = 16.0 * ROOT_ROUNDING
# ... as ROOT_ROUNDING, for a root of the resolvent, from which the others follow: half of the last place.
RESOLVENT_ROUNDING = 1e-16
# ... or where its bracket is narrower than this [rad; the resolvent's: 1]: the distance of two doubles at 2 to 4 rad,
# and of two below 0.1. Larger and smaller: as ROOT_ROUNDING.
ROOT_BRACKET = 4.5e-16
RESOLVENT_BRACKET = 1e-17

# Edges whose directions differ by less than this [rad] are parallel. Reason: as FORMATION_GAP. Larger: poses that exist
# are told as none. Smaller: the poses of edges nearly, but not quite parallel are far away and have lost the digits
# that the angle has lost.
PARALLEL_EDGES = 1e-12

# Two poses of a formation are one if angles [rad] and places, relative to the size of the part or of the sheet, differ
# by less. Reason: one was tracked, one solved, each to rounding times the condition of the formation. Larger: two
# sheets that pass close to each other are taken for one. Smaller: one sheet is drawn twice.
SAME_POSE = 1e-9

# A start is a pose of the formation if it is this near to one, relative to the size of the part. Reason: starts are
# copied from print. Larger: a start near a branch point is put on the wrong branch. Smaller: it is refused.
START_POSE = 1e-6

# The part jumps if it moves by more than this of its size without its velocities telling. Larger: jumps of the
# manipulators are passed over. Smaller: a smooth motion is followed in needlessly short steps, which leave less.
PART_JUMP = 1e-6

# A step below this share of the whole time has located what stopped it, and no shorter one is made: also in a run.
# Reason: rounding of time, 1e-16, with room. Larger: a stop is told early. Smaller: steps no longer change the time.
SMALLEST_STEP = 1e-14

# A track has ended in a branch point if a double pose is this near, in sizes of the part, or if the determinant of its
# equations is below this, in the same unit. Reason: near it the pose goes like the root of time, and the determinant
# with it, so a step of SMALLEST_STEP ends 1e-7 off; with room for poor condition. Larger: a jump near a branch point
# is told as one. Smaller: a branch point is told as a jump.
BRANCH_NEAR = 1e-3
BRANCH_DETERMINANT = 1e-4

# The path between two poses may be this many times farther from its quintic than at the state between. Reason: the
# error goes like (u (1 - u))^3, whose largest value is 1.09 times that at the state between; the rest is for terms of
# higher order. Larger: shorter steps. Smaller: a collision may be passed over.
SAFETY = 4.0
# ... if it is this near there, in sizes of the part. Reason: a motion that is not resolved, such as one that swings
# between the ends, can be near its quintic by chance; that it is so to a thousandth is much less likely. Larger: such a
# motion is passed over. Smaller: shorter steps.
RESOLVED = 1e-3

# What may be left out of a power series at the end of its step, relative to the sum of its terms, where the sign of its
# value there is to be told: two derivatives of a path that is exact to 1e-11 are exact to 1e-7 or better. Larger:
# events are looked for point by point where there are none. Smaller: one that is just before the end of a step is seen
# in the next.
LEFT_OUT = 1e-6
