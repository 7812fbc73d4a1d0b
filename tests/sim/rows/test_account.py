"""The energy balance of an account: what is left over, relative to the largest of the terms, whichever that is."""

from __future__ import annotations

import pytest

from sim.rows.account import compute_energy_residual

TERMS = ("start", "end", "load", "friction", "impact", "pushed")


@pytest.mark.parametrize(("largest", "sign"), [*((name, 1.0) for name in TERMS), *((name, -1.0) for name in TERMS[2:])])
def test_the_rest_is_relative_to_the_largest_term(largest, sign):
    """One large term, what balances it spread over the others, and 1e-3 J that nothing explains."""
    terms = dict.fromkeys(TERMS, 0.0)
    terms[largest] = 8.0 * sign
    want = terms["end"] - terms["start"] - sum(terms[name] for name in TERMS[2:])  # what the others must still make up
    others = [name for name in TERMS[2:] if name != largest]
    for name in others:
        terms[name] += want / len(others)
    terms[others[0]] += 1e-3
    assert compute_energy_residual(*terms.values(), 0.0) == pytest.approx(1e-3 / 8.0, rel=1e-9)
    assert compute_energy_residual(*terms.values(), 2e-3) == 0.0
    terms[others[0]] -= 1e-3
    assert compute_energy_residual(*terms.values(), 0.0) == pytest.approx(0.0, abs=1e-15)


def test_nothing_happened():
    assert compute_energy_residual(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) == 0.0
