"""Every way a run can end."""

import pytest

from sim.rows.status import Status, find_status

# Log files hold these numbers: a change here makes old logs say something else.
CODES = {
    "RUNNING": 0,
    "COMPLETED": 1,
    "INTERRUPTED": 2,
    "NO_SOLUTION": 3,
    "NOT_UNIQUE": 4,
    "NO_IMPACT_SOLUTION": 5,
    "STALLED": 6,
    "STEP_LIMIT": 7,
    "CAPACITY": 8,
    "CONSTRAINT_LOST": 9,
    "STEP_TOO_SMALL": 10,
    "DISK_FULL": 11,
    "WRITE_FAILED": 12,
    "FAILED": 13,
    "NOT_FINITE": 14,
    "LAWS_BROKEN": 15,
    "SPLIT": 16,
    "MERGED": 17,
    "NOT_FOLLOWED": 18,
}


def test_codes_never_change():
    assert {name: int(status) for name, status in Status.__members__.items() if name in CODES} == CODES


@pytest.mark.parametrize("status", Status)
def test_each_status_says_what_happened_and_what_to_do(status):
    for text in (status.happened, status.advice):
        assert text[0].isupper() and text.endswith(".") and 15 < len(text) < 250
    assert status.happened in status.describe() and status.advice in status.describe()
    assert status.describe().startswith(status.name)
    assert str(status) == f"{status}" == status.name
    assert Status(int(status)) is status is find_status(int(status))


def test_sentences_differ():
    assert len({status.happened for status in Status}) == len({status.advice for status in Status}) == len(Status)


def test_only_completed_is_completed():
    assert [status for status in Status if status.completed] == [Status.COMPLETED]


def test_a_code_of_the_future_is_no_success():
    assert find_status(999) is Status.FAILED
