"""Worked instances with known answers: the rod of Painleve and Loetstedt, several contacts, the block, the ladder.

Names follow the phenomenon; tolerances follow the printed digits.
"""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import find_accelerations
from tests.dynamics.problems import make_problem

UP, LEFT, RIGHT = (0.0, 1.0), (-1.0, 0.0), (1.0, 0.0)
ROD = 3**-0.5  # radius of gyration of a uniform rod of half length 1
TAN2 = np.arctan(2.0)


def members(answer) -> np.ndarray:
    """Isolated members, sorted."""
    assert all(p.dimension == 0 for p in answer.pieces), answer
    points = np.array([p.vertices[0] for p in answer.pieces]).reshape(-1, 3)
    return points[np.lexsort(points.T[::-1].round(6))]


def expect(answer, rows, digits=6) -> None:
    """The set is exactly these points."""
    rows = np.array(rows, float).reshape(-1, 3)
    rows = rows[np.lexsort(rows.T[::-1].round(6))]
    got = members(answer)
    assert got.shape == rows.shape, f"{answer}\nexpected {rows}"
    assert np.abs(got - rows).max(initial=0.0) <= 0.6 * 10.0**-digits * max(1.0, np.abs(rows).max(initial=0.0)), answer
    assert answer.kind == ("none", "one", "several")[min(len(rows), 2)]
    for piece in answer.pieces:
        assert piece.residuals[0].worst <= 1e-9 * max(1.0, np.abs(piece.vertices).max()), piece.residuals


def figure5(force, mu=0.25, slip=0):
    """Three contacts on a horizontal edge, left, right, middle; rho = 1 (multiple contacts, Figure 5)."""
    return find_accelerations(make_problem(force, [(UP, r, slip, mu) for r in ((1, 1), (-1, 1), (0, 1))]))


@pytest.mark.parametrize(("force", "a", "mode"), [
    ((0.1, -1, 0), (0, 0, 0), "nnn"), ((0.25, -1, 0), (0, 0, 0), "nnn"), ((0, -1, 1), (0, 0, 0), "nnn"),
    ((0.5, -1, 0), (0.25, 0, 0), "rrr"), ((-0.5, -1, 0.5), (-0.25, 0, 0), "lll"),
    ((0, -1, -2), (1 / 3, 1 / 3, -1 / 3), "sns"), ((1, -1, -2), (2 / 3, 2 / 3, -2 / 3), "sns"),
    ((0, -1, 2), (-1 / 3, 1 / 3, 1 / 3), "nss"), ((0, 0, -1), (1 / 9, 4 / 9, -4 / 9), "sls"),
    ((0, 0.2, 1), (-4 / 45, 5 / 9, 5 / 9), "rss"), ((0, 1, 0.5), (0, 1, 0.5), "sss"),
])
def test_three_contacts_at_rest(force, a, mode):
    answer = figure5(force)
    expect(answer, [a], 9)
    assert answer.pieces[0].mode == mode


def test_three_contacts_sliding():
    expect(figure5((0, -1, 0), slip=1), [(-0.25, 0, 0)], 12)


def test_three_contacts_pivot_sits_on_the_edge():
    piece = figure5((0, -1, -2)).pieces[0]
    assert np.allclose(piece.forces[0], [(0, 0), (4 / 3, 1 / 3), (0, 0)], atol=1e-12)
    assert piece.forces_unique


def test_three_contacts_ambiguous_above_threshold():
    expect(figure5((-4, 1, 0), mu=4), [(-4, 1, 0), (-5 / 3, 5 / 3, 5 / 3), (-2, 1.5, 1.5)], 12)


def test_three_contacts_unique_below_threshold(rng):
    for mu in (0.9, 1.1, 1.9):
        for _ in range(60):
            force = rng.normal(size=3)
            assert figure5(force, mu).kind == "one", (force, mu)


def test_pure_horizontal_force_pivots_at_high_friction():
    expect(figure5((1.5, -1, 0), mu=1.2), [(1 / 6, 1 / 6, -1 / 6)], 9)


def rows_of_motion(force, mu):
    """The complete set of motions of the three-contact body at rest, row by row of its table."""
    fx, fy, fq = force
    g, out = -fy, []
    if fy >= abs(fq):
        out.append(force)
    if g >= 0 and abs(fx) <= mu * g and abs(fq - fx) <= g:
        out.append((0, 0, 0))
    for sg in (1, -1):
        if g >= 0 and sg * fx > mu * g and abs(fq - sg * mu * g) <= g:
            out.append((fx - sg * mu * g, 0, 0))
        for side in (1, -1):  # right, left
            denominator = 2 - side * sg * mu
            fn = -(fy + side * fq) / denominator
            a = np.add(force, fn * np.array([-sg * mu, 1, side - sg * mu]))
            if fn >= 0 and a[1] > 0 and sg * (a[0] + a[2]) > 0:
                out.append(a)
    lam, fn, ft = (fx + fy - fq) / 3, -(2 * fy + fq - fx) / 3, (2 * fx + fq - fy) / 3
    if lam > 0 and fn >= 0 and abs(ft) <= mu * fn:
        out.append(lam * np.array([1, 1, -1]))
    lam, fn, ft = (-fx + fy + fq) / 3, -(2 * fy - fq + fx) / 3, (2 * fx + fq + fy) / 3
    if lam > 0 and fn >= 0 and abs(ft) <= mu * fn:
        out.append(lam * np.array([-1, 1, 1]))
    return out


@pytest.mark.parametrize("mu", [0.25, 0.9, 1.5, 1.9, 2.5, 4.0])
def test_three_contacts_table_of_motions(mu, rng):
    for _ in range(60):
        force = rng.normal(size=3)
        expect(figure5(force, mu), rows_of_motion(force, mu), 8)


def rod(omega, mu, slip, theta=TAN2, kappa=1 / 3, w=(0, -10, 0)):
    """Rod of half length 1 with its lower end on the floor."""
    c, s = np.cos(theta), np.sin(theta)
    contact = (UP, (c, s), slip, mu, omega**2 * s, omega**2 * c)
    return find_accelerations(make_problem(w, [contact], kappa**0.5))


@pytest.mark.parametrize(("omega", "mu", "slip", "theta", "rows"), [
    (0, 1, -1, TAN2, [(25, 15, 33.541019662)]), (4, 1, -1, TAN2, [(0, -10, 0)]),
    (0, 2, -1, TAN2, []), (3, 2, -1, TAN2, []),
    (4, 2, -1, TAN2, [(0, -10, 0), (10.777087640, -4.611456180, 21.688470506)]),
    (0, 2, 1, TAN2, [(-5, -7.5, -16.770509831)]), (4, 2, 1, TAN2, [(0, -10, 0)]),
    (0, 1.3, -1, TAN2, [(325, 240, 536.656314600)]),
    (4, 2, -1, np.pi / 4, [(0, -10, 0), (5.254833996, -7.372583002, 5.573593129)]),
])
def test_painleve_rod(omega, mu, slip, theta, rows):
    expect(rod(omega, mu, slip, theta), [(x, y, alpha * ROD) for x, y, alpha in rows], 8)


def test_painleve_rod_explains_itself():
    assert "contact 0 dips" in rod(0, 2, -1).explain()
    assert "exactly one" in rod(0, 2, 1).explain()


def test_painleve_table(rng):
    for _ in range(400):
        theta, mu, omega = rng.uniform(0.05, 1.5), rng.uniform(0, 3), rng.uniform(0, 6)
        slip, kappa = int(rng.choice([-1, 1])), rng.uniform(0.1, 1)
        a = 1 + np.cos(theta) * (np.cos(theta) + slip * mu * np.sin(theta)) / kappa
        b0 = omega**2 * np.sin(theta) - 10
        kind = ("one" if a > 0 else "none") if b0 < 0 else ("one" if a > 0 else "several")
        assert rod(omega, mu, slip, theta, kappa).kind == kind, (theta, mu, omega, slip, kappa)


def test_genot_brogliato_point_is_a_ray():
    answer = rod(np.sqrt(5 * np.sqrt(5)), 4 / 3, -1)
    assert answer.kind == "continuum" and len(answer.pieces[0].rays) == 1, answer


def test_rod_at_rest_sticks_from_six_seventeenths():
    piece = rod(0, 0.353, 0).pieces[0]
    assert piece.mode == "n" and np.allclose(piece.forces[0], [(8.5, 3)], atol=1e-9)
    assert np.allclose(piece.vertices[0], (3, -1.5, -1.936491673), atol=1e-9)
    piece = rod(0, 0.3, 0).pieces[0]
    assert piece.mode == "l" and np.isclose(piece.forces[0, 0, 0], 8.064516, atol=1e-6)
    assert np.allclose(piece.vertices[0], (2.419354839, -1.935483871, -2.498698933), atol=1e-9)


def test_three_solutions_at_rest():
    answer = rod(0, 4, 0, w=(-1.3, -0.35, -1.742842506))
    expect(answer, [(-1.3, -0.35, -1.742842506), (0, 0, 0), (-0.05, -0.0375, -0.048412292)], 8)
    assert sorted(p.mode for p in answer.pieces) == ["l", "n", "s"]


def test_rod_between_walls_is_a_continuum():
    def solve(slip):
        return find_accelerations(make_problem((0, -10, 0), [(RIGHT, RIGHT, slip, 0.5), (LEFT, LEFT, -slip, 0.5)], ROD))

    rest, falling, rising = solve(0), solve(1), solve(-1)
    assert rest.kind == falling.kind == rising.kind == "continuum"
    assert len(rest.pieces) == 1 and sorted(rest.pieces[0].vertices[:, 1]) == [-10, 0], rest
    # slip of the left contact along t = (0, -1): positive is falling
    assert np.allclose(falling.pieces[0].rays, [(0, 1, 0)]) and np.allclose(falling.pieces[0].vertices, [(0, -10, 0)])
    assert np.allclose(rising.pieces[0].rays, [(0, -1, 0)]) and np.allclose(rising.pieces[0].vertices, [(0, -10, 0)])


@pytest.mark.parametrize(("tangent", "normal_force"), [(0.3, 25.0), (0.49, 500.0), (0.51, None)])
def test_tilted_rod_jams_or_falls(tangent, normal_force):
    u = np.array([1.0, tangent]) / np.hypot(1, tangent)
    answer = find_accelerations(make_problem((0, -10, 0), [(RIGHT, u, 0, 0.5), (LEFT, -u, 0, 0.5)], ROD))
    rows = [(0, -10, 0)] + ([(0, 0, 0)] if normal_force else [])
    expect(answer, rows, 9)
    if normal_force:
        stuck = next(p for p in answer.pieces if abs(p.vertices[0, 1]) < 1)
        assert np.allclose(stuck.forces[0, :, 0], normal_force, rtol=1e-9)


@pytest.mark.parametrize(("h", "mu", "tau", "rows"), [
    (1, 0.75, 0, [(0, 0, 0), (0, -10, 0)]), (1, 0.75, 4, [(0, 0, 0), (0, -4, 0)]), (1, 0.75, 7, [(0, 0, 0)]),
    (1, 0.75, -1, [(0, 0, 0), (0, -10, -1)]), (1, 0.4, 4, [(0, -6.8, 0)]),
])
def test_two_point_peg(h, mu, tau, rows):
    answer = find_accelerations(
        make_problem((0, -10, tau), [(RIGHT, (1, -h / 2), 0, mu), (LEFT, (-1, h / 2), 0, mu)])
    )
    expect(answer, rows, 12)


def ladder(theta, mu, slip, gravity=10.0):
    """Uniform ladder against the wall x = 0: foot on the floor at the right, top on the wall."""
    c, s = np.cos(theta), np.sin(theta)
    foot, top = (UP, (-c, s), slip, mu), (RIGHT, (c, -s), slip, mu)  # top: t = (0, -1), positive is down
    return find_accelerations(make_problem((0, -gravity, 0), [foot, top], ROD))


@pytest.mark.parametrize(("mu", "slip", "rows"), [
    (0.25, 1, [(0.239608, -0.138338, 0.159739)]), (0.3, -1, [(6.628599, -3.827023, 4.419066)]),
    (1.0, -1, [(22.5, -12.990381, 15)]), (1.42, -1, []), (1.6, -1, []),
])
def test_ladder_sliding_at_60_degrees(mu, slip, rows):
    expect(ladder(np.pi / 3, mu, slip), [(x, y, q) for x, y, q in rows], 6)


def test_ladder_static_limit():
    limit = np.arctan((1 - 0.25**2) / 0.5)
    assert np.isclose(np.degrees(limit), 61.9275, atol=1e-4)
    assert np.abs(members(ladder(limit + 1e-4, 0.25, 0))).max() == 0
    assert np.abs(members(ladder(limit - 1e-4, 0.25, 0))).max() > 1e-5


@pytest.mark.parametrize(("mu", "tau", "low", "high"), [
    (2.0, 1.0, -2.236068, -0.745356), (0.5, 1.0, -np.inf, -0.372678), (2.0, -1.0, None, None),
])
def test_painleve_klein_slot_is_a_continuum(mu, tau, low, high):
    u = np.array([np.cos(TAN2), np.sin(TAN2)])
    down = (0.0, -1.0)  # t of a ceiling is (-1, 0): the same motion to the right is a negative slip there
    contacts = [(UP, u, 1, mu), (down, u, -1, mu), (UP, -u, 1, 0), (down, -u, -1, 0)]
    answer = find_accelerations(make_problem((0, 0, tau / ROD), contacts, ROD))
    assert answer.kind == ("none" if low is None else "continuum"), answer
    if low is None:
        return
    piece = answer.pieces[0]
    assert np.isclose(piece.vertices[:, 0].max(), high, atol=1e-6), answer
    if np.isinf(low):
        assert np.allclose(piece.rays, [(-1, 0, 0)]), answer
    else:
        assert np.isclose(piece.vertices[:, 0].min(), low, atol=1e-6) and len(piece.rays) == 0, answer


@pytest.mark.parametrize(
    ("mu", "fn", "ft"), [(1, 0.357143, -0.357143), (10, 0.0735294, -0.7352941), (np.inf, 0, -5 / 6)]
)
@pytest.mark.parametrize("slip", [0, 1])
def test_slip_with_infinite_friction(mu, fn, ft, slip):
    answer = rod(0, mu, slip, w=(3.7, 2.15, 4.066632514))
    assert answer.kind == "one" and answer.pieces[0].mode == "r"
    assert np.allclose(answer.pieces[0].forces[0], [(fn, ft)], atol=1e-6)
    if mu == np.inf:
        assert np.allclose(answer.pieces[0].vertices, [(2.866667, 2.15, 2.775639)], atol=1e-6)


def groove(tau, slip):
    """Disc of radius 1 in a 90 degree groove, mu = 0.5, g = 10; rho^2 = 1/2."""
    normals = [np.array([1, 1]) / np.sqrt(2), np.array([-1, 1]) / np.sqrt(2)]
    contacts = [(n, n, slip, 0.5) for n in normals]
    return find_accelerations(make_problem((0, -10, tau * np.sqrt(2)), contacts, np.sqrt(0.5)))


def test_disc_in_groove():
    limit = 10 * np.sqrt(2) * 0.5 / 1.25
    assert np.isclose(limit / 10, 0.5656854)
    expect(groove(limit - 1e-3, 0), [(0, 0, 0)], 9)
    assert members(groove(limit + 1e-3, 0))[0, 2] > 0
    turning = groove(6.0, 0)
    alpha = members(turning)[0, 2] / np.sqrt(0.5)
    assert np.isclose(alpha, 0.686292, atol=1e-6) and np.isclose(members(turning)[0, 2], 0.485281, atol=1e-6)
    assert turning.pieces[0].mode == "rr"  # T.v = omega v_q / rho: the disc turns counter-clockwise
    assert np.isclose(members(groove(0.0, 1))[0, 2] / np.sqrt(0.5), -11.313708, atol=1e-6)


@pytest.mark.parametrize(("h", "mu", "rows"), [
    (1, 0.5, [(5, 0, 0)]), (1, 1.5, [(30, 10, 10)]), (2, 0.8, [(20, 15, 15)]), (2, 1.2, []),
])
def test_two_point_slider_to_the_left(h, mu, rows):
    contacts = [(UP, (1, h), -1, mu), (UP, (-1, h), -1, mu)]
    expect(find_accelerations(make_problem((0, -10, 0), contacts)), rows, 9)


def square_in_corner(mu, walls):
    """Square on the floor, in the corner with a wall at its left; gravity 50 degrees off the floor's normal."""
    tilt = np.radians(50)
    w = (10 * np.sin(tilt), -10 * np.cos(tilt), 0)
    contacts = [(UP, (1, 1), 0, mu), (UP, (-1, 1), 0, mu)] + [(RIGHT, r, 0, mu) for r in walls]
    return find_accelerations(make_problem(w, contacts, np.sqrt(2 / 3)))


def test_square_in_a_corner_slides_at_low_friction():
    expect(square_in_corner(0.3, [(1, 1), (1, -1)]), [(5.732082, 0, 0)], 6)


def test_square_in_a_corner_jams_or_tips():
    tip = (0.462213, 0.462213, -0.377395)
    expect(square_in_corner(1.2, [(1, -1)]), [(0, 0, 0), tip], 6)
    # with the lower corner on the wall as well, tipping may drag along the wall: everything between the two is possible
    answer = square_in_corner(1.2, [(1, 1), (1, -1)])
    assert answer.kind == "continuum" and len(answer.pieces) == 1
    assert np.allclose(sorted(answer.pieces[0].vertices[:, 0]), (0, tip[0]), atol=1e-6)


@pytest.mark.parametrize(("beta", "mu", "h", "rows"), [
    (20, 0.5, 1, (0, 0, 0)), (30, 0.5, 1, (0.669873, 0, 0)), (30, 0.7, 3, (1.426443, 0.475481, -0.475481)),
    (60, 0.45, 3, (6.146288, 0.586592, -0.586592)), (70, 0.5, 3, (7.385043, 0.603565, -0.603565)),
    (45, 2, 2, (2.121320, 1.060660, -1.060660)),
])
def test_block_on_incline(beta, mu, h, rows):
    s, c = np.sin(np.radians(beta)), np.cos(np.radians(beta))
    rho = np.sqrt((1 + h * h) / 3)
    contacts = [(UP, (1, h), 0, mu), (UP, (-1, h), 0, mu)]
    answer = find_accelerations(make_problem((10 * s, -10 * c, 0), contacts, rho))
    x, y, alpha = rows
    expect(answer, [(x, y, alpha * rho)], 6)


@pytest.mark.parametrize(("mu", "a", "alpha"), [(0.25, 10 / 3, -10 / 3), (0.192, 3.337231, -3.325538)])
def test_disc_on_incline(mu, a, alpha):
    s, c, rho = 0.5, np.sqrt(0.75), np.sqrt(0.5)
    answer = find_accelerations(make_problem((10 * s, -10 * c, 0), [(UP, (0, 1), 0, mu)], rho))
    expect(answer, [(a, 0, alpha * rho)], 6)
    assert answer.pieces[0].mode == ("n" if mu > np.tan(np.pi / 6) / 3 else "r")


def test_falling_pencil_friction():
    """Uniform rod that has turned about its end from the vertical: forces of the closed form while it sticks."""
    for degrees in (10.0, 35.096801, 60.0):
        t = np.radians(degrees)
        c, s = np.cos(t), np.sin(t)
        omega2 = 1.5 * 10 * (1 - c)  # energy of a rod of half length 1 about its end
        contact = (UP, (s, c), 0, 10.0, omega2 * c, omega2 * s)
        piece = find_accelerations(make_problem((0, -10, 0), [contact], ROD)).pieces[0]
        assert piece.mode == "n"
        assert np.isclose(piece.forces[0, 0, 0] / 10, (3 * c - 1) ** 2 / 4, atol=1e-12)
        assert np.isclose(abs(piece.forces[0, 0, 1]) / 10, abs(0.75 * s * (3 * c - 2)), atol=1e-12)


def test_tight_peg_of_four_contacts():
    """Untilted peg of zero clearance: tips oppose tips, so sticking is always possible."""
    def solve(force_q):
        corners = [(RIGHT, (1, y), 0, 0.3) for y in (0, -1)] + [(LEFT, (-1, y), 0, 0.3) for y in (0, -1)]
        return find_accelerations(make_problem((0, -1, force_q), corners))

    answer = solve(1.6)
    ys = np.concatenate([p.vertices[:, 1] for p in answer.pieces])
    assert answer.kind == "continuum" and np.isclose(ys.min(), -0.04) and np.isclose(ys.max(), 0), answer
    expect(solve(1.7), [(0, 0, 0)], 12)
