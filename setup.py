"""Compile ``thatch._kernels``, and describe thatch; the rest is in ``pyproject.toml``.

Compiled kernels are kept in ``build/kernels``, with the C that Cython wrote, so that
another install of the same sources compiles nothing.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path
from threading import Lock

import Cython
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

KERNELS = "thatch._kernels"
SOURCES = Path("src/thatch/_kernels")
KEPT = Path("build/kernels")
MOST_KEPT = 10
# Cython writes what it needs for memoryviews once, not into every kernel.
MEMORYVIEWS = f"{KERNELS}._memoryviews"

# GCC's OpenMP must be able to end its threads: see threads.c. Its library may be older
# than the compiler.
OPENMP = """
#include <omp.h>
int main(void) {
#if defined(__GNUC__) && !defined(__clang__) && !defined(_WIN32)
    omp_pause_resource_all(omp_pause_hard);
#endif
    return omp_get_max_threads() < 1;
}
"""

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    # Loops and what is read from arrays need no declarations.
    "infer_types": True,
    # Nobody pickles a kernel or inspects its signature, and the code for it is long.
    "auto_pickle": False,
    "binding": False,
    "emit_code_comments": False,
}


class BuildKernels(build_ext):
    """Build the kernels in parallel, and only if an earlier build did not."""

    def finalize_options(self) -> None:
        """Compile on all cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        # Kept kernels may be older than those beside the sources, and replace them.
        self.force = True

    def get_source_files(self) -> list[str]:
        """List what a source distribution needs: no generated C."""
        return [path for path in super().get_source_files() if Path(path).is_file()]

    def build_extensions(self) -> None:
        """Copy the kernels from an earlier build; build them first if there is none."""
        kept = KEPT / self._fingerprint()
        if not kept.is_dir():
            self._build_into(kept)
            for old in sorted(KEPT.iterdir(), key=_age)[MOST_KEPT:]:
                shutil.rmtree(old, ignore_errors=True)
        for extension in self.extensions:
            target = Path(self.get_ext_fullpath(extension.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            # Replaced, not overwritten: another build may copy or load it now.
            copy = target.with_name(f"{target.name}.{os.getpid()}")
            shutil.copy2(kept / target.name, copy)
            copy.replace(target)

    def build_extension(self, ext: Extension) -> None:
        """Translate a kernel to C, while others are compiled, and compile it."""
        with self._translating:  # Cython is not thread-safe
            (translated,) = cythonize(
                [ext],
                build_dir=self.build_temp,
                compiler_directives=DIRECTIVES,
                shared_utility_qualified_name=MEMORYVIEWS,
                quiet=True,
            )
        ext.sources = translated.sources
        super().build_extension(ext)

    def _build_into(self, kept: Path) -> None:
        """Build in a new folder, so that builds at the same time do not mix."""
        KEPT.mkdir(parents=True, exist_ok=True)
        folders = self.build_lib, self.build_temp
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            # Compilers write objects of an absolute path into the current folder.
            folder = os.path.relpath(folder)
            self.build_lib = self.build_temp = folder
            self._compile()
            built = [self.get_ext_fullpath(each.name) for each in self.extensions]
            complete = Path(folder, "complete")
            complete.mkdir()
            for path in [*built, *Path(folder, SOURCES).glob("*.c")]:
                shutil.move(path, complete)
            try:
                complete.rename(kept)
            except OSError:
                if not kept.is_dir():
                    raise  # else, another build was first
        self.build_lib, self.build_temp = folders

    def _compile(self) -> None:
        self._translating = Lock()
        windows = self.compiler.compiler_type == "msvc"
        openmp = ["/openmp" if windows else "-fopenmp"]
        if not self._can_build(OPENMP, openmp, [] if windows else openmp):
            self.warn(
                "There is no OpenMP: the kernels will use one thread. "
                f"If you install it, remove {KEPT} and build again."
            )
            openmp = []
        # Contracted multiply-adds round differently from machine to machine; errno and
        # traps, which nobody uses, keep a square root from being vectorized.
        portable = ["-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
        for extension in self.extensions:
            # What memoryviews need is a fourth of the C, and no faster at -O3.
            level = "-O1" if extension.name == MEMORYVIEWS else "-O3"
            flags = ["/O2"] if windows else [level, *portable]
            extension.extra_compile_args = [*flags, *openmp]
            extension.extra_link_args = [] if windows else openmp
        super().build_extensions()

    def _can_build(self, code: str, compiling: list[str], linking: list[str]) -> bool:
        """Whether a program can be compiled and linked with these flags."""
        source = Path(self.build_temp, "program.c")
        source.write_text(code)
        try:
            objects = self.compiler.compile([str(source)], extra_postargs=compiling)
            program = source.with_suffix("").as_posix()
            self.compiler.link_executable(objects, program, extra_postargs=linking)
        except (CompileError, LinkError):
            return False
        return True

    def _fingerprint(self) -> str:
        """A digest of everything that the compiled kernels depend on."""
        compiler = getattr(self.compiler, "compiler_so", [])
        digest = hashlib.sha256()
        for fact in (
            Cython.__version__,
            self.plat_name,
            self.get_ext_filename(KERNELS),  # Python, its version and ABI
            compiler,
            getattr(self.compiler, "linker_so", []),
            compiler and _version(compiler[0]),
        ):
            digest.update(f"{fact}\n".encode())
        sources = [Path(source) for each in self.extensions for source in each.sources]
        sources += SOURCES.glob("*.pxd")
        for path in [Path(__file__), *sorted(filter(Path.is_file, sources))]:
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()[:16]


def _version(compiler: str) -> str:
    if shutil.which(compiler) is None:
        raise CompileError(
            f"The C compiler {compiler} is not installed. Install it, or a wheel of "
            "thatch, which needs none."
        )
    answer = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return answer.stdout


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _description() -> str:
    """The README with absolute links, for where the files beside it are missing."""
    settings = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
    source = settings["project"]["urls"]["Source"]
    text = Path("README.md").read_text("utf-8")

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link[1].endswith(".png") else "blob"
        return f"]({source}/{kind}/HEAD/{link[1]})"

    return re.sub(r"\]\((?!https:|#)([^)]+)\)", absolute, text)


kernels = [
    path
    for path in SOURCES.glob("*.py")
    if path.stem != "__init__" and not path.stem.startswith("gpu")
]
# The longest first, so that no core is left with it at the end.
kernels.sort(key=lambda path: path.stat().st_size, reverse=True)
setup(
    ext_modules=[
        Extension(MEMORYVIEWS, [f"{SOURCES.as_posix()}/_memoryviews.c"]),
        *(Extension(f"{KERNELS}.{path.stem}", [path.as_posix()]) for path in kernels),
        Extension(f"{KERNELS}.threads", [f"{SOURCES.as_posix()}/threads.c"]),
    ],
    cmdclass={"build_ext": BuildKernels},
    long_description=_description(),
    long_description_content_type="text/markdown",
)
