"""Impact of a single contact by small steps of the normal impulse (Darboux and Keller), slow and obvious."""

from __future__ import annotations


def integrate_impact(rows, velocity, law, e, pieces=4_000):
    """(Pn, Pt) for rows = (N.N, N.T, T.T, mu), velocity = (vn, vt), law "newton", "poisson" or "stronge"."""
    nn, nt, tt, mu = rows
    vn, vt = velocity
    pn = pt = work = 0.0
    step = abs(vn) / nn / pieces
    compression = None  # (impulse, work) at its end
    first_sign = (vt > 0) - (vt < 0)
    stuck_or_reversed = vt == 0.0
    while True:
        if stuck_or_reversed:
            sign = 0 if mu * tt >= abs(nt) else (1 if nt > 0 else -1)
        else:
            sign = first_sign
        friction = -nt / tt if sign == 0 else -sign * mu
        before = vn
        vn += step * (nn + friction * nt)
        vt = 0.0 if sign == 0 else vt + step * (nt + friction * tt)
        pn, pt, work = pn + step, pt + step * friction, work + step * 0.5 * (before + vn)
        if not stuck_or_reversed and vt * first_sign <= 0.0:
            stuck_or_reversed, vt = True, 0.0
        if compression is None and vn >= 0.0 and nn + friction * nt > 0.0:
            compression = pn, work
        if compression is not None:
            impulse, lost = compression
            if law == "newton" and vn >= -e * min(velocity[0], 0.0):
                return pn, pt
            if law == "poisson" and pn >= (1.0 + e) * impulse:
                return pn, pt
            if law == "stronge" and work - lost >= -e * e * lost:
                return pn, pt
