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

# An outline turns back at a joint, which is a cusp, where the jump of its direction is this near to half a turn [rad]:
# how its two sides bend tells what is between them. Reason: the angle of a joint is known to rounding, 1e-16, times the
# size over the length of its features. Larger: slender corners are taken for cusps. Smaller: rounding tells on which
# side of a cusp the solid is.
STRAIGHT_BACK = 1e-9

# The direction of an outline jumps at a joint of edges and arcs where it turns by more than this [rad]; below it the
# joint is smooth. Reason: a tangent that is computed from coordinates carries 1e-16 of the size over the length of its
# feature, and bulges given with 12 digits carry 1e-12. A joint also is smooth where moving it by VERTEX_TOLERANCE takes
# the turn away. Larger: blunt corners have no normals of their own. Smaller: rounding makes corners, each with an
# impact of its own.
SMOOTH_TURN = 1e-9

# No bulge, tan(sweep / 4), may be larger. Reason: the circle of an arc that leaves only a millionth of a turn open
# hangs on the last digits of its two ends. Larger: such circles are wrong by more than 1e-10 of their radius. Smaller:
# arcs that are nearly whole circles are refused.
LARGEST_BULGE = 1e6

# Two features of different obstacles closer than this are in contact, relative to the largest obstacle. Reason: blocks
# that are drawn as touching do so up to rounding; 4e-12 of a metre is far below a real gap (2e-9 m must stay a gap) and
# far above rounding. Larger: real gaps and steps are closed. Smaller: a part is caught in a seam that was drawn closed.
SEAM_TOLERANCE = 4e-12
# ... plus this many units in the last place of the largest coordinate, for scenes far from the origin.
SEAM_ULPS = 32

# Pieces of two curves that share both ends lie on each other if their middles are this near, in tolerances of the seam.
# Reason: each end is off by one, and the curves may be apart by one. Larger: slender gaps between arcs are closed.
# Smaller: two faces that lie on each other are both kept, and leave no loops.
SAME_CURVE = 4.0

# An edge of an obstacle is deep inside the union of all where it is farther than this from the union's outline,
# relative to the extent of all obstacles. Reason: that outline is computed to 1e-12 of the extent, or somewhat worse
# where many edges nearly meet. Larger: fewer edges of a heap are left out, which takes longer. Smaller: rounding
# decides.
DEEP = 1e-6

# A corner of an obstacle that touches no other is flat where the sine of its turn is below this: rounding only. Larger:
# blunt corners are passed over. Smaller: a vertex in the middle of a straight edge is a corner.
FLAT_TURN = 1e-14

# --- drawings ---

# Arcs lie at most this far off the ellipses, Bezier curves and splines that they stand for, relative to the diagonal of
# the drawing, if no other tolerance is asked for. Reason: a micrometre on a part of 100 mm is below what parts are made
# to. Larger: fewer arcs, and a part of another shape. Smaller: more arcs, by the third root, and slower runs.
CURVE_TOLERANCE = 1e-5
# ... measured at this many points of each pair of arcs. Reason: the distance has one or two extrema on each; between
# points it is larger by a thousandth at most. Larger: slower. Smaller: the distance that is told is too small.
DEVIATION_POINTS = 64
# An interval of a curve is halved no more often than this. Reason: 40 halvings leave 1e-12 of it. Larger: a cusp is
# looked for in rounding. Smaller: tight bends are refused.
MOST_HALVINGS = 40

# Ends of two lines of a drawing that lie this near to each other are one, relative to its diagonal, where no end lies
# nearer. Reason: programs write coordinates with 4 to 6 digits after the point, which on parts of some 100 mm leaves
# gaps of 1e-6 of the size; a gap that was left by mistake is one that one sees, 1e-3 or more. Larger: mistakes are
# mended unasked. Smaller: what was drawn closed is refused. The largest gap that was closed is told.
DRAWING_GAP = 1e-5
# ... and lie in one place if they are this near. Reason: ends that are computed from centre, radius and angle, which
# are written with 9 digits or more. Larger: short edges are taken for a single point. Smaller: only DRAWING_GAP joins
# them.
SAME_END = 1e-9
# An edge and an arc, or two arcs, that meet at a smaller angle than this [rad] were meant to have one tangent, if
# joints move by less than DRAWING_GAP to get it. Reason: rounding to 1e-5 mm turns the tangent of a fillet of 1 mm by
# 1e-5. Larger: blunt corners are lost. Smaller: fillets keep corners that nobody drew.
TANGENT_TURN = 1e-3

# An ellipse whose axes differ by less than this is a circle, and a mapped circle stays one. Reason: products of a few
# rotations and scales carry 1e-15, angles and scales that are written with 12 digits 1e-12. Larger: flat ellipses
# become circles. Smaller: a turned circle becomes many arcs.
CIRCULAR = 1e-11
# An arc of a circle whose chord is its diameter to this (as squares, relative) turns by half a turn. Reason: where both
# are rounded, the angle is known to the root of it only, 1e-7. Larger: arcs that turn by somewhat less are changed.
# Smaller: a half circle is no longer tangent to what it ends.
HALF_TURN = 1e-14
# A normal is z or -z, and a height constant, up to this. Reason: 9 digits of text. Larger: what is tilted by as much
# is drawn as if it were not, too long by half the square. Smaller: level drawings are refused for their rounding.
UPRIGHT = 1e-9

# No file of a drawing may be larger [bytes], hold more entities, or nest blocks or groups deeper. Reason: an outline of
# ten thousand features takes a megabyte; what is larger is an assembly or a map, and a file that was damaged or made to
# can ask for more memory than there is. Larger: minutes of reading before the refusal. Smaller: real parts are refused.
LARGEST_DRAWING = 100_000_000
# ... and no number of an SVG file larger. Reason: squares and products of some of them stay finite. Larger: overflow.
# Smaller: drawings in nanometres are refused.
LARGEST_NUMBER = 1e15
MOST_TRACES = 200_000
MOST_NESTED = 64

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

# Two lines of contact coincide, and a line vanishes, below this determinant or size, relative to those of the
# formation, where a root of its polynomial is double: then they cut the circle of the third contact in the places.
# Reason: such roots are apart by no more than the determinant there, and two that are closer than FORMATION_GAP are
# told as one. Larger: places near a branch point are looked for on the circle. Smaller: two poses of lines that
# coincide are told as one branch point.
MEETING_LINES = 1e-9

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

# --- rest poses ---

# A part rests in a pose if it must turn by more than this [rad] to tip over. Reason: the centre of mass and the corner
# below it are known to rounding, 1e-16 of the size, and an edge may be a thousandth of it; what tips at a nanoradian
# stands on no real floor. Larger: poses on very narrow faces are passed over. Smaller: rounding decides whether a part
# whose centre of mass stands over its corner rests.
LEAST_TIP = 1e-9
# A round side is neutral, at rest wherever it touches, if the arm of gravity about the touching point is shorter than
# this, relative to the size of the part. Reason: the centroid is computed to some 1e-16 of the size, or is given with
# twelve digits. Larger: a wheel with a slight imbalance rests everywhere. Smaller: rounding says where a disc rests.
NEUTRAL = 1e-12

# --- plans of squeezes ---

# A turn of the jaws must be free to be off by more than this [rad]. Reason: the extrema of the width are directions of
# edges and diagonals, known to 1e-16 of the size over their length, and no robot turns to a nanoradian. Larger: plans
# become longer, or there is none. Smaller: rounding decides into which orientation a squeeze turns the part.
LEAST_SLACK = 1e-9
