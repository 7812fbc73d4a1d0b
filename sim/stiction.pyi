"""What `stiction` offers, for type checkers; in a wheel it is `stiction-stubs`."""

from dynamics import *
from geometry import *
from sim import *

__version__: str
