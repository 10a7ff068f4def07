"""Compile ``thatch._kernels``; everything else is in ``pyproject.toml``."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/thatch/_kernels")


class BuildKernels(build_ext):
    """Build with OpenMP where the compiler has it, on one thread where it has not."""

    def build_extensions(self) -> None:
        """Compile all kernels with the flags that the first one was built with."""
        windows = self.compiler.compiler_type == "msvc"
        # Contracted multiply-adds round differently from machine to machine; errno and
        # traps, which nobody asks for, keep a square root from being vectorized.
        portable = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
        portable = ["/O2"] if windows else portable
        openmp = (
            [] if sys.platform == "darwin" else ["/openmp" if windows else "-fopenmp"]
        )
        # The kernel that ends threads refuses an OpenMP whose threads it cannot end.
        (first,) = (each for each in self.extensions if each.name.endswith(".threads"))
        try:
            self._set_flags(portable + openmp, [] if windows else openmp)
            self.build_extension(first)
        except Exception:
            if not openmp:
                raise
            self._set_flags(portable, [])
        super().build_extensions()

    def _set_flags(self, compiling: list[str], linking: list[str]) -> None:
        for extension in self.extensions:
            extension.extra_compile_args = compiling
            extension.extra_link_args = linking


kernels = [
    Extension(f"thatch._kernels.{path.stem}", [path.as_posix()])
    for path in sorted(KERNELS.glob("*.py"))
    if path.stem != "__init__" and not path.stem.startswith("gpu")
]
setup(
    ext_modules=cythonize(
        kernels,
        nthreads=0 if os.name == "nt" else 2,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    ),
    cmdclass={"build_ext": BuildKernels},
)
