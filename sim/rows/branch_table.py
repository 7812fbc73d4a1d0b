"""The row that a log keeps of each branch of a tree: its fields, their units and meaning."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.rows.account import ACCOUNT_DTYPE, ACCOUNT_FIELDS, Account, pack_account, unpack_account
from sim.rows.records import build_dtype
from sim.rows.status import Status, find_status

NO_PARENT = -1  # number of the parent of the first branch
ROW_TABLES = ("steps", "contacts", "events", "impulses")  # a branch owns consecutive rows of each
TAKEN_BYTES, MESSAGE_BYTES = 256, 1024
ACCOUNT_PREFIX = "account_"
FIRST_FIELDS = tuple(f"first_row_{table}" for table in ROW_TABLES)
COUNT_FIELDS = tuple(f"n_rows_{table}" for table in ROW_TABLES)
MEMBER_FIELDS = ("member_x", "member_y", "member_q")

BRANCH_FIELDS = (
    ("number", "i8", "1", "number of the branch, 0 for the first"),
    ("parent", "i8", "1", "number of the branch that split into this one, -1 for the first"),
    ("depth", "i8", "1", "number of splits before it"),
    ("time", "f8", "s", "time of the split that it begins with"),
    ("taken", f"S{TAKEN_BYTES}", "1", "what it takes there: acceleration or velocity, and the letters of its mode"),
    ("sample", "i8", "1", "1 if the member that it takes is one of a continuum, else 0"),
    ("has_member", "i8", "1", "1 if it takes a member of a set, 0 for the first branch"),
    *((name, "f8", "m/s^2 or m/s", "acceleration or velocity that it takes: x, y, rho theta")
      for name in MEMBER_FIELDS),
    ("followed", "i8", "1", "1 if it was followed and has rows of its own, else 0"),
    *((name, "i8", "1", "first row of the branch in /steps, /contacts, /events, /impulses") for name in FIRST_FIELDS),
    *((name, "i8", "1", "number of its rows in /steps, /contacts, /events, /impulses") for name in COUNT_FIELDS),
    ("status", "i8", "1", "code of how it ended, as in the attribute `status` of the file"),
    ("message", f"S{MESSAGE_BYTES}", "1", "what else there is to say about its end"),
    ("merged_into", "i8", "1", "number of the branch whose motion it goes on as, -1 if none"),
    ("first_child", "i8", "1", "number of the first of the branches that it splits into, -1 if none"),
    ("n_children", "i8", "1", "number of the branches that it splits into; they are numbered in a row"),
    *((f"{ACCOUNT_PREFIX}{name}", kind, unit, meaning) for name, kind, unit, meaning in ACCOUNT_FIELDS),
)
BRANCH_DTYPE = build_dtype(BRANCH_FIELDS)


def pack_branch(branch: Any, first_rows: tuple[int, ...]) -> np.ndarray:
    """(1,) BRANCH_DTYPE: the row of a `Branch`; `first_rows`: where its own rows begin in each of ROW_TABLES."""
    row = np.zeros(1, BRANCH_DTYPE)
    for name in ("number", "parent", "depth", "time", "sample", "merged_into"):
        row[name] = getattr(branch, name)
    row["taken"] = encode_cut(branch.taken, TAKEN_BYTES)
    row["status"] = int(branch.status)
    row["first_child"], row["n_children"] = min(branch.children, default=-1), len(branch.children)
    if branch.member is not None:
        row["has_member"] = 1
        for name, value in zip(MEMBER_FIELDS, branch.member, strict=True):
            row[name] = value
    rows = branch.rows
    if rows is not None:
        row["followed"] = 1
        row["message"] = encode_cut(rows.message, MESSAGE_BYTES)
        for name, table in zip(COUNT_FIELDS, ROW_TABLES, strict=True):
            row[name] = len(getattr(rows, table))
        account = pack_account(rows.account)
        for name, *_ in ACCOUNT_FIELDS:
            row[f"{ACCOUNT_PREFIX}{name}"] = account[name]
    for name, first in zip(FIRST_FIELDS, first_rows, strict=True):
        row[name] = first
    return row


def unpack_status(row: np.void) -> tuple[Status, Account | None, str]:
    """How a branch ended, its account since the start (None: missing), and its message."""
    account = np.zeros(1, ACCOUNT_DTYPE)[0]
    for name in ACCOUNT_DTYPE.names or ():
        account[name] = row[f"{ACCOUNT_PREFIX}{name}"]
    return find_status(row["status"]), unpack_account(account), row["message"].decode("utf-8", "replace")


def encode_cut(text: str, size: int) -> bytes:
    """UTF-8 of at most `size` bytes without NUL; a text that is too long ends with an ellipsis."""
    encoded = text.replace("\0", " ").encode("utf-8", "replace")
    if len(encoded) <= size:
        return encoded
    return encoded[: size - 3].decode(errors="ignore").encode() + "…".encode()
