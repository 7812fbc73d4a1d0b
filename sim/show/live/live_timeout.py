"""Connections that ask for nothing are closed: the library waits for the head of a request as long as it takes."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# The head of a request must be there after so long [s]. Larger: silent connections hold their places.
LONGEST_HEAD = 10.0


class HastyProtocol(H11Protocol):
    """HTTP of uvicorn, with a limit of time from the first byte of a head, or the connection, to its end."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._limit = self.loop.call_later(LONGEST_HEAD, transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_clock()
        elif self._limit is None:
            self._limit = self.loop.call_later(LONGEST_HEAD, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def _stop_clock(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
