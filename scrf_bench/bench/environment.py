"""The environment: what about a machine and its libraries can change a result or its speed."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import scrf_bench
from scrf_bench.bench.canonical import short_hash
from scrf_bench.bench.fields import Fields
from scrf_bench.errors import DataError

# Part of the identity: a change of these can change a result's bits or its speed.
COMPUTING = ("numpy", "scipy", "scikit-learn", "numba", "libsvm-official", "liblinear-official")
# Recorded only: they read and draw records.
READING = ("pandas", "matplotlib")

_PACKAGE = Path(scrf_bench.__file__).resolve().parent
_SOURCES = ("scrf_bench", "configs", "data", "pyproject.toml")


@dataclass(frozen=True)
class Environment:
    """The machine, libraries and settings a cell ran with.

    Parameters
    ----------
    cpu_model, machine : str
        The processor's name and architecture.
    physical_cores, logical_cores : int
        The machine's cores without and with hyperthreads.
    governor : str or None
        The frequency governor of the first core, where it can be read.
    memory_total : int
        Bytes of main memory.
    os, libc, python : str
        Operating system, C library and interpreter with their versions.
    packages : dict of str to (str or None)
        Versions of :data:`COMPUTING` and :data:`READING`; None where a package is not installed.
    blas : str
        NumPy's BLAS: name, version and kernel.
    threads : int
        Threads for BLAS, OpenMP and numba.
    package_version : str
        The version of scrf-bench.
    commit : str or None
        The commit of its sources, where they lie in a git repository.
    dirty : bool or None
        Whether the sources differ from that commit.
    """

    cpu_model: str
    machine: str
    physical_cores: int
    logical_cores: int
    governor: str | None
    memory_total: int
    os: str
    libc: str
    python: str
    packages: dict[str, str | None]
    blas: str
    threads: int
    package_version: str
    commit: str | None
    dirty: bool | None

    @functools.cached_property
    def id(self) -> str:
        """Ten hexadecimal digits: a hash of what can change a result's bits or its speed.

        Not of the commit or the package's version: a cell's declared versions stand for the code. Not of
        governor, memory and operating system: they would part records that belong together.
        """
        identity = {
            "cpu_model": self.cpu_model,
            "machine": self.machine,
            "cores": [self.physical_cores, self.logical_cores],
            "libc": self.libc,
            "python": self.python,
            "packages": {name: self.packages.get(name) for name in COMPUTING},
            "blas": self.blas,
            "threads": self.threads,
        }
        return short_hash(identity, 10)

    def to_json(self) -> dict[str, object]:
        """Return a dictionary for ``json.dumps`` that :meth:`from_json` reads back."""
        return {"id": self.id, **asdict(self)}

    @classmethod
    def from_json(cls, data: object, source: str = "environment") -> Environment:
        """Build an environment from what :meth:`to_json` wrote.

        Raises
        ------
        DataError
            Naming `source`, if a field is missing, of a wrong type, or the id does not match the fields.
        """
        fields = Fields(data, source, DataError)
        environment = cls(
            cpu_model=fields.text("cpu_model"),
            machine=fields.text("machine"),
            physical_cores=fields.integer("physical_cores"),
            logical_cores=fields.integer("logical_cores"),
            governor=fields.optional_text("governor"),
            memory_total=fields.integer("memory_total"),
            os=fields.text("os"),
            libc=fields.text("libc"),
            python=fields.text("python"),
            packages=_versions(fields),
            blas=fields.text("blas"),
            threads=fields.integer("threads"),
            package_version=fields.text("package_version"),
            commit=fields.optional_text("commit"),
            dirty=fields.get("dirty", bool, type(None)),
        )
        if environment.id != fields.text("id"):
            raise fields.wrong("its environment's id does not match its fields; it was edited by hand")
        return environment


@functools.cache
def capture_environment(threads: int = 1) -> Environment:
    """Return the environment of this process, for cells that run with that many threads.

    Packages' versions come from their metadata; only NumPy is imported, to ask for its BLAS. The result is
    kept for the life of the process.
    """
    import psutil

    logical = psutil.cpu_count(logical=True) or 1
    commit, dirty = _git_state()
    return Environment(
        cpu_model=_cpu_model(),
        machine=platform.machine(),
        physical_cores=psutil.cpu_count(logical=False) or logical,
        logical_cores=logical,
        governor=_first_line(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        memory_total=psutil.virtual_memory().total,
        os=_operating_system(),
        libc=" ".join(platform.libc_ver()).strip(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        packages={name: _version(name) for name in (*COMPUTING, *READING)},
        blas=_blas(),
        threads=threads,
        package_version=scrf_bench.__version__,
        commit=commit,
        dirty=dirty,
    )


def _versions(fields: Fields) -> dict[str, str | None]:
    packages = Fields(fields.mapping("packages"), f"{fields.source}: packages", fields.error)
    return {name: packages.optional_text(name) for name in fields.mapping("packages")}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _first_line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()[0].strip()
    except (OSError, IndexError):
        return None


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in {"model name", "Model", "cpu model"}:
                return " ".join(value.split())
    except OSError:
        pass
    if sys.platform == "darwin":
        name = _output(["sysctl", "-n", "machdep.cpu.brand_string"])
        if name:
            return name
    return platform.processor() or platform.machine()


def _operating_system() -> str:
    kernel = f"{platform.system()} {platform.release()}"
    try:
        return f"{kernel} ({platform.freedesktop_os_release().get('PRETTY_NAME', 'unknown distribution')})"
    except OSError:
        return kernel


def _blas() -> str:
    """Return NumPy's BLAS as text; where several are loaded, the one that lies with NumPy."""
    import numpy  # noqa: F401, ICN001 -- loads the library that is asked for
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    pools = [pool for pool in pools if "numpy" in str(pool["filepath"])] or pools
    parts = ("internal_api", "version", "architecture")
    names = {" ".join(str(pool[part]) for part in parts if pool.get(part)) for pool in pools}
    return ", ".join(sorted(names)) or "unknown"


def _git_state() -> tuple[str | None, bool | None]:
    """Return commit and dirty flag of the sources, or (None, None) where they are not a repository's own.

    An installation in a virtual environment that happens to lie inside some repository is not that
    repository's.
    """
    root = _PACKAGE.parent
    top = _output(["git", "-C", str(root), "rev-parse", "--show-toplevel"])
    if not top or Path(top).resolve() != root:
        return None, None
    commit = _output(["git", "-C", str(root), "rev-parse", "--verify", "--quiet", "HEAD"])
    changes = _output(["git", "-C", str(root), "status", "--porcelain", "--", *_SOURCES])
    return commit or None, None if changes is None else bool(changes)


def _output(command: list[str]) -> str | None:
    """Return a command's output, stripped; None where it fails or is not there."""
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            env=environ,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
