"""Compiled functions on disk: found again while nothing changed, and compiled anew whatever became of their files."""

import errno
import os
import subprocess
import sys
import types
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from scrf_bench.maps.compiled import disk_cache, jit
from scrf_bench.maps.compiled.cosine import write_phase


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


@pytest.fixture
def fresh_kernel(tmp_path, monkeypatch):
    """What a new process would have: a kernel that is not compiled yet, its cache in a folder of the test's own."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "_import_all", list)

    def fresh(stamp="stamp", function=double):
        monkeypatch.setattr(jit, "source_stamp", lambda: stamp)
        monkeypatch.setattr(jit, "_kernels", [])
        return jit.kernel(function)

    return fresh


def only_file(tmp_path):
    (path,) = (tmp_path / "cache").rglob("*.nbc")
    return path


def test_the_stamp_changes_with_every_source_of_the_folder(tmp_path, monkeypatch):
    """Also with one that the function is not written in: kernels compile in what other files define."""
    (tmp_path / "kernel.py").write_text("a = 1\n")
    (tmp_path / "part.py").write_text("b = 1\n")
    monkeypatch.setattr(jit, "_FOLDER", tmp_path)
    stamps = [jit.source_stamp.__wrapped__()]
    (tmp_path / "part.py").write_text("b = 2\n")
    stamps.append(jit.source_stamp.__wrapped__())
    (tmp_path / "other.py").write_text("")
    stamps.append(jit.source_stamp.__wrapped__())
    assert len(set(stamps)) == 3


def test_a_kernel_of_an_unchanged_folder_is_found_on_disk_and_of_a_changed_one_not(fresh_kernel):
    first = fresh_kernel()
    assert first(2) == 4
    assert not first.stats.cache_hits
    again = fresh_kernel()
    assert len(again._cache.entries()) == 1
    assert again(2) == 4
    assert again.stats.cache_hits
    changed = fresh_kernel("another stamp")
    assert changed._cache.entries() == []
    assert changed(2) == 4
    assert not changed.stats.cache_hits
    assert len(changed._cache.entries()) == 1, "the outdated file was not replaced"


def test_by_default_a_functions_own_file_decides(fresh_kernel, tmp_path, monkeypatch):
    """For functions outside the folder: another text of the file makes what was compiled outdated."""
    stamps = iter([b"one", b"one", b"two"])
    monkeypatch.setattr("numba.core.caching.UserProvidedCacheLocator.get_source_stamp", lambda self: next(stamps))
    hits = []
    for _ in range(3):
        kernel = disk_cache.keep(numba.njit(double))
        assert kernel(2) == 4
        hits.append(sum(kernel.stats.cache_hits.values()))
    assert hits == [0, 1, 0]


def test_argument_types_are_kept_side_by_side_and_the_status_adds_up_what_they_took(fresh_kernel):
    kernel = fresh_kernel()
    assert jit.compile_status().seconds is None
    values = (2, 2.0, np.float32(2), np.ones(3), np.ones(3, np.float32))
    for value in values:
        kernel(value)
    entries = kernel._cache.entries()
    assert len(entries) == len(values)
    assert all(entry.seconds > 0 for entry in entries)
    status = jit.compile_status()
    assert status.kernels == {"test_compiled_cache.double": len(values)}
    assert status.seconds == sum(entry.seconds for entry in entries)
    assert status.nbytes == sum(path.stat().st_size for path in Path(status.folder).iterdir())
    again = fresh_kernel()
    for value in values:
        again(value)
    assert sum(again.stats.cache_hits.values()) == len(values)
    assert jit.compile_status().seconds == status.seconds, "loading was taken for compiling"


def flip(place):
    def damage(content):
        index = place if place >= 0 else len(content) + place
        return content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :]

    return damage


DAMAGES = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one byte more": lambda content: content + b"\0",
    "random bytes": lambda content: np.random.default_rng(0).bytes(len(content)),
    "no digest": lambda content: content.partition(b"\n")[2],
    "text": lambda content: b"compiled 1.0\n",
    "a bit of the digest": flip(3),
    "a bit of the seconds": flip(66),
    "a bit at the end": flip(-1),
    "a bit in the middle": flip(1000),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_not_there_and_is_replaced(fresh_kernel, tmp_path, damage):
    fresh_kernel()(2)
    path = only_file(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    kernel = fresh_kernel()
    assert jit.compile_status().kernels == {"test_compiled_cache.double": 0}
    assert kernel(2) == 4
    assert not kernel.stats.cache_hits
    mended = fresh_kernel()
    assert jit.compile_status().kernels == {"test_compiled_cache.double": 1}
    assert mended(2) == 4
    assert mended.stats.cache_hits


def test_a_file_under_anothers_name_is_not_taken_for_it(fresh_kernel, tmp_path):
    """Its digest is right: it is the name that is wrong."""
    fresh_kernel()(2)
    own = only_file(tmp_path)
    fresh_kernel(function=triple)(2)
    (other,) = set((tmp_path / "cache").rglob("*.nbc")) - {own}
    own.write_bytes(other.read_bytes())
    kernel = fresh_kernel()
    assert kernel._cache.entries() == []
    assert kernel(2) == 4


def test_what_numba_cannot_link_is_compiled_anew(fresh_kernel, tmp_path):
    """A file that is what was written, whose content is of no use: no digest can tell."""
    fresh_kernel()(2)
    path = only_file(tmp_path)
    kernel = fresh_kernel()
    head, payload = "0.100", b"not a pickle"
    path.write_bytes(f"{kernel._cache._digest(path.name, head, payload)} {head}\n".encode() + payload)
    assert len(kernel._cache.entries()) == 1
    assert kernel(2) == 4
    assert not kernel.stats.cache_hits


def test_a_file_that_may_not_be_read_is_replaced(fresh_kernel, tmp_path):
    fresh_kernel()(2)
    only_file(tmp_path).chmod(0)
    if os.access(only_file(tmp_path), os.R_OK):
        pytest.skip("root reads everything")
    assert fresh_kernel()(2) == 4
    assert len(fresh_kernel()._cache.entries()) == 1


@pytest.mark.parametrize("is_empty", [True, False], ids=["empty", "with something in it"])
def test_a_folder_in_a_files_place_is_replaced_if_nothing_is_lost(fresh_kernel, tmp_path, is_empty):
    fresh_kernel()(2)
    path = only_file(tmp_path)
    path.unlink()
    path.mkdir()
    kernel = fresh_kernel()
    assert jit.compile_status().kernels == {"test_compiled_cache.double": 0}
    if is_empty:
        assert kernel(2) == 4
        assert len(kernel._cache.entries()) == 1
        return
    (path / "something").touch()
    with pytest.warns(RuntimeWarning, match="a folder stands in a file's place: remove it") as caught:
        assert kernel(2) == 4
    assert kernel._cache.cache_path in str(caught[0].message)
    assert (path / "something").exists()


def test_a_full_disk_stops_nothing_and_is_told_with_folder_and_remedy(fresh_kernel, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("scrf_bench.atomic.os.fsync", full)
    kernel = fresh_kernel()
    with pytest.warns(RuntimeWarning, match="No space left on device.*set NUMBA_CACHE_DIR") as caught:
        assert kernel(2) == 4
    assert kernel._cache.cache_path in str(caught[0].message)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
    assert kernel(3) == 6, "the process has lost what it compiled"


def test_without_any_folder_a_kernel_compiles_in_memory_and_says_so(fresh_kernel, monkeypatch):
    def nowhere(function):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(disk_cache, "CompileResultCacheImpl", nowhere)
    kernel = fresh_kernel()
    assert jit.compile_status().folder == ""
    with pytest.warns(RuntimeWarning, match="none can be written.*set NUMBA_CACHE_DIR") as caught:
        assert kernel(2) == 4
    assert str(Path(__file__).parent / "__pycache__") in str(caught[0].message)


def test_the_same_trouble_is_told_once_a_process():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            disk_cache.warn_unkept("in /somewhere (full)")
        disk_cache.warn_unkept("in /elsewhere (full)")
    assert [("/somewhere" in str(warning.message)) for warning in caught] == [True, False]


def test_a_cache_can_be_turned_off_and_emptied(fresh_kernel):
    kernel = fresh_kernel()
    kernel._cache.disable()
    kernel(2)
    assert kernel._cache.entries() == []
    kernel._cache.enable()
    kernel(2.0)
    assert len(kernel._cache.entries()) == 1
    kernel._cache.flush()
    assert kernel._cache.entries() == []


def test_compiling_everything_tells_compiling_from_loading(fresh_kernel, monkeypatch):
    begun = []

    def compile_in_a_new_process():
        kernel = fresh_kernel()
        module = types.SimpleNamespace(warm=lambda dtype: kernel(dtype.type(1)))
        monkeypatch.setattr(jit, "_import_all", lambda: [module])
        return jit.compile_all(lambda: begun.append(len(kernel.signatures)))

    assert compile_in_a_new_process() > 0
    assert begun == [0], "to be told once, before the first"
    assert compile_in_a_new_process() is None
    assert begun == [0]


def test_status_names_every_kernel_and_what_is_on_disk():
    write_phase(np.zeros((1, 2), np.float32), np.zeros(2, np.float32), np.float32(1), np.zeros((1, 2), np.float32))
    status = jit.compile_status()
    assert {"cosine.write_phase", "cosine.write_pair", "circulant.circulant_features"} <= set(status.kernels)
    assert status.kernels["cosine.write_phase"] >= 1
    assert status.nbytes > 0
    assert status.folder
    assert all((status.numba, status.llvm, status.cpu))


PROCESS = """
import sys
import numpy as np
from scrf_bench.maps import RKS
from scrf_bench.maps.compiled import cosine
X = np.random.default_rng(0).standard_normal((5, 8), dtype=np.float32)
Phi = RKS(16, gamma=0.5, random_state=0).fit_transform(X)
print(Phi.tobytes().hex(), sum(cosine.write_phase.stats.cache_hits.values()))
"""


def start(folder):
    environ = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-W", "error", "-c", PROCESS]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process):
    with process:
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert err == ""
    features, hits = out.split()
    return features, int(hits)


def test_processes_share_an_empty_cache_and_survive_a_damaged_one(tmp_path):
    """Two at once compile and write; a third loads; a fourth finds machine code with one byte changed."""
    at_once = [start(tmp_path), start(tmp_path)]
    (features, _), (others, _) = [ended(process) for process in at_once]
    assert features == others
    assert ended(start(tmp_path)) == (features, 1)
    (path,) = tmp_path.rglob("*.nbc")
    path.write_bytes(flip(path.stat().st_size // 2)(path.read_bytes()))
    assert ended(start(tmp_path)) == (features, 0)
    assert ended(start(tmp_path)) == (features, 1)
    assert len(list(tmp_path.rglob("*.*"))) == 1, "something was left behind"
