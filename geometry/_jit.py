"""The one decorator for compiled code."""

from __future__ import annotations

import numba

jit = numba.njit(cache=True, nogil=True)
