"""See `planting`."""

import sys

from .planting import main

sys.exit(main(sys.argv[1:]))
