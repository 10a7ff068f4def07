"""The command line: parse, call one function, show."""

from thatch.cli.app import main

__all__ = ["main"]
