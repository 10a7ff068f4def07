"""Problem instances: random, small with known optimum, and from files."""

from thatch.problem.instances.files import (
    FileFormat,
    read_instance,
    write_instance,
    write_program,
)

__all__ = ["FileFormat", "read_instance", "write_instance", "write_program"]
