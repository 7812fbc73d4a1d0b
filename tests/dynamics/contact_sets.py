"""Contacts for the tests of modes and wrench cones: at random, and those that papers and textbooks use."""

import numpy as np

from dynamics.cones.contact_set import ContactSet, place_contacts

# points, inward normals, number of modes
PUBLISHED = [
    ([(0, 1), (1, 0.5), (1, -0.5), (-1, 0)], [(0, -1), (-1, 0), (-1, 0), (1, 0)], 2),
    ([(-1, 0)], [(1, 0)], 4),
    ([(-1, 1), (-1, 0), (0, -1), (1, -1)], [(1, 0), (1, 0), (0, 1), (0, 1)], 14),
    ([(1, 0), (0, 1), (-1, 0), (0, -1)], [(-1, 0), (0, -1), (1, 0), (0, 1)], 3),
    ([(0, 1), (-1, 0)], [(0, -1), (1, 0)], 10),
    ([(-1, -0.5), (-1, -1), (-1, -1), (1, -0.5), (1, -1), (1, -1)],
     [(1, 0), (1, 0), (0, 1), (-1, 0), (-1, 0), (0, 1)], 2),
    ([(0.5, 1), (-0.5, 1)], [(0, -1), (0, -1)], 10),
]


def make_generic(rng, k: int) -> ContactSet:
    """k contacts anywhere, in any direction; some are only near."""
    normals = rng.normal(size=(k, 2))
    return place_contacts(rng.normal(size=(k, 2)), normals, rng.uniform(0.0, 1.5, size=k), rng.normal(size=2),
                          rng.uniform(0.3, 2.0), rng.random(k) < 0.8)


def make_degenerate(rng, k: int) -> ContactSet:
    """k contacts on a lattice, normals along the axes: parallel, opposed and coincident ones, special friction."""
    normals = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])[rng.integers(0, 4, size=k)]
    return place_contacts(rng.integers(-1, 2, size=(k, 2)), normals, rng.choice([0.0, 0.5, 1.0, 2.0], size=k), (0, 0),
                          1.0, rng.random(k) < 0.8)


def paper_disc() -> ContactSet:
    """The example of Balkcom, Gottlieb and Trinkle (2002), section 4: a disc on fixel 1, near fixel 2."""
    return place_contacts([(0, -1), (1, 0)], [(0, 1), (-1, 0)], 0.2, closed=[True, False])


def paper_4a() -> ContactSet:
    """In the manner of their Figure 4a: over fixels 1 and 2 to fixel 3."""
    return place_contacts([(-1, -1), (1, -1), (-1.2, 0)], [(0, 1), (0, 1), (1, 0)], 0.2, closed=[True, True, False])


def paper_4c() -> ContactSet:
    """In the manner of their Figures 4c and 4d: a peg between two walls, near the bottom."""
    return place_contacts([(1, -0.2), (-1, 0.2), (0, -1)], [(-1, 0), (1, 0), (0, 1)], 0.5, closed=[True, True, False])


def turn(contacts: ContactSet, angle: float) -> ContactSet:
    """The whole scene turned by an angle about the centre of mass."""
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.array([[c, s], [-s, c]])
    return place_contacts(contacts.points @ matrix, contacts.normals @ matrix, contacts.mu, rho=contacts.rho,
                          closed=contacts.closed)
