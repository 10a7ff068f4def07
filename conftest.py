"""What pytest leaves alone: what cannot be imported on this system."""

import sys
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("cupy") else ["src/thatch/*gpu*.py"]
# Fuzzed commands run in forked processes with a limit of memory.
collect_ignore = [] if sys.platform == "linux" else ["tests/fuzz"]
