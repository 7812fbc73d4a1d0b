"""Every tolerance of runs, scenes, logs, sweeps, reports and pictures, in one place.

Each says what it is relative to (or its unit), the reason for its size, and what a larger and a smaller one would do.
What is zero at a contact stands in `geometry/tolerances.py` (a gap) and `dynamics/tolerances.py` (a speed, a force).
The touch distance is TOUCH times the largest coordinate; the load and the typical speed are those of the scene.
"""

from __future__ import annotations

# --- scenes ---

# Error of one step of the integration that a run allows unless a scene says otherwise, relative to the size and the
# typical speed of the part; and what a scene may ask for. Reason: 1e-11 is above the rounding of a step, 1e-15, and far
# below what can be measured. Larger: motions drift; above the largest one they say little. Smaller: runs are slower;
# below the least one rounding looks like an error.
STEP_TOLERANCE = 1e-11
LEAST_STEP_TOLERANCE, LARGEST_STEP_TOLERANCE = 1e-14, 1e-2

# An edge must be this many units in the last place of the largest coordinate long. Reason: where a double cannot tell
# the ends of an edge apart, the edge has no direction. Larger: an outline that is far smaller than its distance from
# the origin of the world (1e-14) is refused. Smaller: normals are noise.
LEAST_EDGE = 8

# Radii that differ by less than this share of them are one. Reason: an arc within an arc moves about a point whose
# distance from its own centre is their difference, and steps are as short as that. Larger: fits that can be computed
# are refused. Smaller: runs take as many steps as the quotient is large.
ONE_RADIUS = 1e-6

# A centre of mass is the centroid if it is this near to it, relative to the size of the outline: then the radius of
# gyration is known. Reason: centroids are typed in with some digits. Larger: rho is wrong by as much, squared. Smaller:
# rho is asked for where it is known.
CENTRED = 1e-9

# Members of a matrix of stiffness or damping that should be equal may differ by this share of the largest that a
# semidefinite matrix can have there, and its eigenvalue, scaled to 1 on its diagonal, may be as far below 0. Reason:
# rounding of a matrix that was turned, or typed with ten digits. Larger: springs that gain energy pass. Smaller: a
# matrix of a single stiff direction is refused.
SYMMETRIC = 1e-9

# A feature of an obstacle and a row of the boundary are the same if they lie this near to each other, relative to the
# size of the obstacle and its distance from the origin. Reason: the union of obstacles moves vertices by its seams, a
# few 1e-12. Larger: a contact is taken for one beside it. Smaller: one that is there is not found.
SAME_FEATURE = 1e-9

# The ends of a spring that are nearer to each other at the start, relative to the size of the part, are at one place,
# where it has no direction. Reason: rounding of poses. Larger: short springs are refused. Smaller: their direction is
# noise.
ENDS_MEET = 1e-9

# Squared length of the mean direction of the waypoints' frames at t = 0 below which `about` has no place in the frame.
# Reason: the place is divided by it. Larger: pivots that can be found are refused. Smaller: their place is noise.
LEAST_DIRECTION = 1e-12

# A component of a direction below this is zero: the rounding of sine and cosine of multiples of a right angle. Larger:
# a slight tilt is lost. Smaller: gravity straight down pulls sideways by 1e-16.
ALONG_AXIS = 1e-15

# Rows of output may be more than the most by this share: the rounding of duration / interval. Larger: a little more
# than the most. Smaller: exactly the most is refused.
ROWS_ROUNDING = 1e-9

# --- events: what ends a mode ---
# A monitor counts in units of what is rounding for it, and is violated below -1.

# Slip, in units of the speed that is zero whatever the velocity, at which an idle contact no longer rolls. Larger: it
# creeps on unseen. Smaller: the rounding of a contact that holds nothing is an event.
CREEP_SPEED = 1e3

# Monitors of gaps, all in touch distances. An idle contact has sunk in at SUNK, where its monitor falls by SINK_SLOPE a
# touch distance; a contact has left its edge END_REACH beyond the end, to END_ROUNDING; one that is not needed to hold
# the part is lost at a gap of LOST_GAP, to one. Reason: what is kept on the constraints is off by a small share of
# touch, so a hundredth is told; beyond the end of an edge its neighbour has surely come into touch. Larger (SINK_SLOPE:
# smaller): gaps are seen to open or to sink. Smaller: contacts come and go by rounding.
SINK_SLOPE = 100.0
END_REACH, END_ROUNDING = 2.0, 0.01
LOST_GAP = 4.0

# To END_ROUNDING of touch comes this share of the radii of a contact, rad. Reason: where an arc ends is an angle, which
# is known to the last bits of a turn. Larger: flat arcs are followed beyond their ends. Smaller: the rounding of an
# angle ends a contact that has just begun.
ROUND_ENDS = 1e-15

# The bracket of an event in a step is closed below this share of its end: two units in the last place. It has the
# meaning of TIME_GRID, but counts from the start of the step, not of the run. Larger: events are less well located.
# Smaller: places of a step are looked at in vain.
EVENT_BRACKET = 4e-16

# Where an event is located anew by steps of the method itself: the first secant reaches back by this share of the step;
# a monitor below LOCATED is at its zero, in units of its rounding; and a correction above LARGEST_CORRECTION, relative
# to the step, is not taken. Reason: the path is off the constraints by the error of the step only, and a gap is known
# to about 1e-4 of the touch distance. Larger: the secant is less exact, the event too, or a wild correction is taken.
# Smaller: the secant is rounding, corrections are made in vain, or one that is right is left out.
SECANT_STEP = 1e-4
LOCATED = 1e-4
LARGEST_CORRECTION = 1e-3

# Relative determinant of the equation for the normal forces below which a force that is lost is lost in its singular
# point. Larger: a contact that opens near the point is taken to jam; smaller: one that slides into it is taken to open.
AT_SINGULAR_POINT = 1e-6

# --- events: what comes next ---

# How clearly the old mode must be violated where the next one is chosen, in units of the rounding of a monitor. The
# search for accelerations blurs by about a tenth of one unit. Larger: the choice is made further ahead. Smaller: the
# search finds the old mode once more.
LOOK_AHEAD = 1000.0

# How long after an event the next mode is chosen, relative to the step, where no monitor tells how far: when forces
# that several contacts shared have ceased to be legal, and when another acceleration became possible. Reason: at the
# very time they are so within rounding only. Larger: the choice is made for a later state. Smaller: rounding chooses.
AHEAD_SHARE = 1e-5

# Two events are at one instant if less than this is between them, relative to the time of the run, and to that in which
# the part falls by its own size. Larger: bounces that end in earnest are bridged. Smaller: events pile up for ever.
PILE_TIME = 1e-14

# Force, in units of FORCE_ROUNDING, up to which a contact holds nothing. Larger: a contact that begins to press is
# noticed later, when its force would be that large; smaller: forces that are rounding hold the part.
IDLE = 10.0

# How far outside its cone the friction may be, relative to the forces of the scene, where a contact that stops to slip
# holds all the same. Reason: the search blurs by about 1e-9. Larger: a contact that slips on for the time in which its
# friction changes by as much is held instead. Smaller: a slip that has ended is followed once more, at once.
GRIP = 1e-6

# A velocity and an acceleration below this, relative to sqrt(load * size) and to the load, are zero: the part is at
# rest. So is a velocity below REST_ROUNDINGS times SPEED_ROUNDING: 1e-11 of the typical speed, the same number. Larger:
# a slow motion is stopped. Smaller: a part at rest is followed for ever, by its rounding.
REST_SPEED = 1e-11
REST_ROUNDINGS = 100.0
REST_ACCELERATION = 1e-11

# --- bounces and bridges ---

# Shortest time of a bridge over events that pile up at one instant, relative to that in which the part falls by its own
# size. Larger: it is seen in the motion. Smaller: more tries.
BRIDGE_TIME = 1e-9

# Height of a bounce, relative to the touch distance, below which the remaining bounces are summed as a geometric
# series. Reason: bounces lower than the touch distance cannot be told from contact. Larger: the error of the sum, which
# is of the order of that height, is seen in the motion. Smaller: bounces are followed that rounding makes.
BOUNCE_HEIGHT = 4.0

# Longest time of a sum, in units of that in which the load moves the part by half the touch distance. Reason: the error
# of one step grows with the square of its time. It is what bounces of BOUNCE_HEIGHT with a restitution of 0.95 take.
# Larger: the error is seen. Smaller: bounces that take longer are followed one by one until they are lower.
LONGEST_REST = 120.0

# Distance, in touch distances, within which contacts take part in such a sum: a part that bounces on two corners by
# turns is a few heights from either. Larger: the part moves by as much when they close. Smaller: it bounces on.
BOUNCE_REACH = 4.0 * BOUNCE_HEIGHT

# Gaps that a sum or a bridge closes are closed below the first, and must be below the second, in touch distances.
# Larger: the run goes on with gaps. Smaller: sums are refused where gaps cannot be closed at once, as in a narrow
# wedge.
GAP_CLOSED, GAP_STAYS = 0.01, 0.5
# Sine below which a gap counts as dependent on others that are closed, and is left to them. It has the meaning of
# INDEPENDENT, for shifts instead of forces: the shift grows like its reciprocal. Larger: gaps stay open. Smaller: the
# part moves by ten thousand times a gap.
INDEPENDENT_GAPS = 1e-4

# --- what holds the part ---

# Deflection of a spring or gripper, relative to the size of the part, whose force is typical of the scene. Reason: the
# error of a step is 1e-11 of the size, so that with FORCE_ROUNDING a hundred times the force of that error is rounding.
# Larger: small forces that are there are taken for none. Smaller: contacts come and go by the error of the path.
DEFLECTION = 0.1

# --- the account, the ends of runs, branches ---

# A residual, relative to forces, energies or the size of the part, that cannot be rounding or the error of the steps.
# For the energy it is ENERGY_STEPS times the tolerance of a step where that is more, for errors add up. Larger: broken
# laws go unseen. Smaller: honest runs are called broken.
LAW_LIMIT = 1e-6
ENERGY_STEPS = 1e4

# The works of the obstacles are those of the rows if their sum differs by less, relative to it: rounding of a long sum.
# Larger: works of another time are told. Smaller: those that are right are left out.
WORKS_AGREE = 1e-9

# A part that moves more slowly at the end, relative to the typical speed of its scene, and would accelerate less,
# relative to its forces, may be at rest. Reason: one that was carried by an obstacle until its last waypoint keeps the
# error of the integration (1e-11). Larger: slow motions are called rest. Smaller: parts at rest time out.
STILL = 1e-9

# A part at rest lies in a rest pose if its angle (rad), its height and its foot (relative to its size) are those of the
# pose to this. Reason: contacts at rest are closed to the tolerance of the run, 1e-11 of the size if not given. Larger:
# a part that a chip holds up lies flat. Smaller: at a coarse tolerance poses are not recognised.
LYING = 1e-7

# A depth is reached if this share of the size of the part is missing, and a part is before the mouth if it is no deeper
# than that. Reason: the rounding of poses on the bottom of a hole or on its rim. Larger: parts are seen to be in that
# are not. Smaller: a part that stands on the rim is seen to be inside.
DEPTH_ROUNDING = 1e-9

# Two states are one if they differ by less, relative to the size of the part, and two times, relative to them: two
# integrations of one motion differ by less, two motions by more. Larger: branches merge that differ. Smaller: one
# motion is followed twice.
SAME_STATE = 1e-7
# Two members of a set are one branch if they differ by less, relative to the largest of them and the load. It has the
# meaning of `Tolerances.merge`, with room for the members of pieces of positive dimension. Larger and smaller: as
# above.
SAME_MEMBER = 1e-7

# A part is seated if it comes to rest this near to the seat, in its own size. Reason: the error of a run, 1e-11, with
# room. Larger: a part that jams just before is called seated. Smaller: one that is seated is not.
SEATED = 1e-9

# --- what a check of a log allows; it shares no number with the run that wrote it ---

# Limits relative to the forces, momenta or energies, and to the lengths, that occur in the log. Reason: room for
# rounding in long sums, and for nothing that can be seen: an honest log stays below a hundredth of each. Larger: wrong
# logs pass. Smaller: honest ones fail.
LOG_LAW_LIMIT = 1e-7
LOG_GAP_LIMIT = 1e-8
# ... of the largest coordinate: the height of bounces that cannot be told from contact, a few times over.
LOG_LIFT = 3e-11
# ... of the accelerations: what is told from shapes moved a little is no better.
LOG_CLOSING_LIMIT = 1e-2

# A pair touches if its gap is below the first of the size of the part, and its gap rate below the second of the typical
# speed. Reason: ten times TOUCH, and the error of a run with room. Larger: a pair that is near is said to close.
# Smaller: one that touches is passed over.
LOG_TOUCHES, LOG_SLOW = 1e-11, 1e-9

# Time over which the second derivative of a gap is taken, relative to that in which the part falls by its own size.
# Reason: its error is as large, relative to the accelerations, and rounding is a hundred times less. Larger: a larger
# error. Smaller: rounding.
LOG_SHORT = 1e-4

# Poses of the text and of the log that differ by less are the same, relative to the largest value. Reason: another
# machine rounds sines otherwise. Larger: a motion that was changed is drawn as it was. Smaller: every log from another
# machine is drawn as logged.
POSES_AGREE = 1e-9

# --- sweeps ---

# Two runs of one cell with other rows agree to this, relative to the largest number at the end. Reason: rows are
# observation, but looked up on the path. Larger: a changed program goes unseen. Smaller: a note without need.
RERUN_ROUNDING = 1e-9
# A run that ended at once has rows as if it had lasted for this share of its duration: an interval must not be zero.
# Larger: a run that ended soon has fewer rows than it could. Smaller: none.
LEAST_LENGTH = 1e-9
# Time of a batch of cells [s] that stands for less: the clock knows no shorter one. Larger: batches grow too slowly.
# Smaller: a division by zero.
CLOCK_TICK = 1e-6
# How well `refine` knows each boundary, in the unit of the axis, unless it is asked for more. Larger: fewer runs.
# Smaller: more.
REFINE_TOLERANCE = 1e-6
# ... and along two axes: the finest squares, and how well each boundary is known on their rims, as shares of the span
# of each axis. Reason: within a square a boundary is a chord, which is off by an eighth of the square of its length and
# the curvature: 2e-6 of a curve that bends across the whole plane. Larger: fewer runs. Smaller: more; a smaller
# TRACE_TOLERANCE alone says nothing of what lies between the rims.
TRACE_RESOLUTION = 1.0 / 256.0
TRACE_TOLERANCE = 1e-6
# Of the number of halvings: a grid that halves to the resolution, to rounding, is fine enough. Larger: squares may be
# larger than asked for by as much. Smaller: all are halved once more in vain.
LEVEL_ROUNDING = 1e-9
# Lines that arrive at a junction within so small an angle [rad, about] do not tell where it is. Reason: chords are off
# by an angle of the size of a square times the curvature, a hundredth. Larger: a junction stands in the middle of its
# square. Smaller: it may stand at the square's rim, since two lines are nearly one.
JUNCTION_SPREAD = 0.05

# --- reports ---

# A number below this, relative to a unit vector, is printed as 0. Larger: small numbers vanish. Smaller: 3e-17 is
# shown.
PRINTED_ZERO = 1e-12
# Two faces whose unit normals differ by less are printed as one. Reason: rounding of cones, ten times ANGLE. Larger: a
# face is left out. Smaller: it is there twice.
SAME_FACE = 1e-9
# Share of a segment, at each end, that does not count when it is asked whether an edge crosses it: it may touch what it
# connects. Larger: an edge close to the end is passed over. Smaller: the ends cross.
ENDS_ASIDE = 1e-6

# --- pictures: what cannot be seen may be wrong ---

# Sine below which directions count as parallel, or lie in one plane. Larger: a slender cone is not drawn. Smaller: one
# edge is drawn twice.
DRAWN_PARALLEL = 1e-9
# Singular values that count as zero, of the unit tips of cones: then their sum is flat. Larger: a slender sum is drawn
# without faces. Smaller: faces are noise.
DRAWN_FLAT = 1e-7
# ... and of the rows N of the contacts: then they have one line in common. Larger: a line is drawn that is none.
# Smaller: one is left out.
DRAWN_RANK = 1e-9
# N h' = b can be met if what is left is below this, relative to b and the load. Larger: a line is drawn that is none.
# Smaller: one is left out.
DRAWN_MET = 1e-9
# An answer keeps all gaps closed if they open less than this, relative to the accelerations. Larger: an answer is drawn
# on the line that is beside it. Smaller: one is left out.
DRAWN_CLOSED = 1e-7
# Ends of an interval of c are one number if they differ by less, relative to them. Larger: a short interval is told as
# one number. Smaller: one number is told as an interval from itself to itself.
SAME_C = 1e-9
# A generator is a pure moment if its force is below this, of a unit wrench. Larger: a line of force far away is drawn
# as a moment. Smaller: a moment is drawn as a line of force at infinity.
PURE_MOMENT = 1e-9
# Half width of the slit through which a cone of lower dimension is drawn, of a unit wrench. Larger: it is seen to be
# wide. Smaller: nothing is left of it.
SLIT = 1e-9
# A ray meets a plane if its component across is above this. Larger: rays that meet it far out do not count. Smaller:
# the rays in the plane count.
MEETS_PLANE = 1e-6
# Coordinates or areas of a section, in units of the plane, that are zero. Larger: small sections vanish. Smaller: a
# division by rounding.
SECTION_ZERO = 1e-12
# A view is better than the one before by this, of a score of order one: so rounding does not choose. Larger: a worse
# view. Smaller: another machine may look from elsewhere.
BETTER_VIEW = 1e-9
# A whole number of frames or a round number is reached if this share of it is missing: the rounding of a quotient.
# Larger: a frame too few. Smaller: one too many.
WHOLE_NUMBER = 1e-12
# A round tick stands at a value of its axis if it is nearer than this, in lengths of the axis. Reason: both are decimal
# numbers, and differ by rounding. Larger: a tick beside a value is taken to stand at it. Smaller: ticks that stand at
# values are not seen to, and other round ones are taken.
SAME_TICK = 1e-9
# The part swings if it goes so far between two turns, in sizes of the part. Reason: about a dot of a picture. Larger: a
# movie that hides a swing is not told. Smaller: rounding of a part at rest is taken for a vibration.
SEEN_SWING = 1e-3
# Forces below this share of the largest are not drawn. Larger: forces are missing. Smaller: arrows without length.
DRAWN_FORCE = 1e-3
# Between rows of a log the motion is a polynomial; what of it is below this, relative to the size of the part and its
# distance from the origin (or a radian), is dropped, and rows that one polynomial meets to this share one. Reason: ten
# times below STEP_TOLERANCE, a thousand times above rounding. Larger: pages are shorter, and less exact. Smaller: a
# parabola of many rows becomes many pieces, and rounding is taken for higher powers.
PIECE_ROUNDING = 1e-12
# ... and accelerations count where the polynomial that meets them lies no farther from the cubic of places and
# velocities than this share of what that lies from a lower degree. Reason: where rows resolve a motion the share falls
# with the square of their distance. Up to it, which a decay to a hundredth and half a vibration between two rows reach,
# accelerations bring the polynomial nearer to both. Larger: a stroke against a stiff damper overshoots. Smaller:
# vibrations of four rows a period are less exact than by parabolas.
PIECE_RESOLVED = 0.5
# Chords lie at most this far off the arcs that they are drawn for, in heights of the picture. Reason: a tenth of a dot
# in a picture of 1000 dots. Larger: arcs have corners. Smaller: frames of movies take longer.
DRAWN_CHORD = 1e-4
# A contact of a log is one of an arc if the centre of that lies where radius and normal say, to this share of the size
# of the body. Reason: rows are exact to rounding. Larger: a vertex beside an arc is carried as if it were round.
# Smaller: the contact of an arc far from the origin rides with the part between two rows.
ON_ARC = 1e-7

# --- files ---

# A plane of bytes of a log is compressed where from this share of its places on three bytes repeat, the fewest that a
# match is made of. Reason: random bytes do so once in 16 million, and those of four values once in 64. Larger: files
# grow. Smaller: bytes that hardly get fewer are compressed, at a twentieth of the speed.
REPEATING_BYTES = 1 / 8

# Seconds that rows of a log wait at most, while others come, until they are committed. Reason: a commit takes
# milliseconds, and the part of a chunk that it writes is not compressed. Larger: a kill loses more. Smaller: logs of
# fast runs grow.
COMMIT_AFTER = 1.0

# --- plans of tilts ---

# A feature touches in a pose at rest where its gap is below this, relative to the size of the part. Reason: poses at
# the ends of runs are on their constraints to 1e-12, and what touches without force may have come off by as much again
# and again. Larger: a slit that was drawn is closed. Smaller: one pose is taken for two, by what happens to touch.
TOUCHING = 1e-9
# Two poses at rest with the same contacts are one if places, relative to the size of the part, and angles [rad] differ
# by less; and normals that are independent to less leave a way to move. Reason: two runs that come to rest in a corner
# differ by rounding times the condition of it. Larger: places along a wall become one. Smaller: a plan is not found,
# for one pose is taken for two.
SAME_REST = 1e-6
