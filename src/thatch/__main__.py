"""``python -m thatch``."""

from thatch.cli import main

main()
