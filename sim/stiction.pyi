"""What `stiction` offers, for type checkers; in a wheel it is `stiction-stubs`."""

from dynamics import *  # noqa: F403
from geometry import *  # noqa: F403
from sim import *  # noqa: F403

__version__: str
