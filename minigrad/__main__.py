"""`python -m minigrad` is the command line."""

import sys

from minigrad.cli import main

sys.exit(main())
