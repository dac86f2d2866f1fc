"""The maps' loops are compiled before the first cell, once; whatever hinders that is told and stops nothing."""

import json
import warnings

import pytest
from numba.core.errors import TypingError

from scrf_bench.experiments.compilation import compile_loops
from scrf_bench.maps.compiled import jit
from tests.experiments.tiny_study import run_cli


@pytest.fixture
def machine(monkeypatch):
    """A machine whose loops are as told, with a compiler that takes 12.5 seconds by its own account."""
    state = {"kernels": {"a.f": 0, "b.g": 2}, "folder": "/somewhere", "seconds": 5.25, "trouble": None, "error": None}

    def status():
        return jit.CompileStatus(
            state["folder"], dict(state["kernels"]), 1000, state["seconds"], "0.68", "20", "znver4"
        )

    def compile_all(begin):
        if state["kernels"]["a.f"]:
            return None
        begin()
        if state["error"]:
            raise state["error"]
        if state["trouble"]:
            for _ in range(2):
                warnings.warn(state["trouble"], RuntimeWarning, stacklevel=1)
        else:
            state["kernels"]["a.f"], state["seconds"] = 2, 17.75
        return 12.5

    monkeypatch.setattr(jit, "compile_status", status)
    monkeypatch.setattr(jit, "compile_all", compile_all)
    return state


def test_it_compiles_once_and_says_so(machine):
    said = []
    assert compile_loops(said.append) == 12.5
    assert len(said) == 1
    assert "Compiling" in said[0]
    assert compile_loops(said.append) is None
    assert len(said) == 1


def test_lost_or_damaged_files_are_compiled_again(machine):
    compile_loops()
    machine["kernels"] = {"a.f": 0, "b.g": 0}
    assert compile_loops() == 12.5


def test_where_there_is_no_folder_every_cell_compiles_for_itself_and_it_says_what_to_do(machine):
    machine["folder"] = ""
    said = []
    assert compile_loops(said.append) is None
    assert len(said) == 1
    assert "compiled/__pycache__" in said[0]
    assert "set NUMBA_CACHE_DIR" in said[0]


def test_what_cannot_be_kept_is_told_once_and_is_no_warning_of_python(machine):
    machine["trouble"] = "The compiled loops cannot be kept in /somewhere (full)"
    said = []
    assert compile_loops(said.append) == 12.5
    assert said[1:] == [machine["trouble"]]


def test_a_loop_that_does_not_compile_is_told_and_stops_nothing(machine):
    machine["error"] = TypingError("no such thing\nand a long story")
    said = []
    assert compile_loops(said.append) is None
    assert said[1].startswith("A loop could not be compiled: ")
    assert "long story" not in said[1]


def test_info_tells_what_is_compiled(machine):
    compile_loops()
    described = json.loads(run_cli("info", "--json").stdout)
    assert described["compiled_in"] == "/somewhere"
    assert described["compiled_kernels"] == {"a.f": 2, "b.g": 2}
    assert described["compile_seconds"] == 17.8, "the total, not what was compiled last"
    assert described["not_compiled_yet"] == []
    machine["kernels"]["c.h"] = 0
    text = run_cli("info").stdout
    assert "2 of 3 kernels" in text
    assert "c.h" in text


def test_info_where_nothing_is_compiled_or_can_be(machine):
    machine |= {"kernels": {"a.f": 0}, "seconds": None, "folder": ""}
    described = json.loads(run_cli("info", "--json").stdout)
    assert described["compile_seconds"] is None
    assert "set NUMBA_CACHE_DIR" in described["compiled_in"]
    assert described["not_compiled_yet"] == ["a.f"]
