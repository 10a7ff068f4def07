"""What pytest leaves alone: modules for a GPU, where there is no CuPy to import."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("cupy") else ["src/thatch/*gpu*.py"]
