"""`python -m minigrad` runs the command line."""

import sys

from minigrad.cli import main

sys.exit(main())
