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

    def build_extension(self, extension: Extension) -> None:
        """Compile one kernel, retrying without OpenMP."""
        windows = self.compiler.compiler_type == "msvc"
        # Contracted multiply-adds round differently from machine to machine; errno and
        # traps, which nobody asks for, keep a square root from being vectorized.
        portable = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
        portable = ["/O2"] if windows else portable
        openmp = (
            [] if sys.platform == "darwin" else ["/openmp" if windows else "-fopenmp"]
        )
        try:
            extension.extra_compile_args = portable + openmp
            extension.extra_link_args = [] if windows else openmp
            super().build_extension(extension)
        except Exception:
            if not openmp:
                raise
            extension.extra_compile_args, extension.extra_link_args = portable, []
            super().build_extension(extension)


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
